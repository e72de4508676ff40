#include "cli/open_tree.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "pack/reader.h"
#include "store/store.h"

namespace packfs::cli {

namespace {

Result<Volume> open_store(const std::string& path, bool read_only, Context& context) {
  if (const auto found = find_store(path, context); !found) return std::unexpected(found.error());
  StoreOptions options;
  options.create = false;
  options.read_only = read_only;
  auto store = store::open(context.io, path, options);
  if (!store) return std::unexpected(store.error().with_path(path));
  return store;
}

}  // namespace

Result<bool> names_store(const std::string& path, Context& context) {
  struct statx status{};
  const int known = context.io.statx(AT_FDCWD, path.c_str(), 0, STATX_TYPE, &status);
  if (known < 0) return std::unexpected(Error::from_errno(-known).with_path(path));
  return S_ISDIR(status.stx_mode);
}

Error explain_missing_store(const Error& error, const std::string& path) {
  if (error.code() == ErrorCode::not_a_directory) return error.with_path(path).with_note("a store is a directory");
  const bool has_no_manifest = error.code() == ErrorCode::no_entry && error.path() != path;
  return has_no_manifest ? error.with_note("there is no store here") : error.with_path(path);
}

Result<FoundStore> find_store(const std::string& path, Context& context) {
  auto directory = store::Directory::open(context.io, path);
  if (!directory) return std::unexpected(explain_missing_store(directory.error(), path));
  auto manifest = directory->manifest();
  if (!manifest) return std::unexpected(std::move(manifest.error()));
  if (*manifest) return FoundStore{std::move(*directory), std::move(**manifest)};
  const auto names = directory->names();
  if (!names) return std::unexpected(names.error());
  const bool was_one =
      std::ranges::any_of(*names, [](const std::string& name) { return store::segment_id_of(name).has_value(); });
  const Error missing = directory->at(ErrorCode::no_entry, store::kCurrent);
  return std::unexpected(was_one ? missing.with_note("the store has lost it, repair may help")
                                 : explain_missing_store(missing, path));
}

Result<Pack> open_pack(const std::string& path, const Arguments& arguments, Context& context) {
  auto reader = pack::Reader::open(context.io, path, arguments.read_mode);
  if (!reader) return std::unexpected(reader.error().with_path(path));
  return Pack(*std::move(reader));
}

Result<Volume> open_store_to_read(const std::string& path, Context& context) { return open_store(path, true, context); }
Result<Volume> open_store_to_write(const std::string& path, Context& context) {
  return open_store(path, false, context);
}

Result<View> open_tree(const std::string& path, const Arguments& arguments, Context& context) {
  const auto is_store = names_store(path, context);
  if (!is_store) return std::unexpected(is_store.error());
  if (*is_store) {
    auto store = open_store_to_read(path, context);
    if (!store) return std::unexpected(std::move(store.error()));
    return store->snapshot();
  }
  auto pack = open_pack(path, arguments, context);
  if (!pack) return std::unexpected(std::move(pack.error()));
  return pack->root();
}

}  // namespace packfs::cli
