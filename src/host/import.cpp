#include "host/import.h"

#include <fcntl.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/io_loops.h"
#include "base/unique_fd.h"
#include "host/import_run.h"
#include "host/uninterrupted.h"
#include "path/path.h"

namespace packfs::host {

namespace {

struct Source {
  std::string path;    // as given, without needless '/' at its end
  std::string parent;  // the directory it is in
  std::string name;    // its base name
  bool is_directory = false;
};

Result<base::unique_fd> open_at(base::Io& io, const std::string& path, int flags) {
  const int returned =
      uninterrupted([&] { return io.openat(AT_FDCWD, path.c_str(), O_DIRECTORY | O_CLOEXEC | flags, 0); });
  if (auto opened = base::checked(returned); !opened) return std::unexpected(opened.error().with_path(path));
  return base::unique_fd(io, returned);
}

// `given` may end with '/', which asks the kernel to follow a symlink there.
Result<Source> examine(base::Io& io, const std::string& given) {
  auto status = status_at(io, AT_FDCWD, given.c_str());
  if (!status) return std::unexpected(status.error().with_path(given));
  Source source{.path = given, .parent = ".", .name = {}, .is_directory = type_of(*status) == FileType::directory};
  std::string_view path = given;
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  source.name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (slash != std::string_view::npos) source.parent = path.substr(0, std::max<std::size_t>(slash, 1));
  return source;
}

Result<std::vector<Source>> examine_all(base::Io& io, std::span<const std::string> paths) {
  std::vector<Source> sources;
  for (const std::string& path : paths) {
    auto source = examine(io, path);
    if (!source) return std::unexpected(std::move(source.error()));
    const bool is_root = paths.size() == 1 && source->is_directory;
    if (!is_root && path::check_component(source->name)) {
      return std::unexpected(
          Error(ErrorCode::invalid).with_path(path).with_note("it has no base name to be stored under"));
    }
    sources.push_back(std::move(*source));
  }
  // The order of docs/format.md section 6: others before directories, each by name.
  std::ranges::sort(sources, [](const Source& a, const Source& b) {
    return std::pair(a.is_directory, std::string_view(a.name)) < std::pair(b.is_directory, std::string_view(b.name));
  });
  std::vector<std::string_view> names;
  names.reserve(sources.size());
  for (const Source& source : sources) names.push_back(source.name);
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end()) {
    return std::unexpected(Error(ErrorCode::exists).with_path(*twice).with_note("two sources have this base name"));
  }
  return sources;
}

Result<void> add_source(base::Io& io, ImportRun& run, const Source& source) {
  if (!source.is_directory) {
    // O_PATH: the directory need not be readable to reach a name in it.
    auto parent = open_at(io, source.parent, O_PATH);
    if (!parent) return std::unexpected(std::move(parent.error()));
    return run.add_other(parent->get(), source.name, source.path);
  }
  const bool follow = source.path.ends_with('/');
  auto directory = open_at(io, source.path, O_RDONLY | (follow ? 0 : O_NOFOLLOW));
  if (!directory) {
    run.skip(source.path, std::move(directory.error()));
    return {};
  }
  return run.add_directory(std::move(*directory), ImportRun::As::entry, source.name, source.path);
}

}  // namespace

Result<void> import_tree(base::Io& io, std::span<const std::string> sources, tree::Sink& sink,
                         const ImportOptions& options, ImportReport& report) {
  report = {};
  if (sources.empty()) return std::unexpected(Error(ErrorCode::invalid).with_note("nothing to import"));
  auto examined = examine_all(io, sources);
  if (!examined) return std::unexpected(std::move(examined.error()));
  ImportRun run(io, sink, options, report);
  if (examined->size() == 1 && examined->front().is_directory) {
    const std::string& path = examined->front().path;
    auto directory = open_at(io, path, O_RDONLY);
    if (!directory) return std::unexpected(std::move(directory.error()));
    auto added = run.add_directory(std::move(*directory), ImportRun::As::root, {}, path);
    if (!added) return std::unexpected(added.error().with_path(path));
    return {};
  }
  for (const Source& source : *examined) {
    if (auto added = add_source(io, run, source); !added) return added;
  }
  return {};
}

}  // namespace packfs::host
