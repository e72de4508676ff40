#pragma once

#include "packfs/error.h"
#include "packfs/file.h"
#include "packfs/node.h"
#include "packfs/ref.h"
#include "tree/table.h"

namespace packfs::tree {

/// Success when `node` is a regular file. Errors: is_a_directory; invalid for any other type.
[[nodiscard]] Result<void> require_regular(const Node& node);

/// A File over `node` of `table`. Errors: those of require_regular() and of Table::open().
[[nodiscard]] Result<File> open_file(const Ref<const Table>& table, const Node& node);

}  // namespace packfs::tree
