#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "packfs/error.h"
#include "packfs/types.h"
#include "tree/dentry.h"

namespace packfs::tree {

class PartHeap;

/// A blob of these attributes, sorted by name; null for none. The caller holds its one reference.
/// Errors: no_memory.
[[nodiscard]] Result<XattrBlob*> make_xattr_blob(PartHeap& heap, std::span<const Xattr> sorted);

[[nodiscard]] std::vector<Xattr> xattrs_of(const XattrBlob* blob);

}  // namespace packfs::tree
