#pragma once

#include <functional>

#include "tree/treap.h"

namespace packfs::tree {

/// Calls `visit(a, b)` in name order for every name that has another Dentry in one treap than in the other; null where
/// a treap has none. What the two share is not looked at: the cost follows the number of differences, since equal names
/// make equal shapes.
void diff_treaps(const TreapNode* a, const TreapNode* b,
                 const std::function<void(const Dentry* a, const Dentry* b)>& visit);

}  // namespace packfs::tree
