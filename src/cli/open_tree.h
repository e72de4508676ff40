#pragma once

#include <string>

#include "cli/arguments.h"
#include "cli/context.h"
#include "packfs/error.h"
#include "packfs/pack.h"
#include "packfs/view.h"
#include "packfs/volume.h"

namespace packfs::cli {

/// Whether `path` is a directory, so that a store is meant and not a pack. Errors: an errno of the host, with the path.
[[nodiscard]] Result<bool> names_store(const std::string& path, Context& context);

/// Errors: those of Pack::open(), with the path.
[[nodiscard]] Result<Pack> open_pack(const std::string& path, const Arguments& arguments, Context& context);

/// A store that is there: to read, beside its writer, or to write. Errors: those of Volume::open(), with a path;
/// no_entry and not_a_directory say what a store is.
[[nodiscard]] Result<Volume> open_store_to_read(const std::string& path, Context& context);
[[nodiscard]] Result<Volume> open_store_to_write(const std::string& path, Context& context);

/// The root of the pack or store at `path`, a store's as it is now. Errors: as above.
[[nodiscard]] Result<View> open_tree(const std::string& path, const Arguments& arguments, Context& context);

}  // namespace packfs::cli
