#include "cli/source_names.h"

#include <fcntl.h>

#include <climits>
#include <set>
#include <string_view>

#include "base/io_loops.h"
#include "base/unique_fd.h"
#include "cli/base_name.h"

namespace packfs::cli {

namespace {

Result<std::string> resolved(base::Io& io, const std::string& path) {
  const auto opened = base::checked(io.openat(AT_FDCWD, path.c_str(), O_PATH | O_CLOEXEC | O_DIRECTORY, 0));
  if (!opened) return std::unexpected(opened.error());
  const base::unique_fd directory(io, *opened);
  std::string target(PATH_MAX, '\0');
  const std::string link = "/proc/self/fd/" + std::to_string(directory.get());
  const auto length = base::checked(io.readlinkat(AT_FDCWD, link.c_str(), target.data(), target.size()));
  if (!length) return std::unexpected(length.error());
  target.resize(static_cast<std::size_t>(*length));
  return target;
}

}  // namespace

Result<std::vector<std::string>> named_sources(base::Io& io, const std::vector<std::string>& sources) {
  if (sources.size() < 2) return sources;
  std::vector<std::string> named;
  std::set<std::string, std::less<>> names;
  for (const std::string& source : sources) {
    auto path = names_itself(base_name(source)) ? Result<std::string>(source) : resolved(io, source);
    if (!path) return std::unexpected(path.error().with_path(source));
    const std::string_view name = base_name(*path);
    if (!names_itself(name)) {
      return std::unexpected(Error(ErrorCode::invalid).with_path(source).with_note("it has no name to stand under"));
    }
    if (!names.emplace(name).second) {
      return std::unexpected(Error(ErrorCode::exists).with_path(source).with_note("two sources of one base name"));
    }
    named.push_back(*std::move(path));
  }
  return named;
}

}  // namespace packfs::cli
