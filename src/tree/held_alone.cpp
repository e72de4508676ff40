#include "tree/held_alone.h"

#include <unordered_map>
#include <vector>

#include "tree/block.h"
#include "tree/treap.h"

namespace packfs::tree {
namespace {

/// Lets go of everything in thought: parts whose last reference that would be are looked into.
class Release {
 public:
  HeldAlone run(const State& state) {
    drop(state.root, dentries_);
    drop(state.links, nodes_);
    while (!dentries_.empty() || !nodes_.empty()) {
      if (!dentries_.empty()) {
        const Dentry* const dentry = dentries_.back();
        dentries_.pop_back();
        look_into(*dentry);
      } else {
        const TreapNode* const node = nodes_.back();
        nodes_.pop_back();
        look_into(*node);
      }
    }
    return held_;
  }

 private:
  /// True when nobody else holds the part any more.
  bool is_last(const Part* part) {
    if (part == nullptr) return false;
    if (part->references == 1) return true;
    const auto at = left_.try_emplace(part, part->references).first;
    return --at->second == 0;
  }
  template <class T>
  void drop(const T* part, std::vector<const T*>& freed) {
    if (is_last(part)) freed.push_back(part);
  }

  void look_into(const Dentry& dentry) {
    if (!dentry.is_whiteout()) ++held_.inodes;
    held_.bytes += dentry_bytes(dentry.type, dentry.name_length, dentry.is_inline ? dentry.size : 0);
    if (dentry.content && !dentry.content->is_shared()) held_.bytes += dentry.content->memory_bytes();
    if (is_last(dentry.xattrs)) held_.bytes += sizeof(XattrBlob) + dentry.xattrs->length;
    if (dentry.type == FileType::directory) drop(dentry.directory().treap, nodes_);
  }

  void look_into(const TreapNode& node) {
    held_.bytes += sizeof(TreapNode);
    drop(node.left, nodes_);
    drop(node.right, nodes_);
    if (const BlockBase* const base = node.block.base; is_last(base)) {
      held_.bytes += BlockBase::bytes_for(base->room());
      for (std::size_t i = 0; i < base->count; ++i) drop<Dentry>(base->entries()[i], dentries_);
    }
    if (const BlockChanges* const changes = node.block.changes; is_last(changes)) {
      held_.bytes += sizeof(BlockChanges);
      for (std::size_t i = 0; i < changes->count; ++i) drop<Dentry>(changes->entries[i], dentries_);
    }
  }

  std::vector<const Dentry*> dentries_;
  std::vector<const TreapNode*> nodes_;
  std::unordered_map<const Part*, std::uint32_t> left_;  // references of shared parts that were not let go yet
  HeldAlone held_;
};

}  // namespace

HeldAlone held_alone(const State& state) { return Release().run(state); }

}  // namespace packfs::tree
