#pragma once

#include "packfs/error.h"
#include "packfs/view.h"
#include "tree/sink.h"

namespace packfs::tree {

/// Puts all that a view shows into a sink: the view's directory becomes the sink's root. Names that share a file in the
/// view share one in the sink. In tree order, iterative. Errors: the view's and the sink's, with the path.
[[nodiscard]] Result<void> copy_tree(const View& from, Sink& to);

}  // namespace packfs::tree
