#pragma once

#include <string>

#include "cli/arguments.h"
#include "cli/context.h"
#include "packfs/error.h"
#include "packfs/pack.h"
#include "packfs/view.h"
#include "packfs/volume.h"
#include "store/directory.h"
#include "store/manifest.h"

namespace packfs::cli {

/// Whether `path` is a directory, so that a store is meant and not a pack. Errors: an errno of the host, with the path.
[[nodiscard]] Result<bool> names_store(const std::string& path, Context& context);

/// An error of opening a store at `path`; where there is none it says so.
[[nodiscard]] Error explain_missing_store(const Error& error, const std::string& path);

/// A store's directory and manifest. Errors: no_entry, not_a_directory, with a note on what there is instead; corrupt
/// (the manifest), unsupported_version, an errno of the host; with a path.
struct FoundStore {
  store::Directory directory;
  store::Manifest manifest;
};
[[nodiscard]] Result<FoundStore> find_store(const std::string& path, Context& context);

/// Errors: those of Pack::open(), with the path.
[[nodiscard]] Result<Pack> open_pack(const std::string& path, const Arguments& arguments, Context& context);

/// A store that is there: to read, beside its writer, or to write. Errors: as find_store(); those of Volume::open().
[[nodiscard]] Result<Volume> open_store_to_read(const std::string& path, Context& context);
[[nodiscard]] Result<Volume> open_store_to_write(const std::string& path, Context& context);

/// The root of the pack or store at `path`, a store's as it is now. Errors: as above.
[[nodiscard]] Result<View> open_tree(const std::string& path, const Arguments& arguments, Context& context);

}  // namespace packfs::cli
