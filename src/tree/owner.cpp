#include "tree/owner.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/alloc.h"
#include "base/hash.h"

namespace packfs::tree {

PartHeap::~PartHeap() { free_buried(SIZE_MAX); }

std::uint64_t PartHeap::hash(std::string_view name) const noexcept {
  return base::xxh3(std::as_bytes(std::span(name)), seed_);
}

void PartHeap::free_buried(std::size_t steps) noexcept {
  for (; buried_ != 0 && steps != 0; --steps) {
    const auto kind = static_cast<Kind>(buried_ & 15);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kind lies in the pointer's low bits
    auto* const part = reinterpret_cast<Part*>(buried_ & ~std::uintptr_t{15});
    buried_ = part->owner;
    __builtin_prefetch(reinterpret_cast<const void*>(buried_), 1);  // NOLINT(performance-no-int-to-ptr)
    switch (kind) {
      case Kind::node: {
        auto* const node = static_cast<TreapNode*>(part);
        let_go(node->left);
        let_go(node->right);
        let_go(node->block.base);
        let_go(node->block.changes);
        --counts_.nodes;
        break;
      }
      case Kind::changes: {
        auto* const changes = static_cast<BlockChanges*>(part);
        for (std::size_t i = 0; i < changes->count; ++i) let_go(changes->entries[i]);
        --counts_.changes;
        break;
      }
      case Kind::base: {
        auto* const base = static_cast<BlockBase*>(part);
        Dentry* const* const entries = base->entries();
        for (std::size_t i = 0; i < base->count; ++i) __builtin_prefetch(entries[i], 1);
        for (std::size_t i = 0; i < base->count; ++i) let_go(entries[i]);
        --counts_.bases;
        break;
      }
      case Kind::dentry: {
        auto* const dentry = static_cast<Dentry*>(part);
        if (dentry->type == FileType::directory) let_go(dentry->directory().treap);
        let_go(dentry->xattrs);
        dentry->~Dentry();
        --counts_.dentries;
        break;
      }
      case Kind::xattrs:
        --counts_.xattrs;
        base::release(part);
        continue;
    }
    memory_.free(part);
  }
}

TreapNode* Owner::own(TreapNode* node) noexcept {
  // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): who removes a node goes down to one that is there
  if (owns(*node)) return node;
  auto* copy = heap_->make<TreapNode>(sizeof(TreapNode), id_, *node);
  copy->references = 1;
  heap_->share(copy->left);
  heap_->share(copy->right);
  heap_->share(copy->block.base);
  heap_->share(copy->block.changes);
  heap_->let_go(node);
  ++heap_->counts().nodes;
  ++heap_->counts().copied;
  return copy;
}

BlockChanges* Owner::own(BlockChanges* changes) noexcept {
  if (owns(*changes)) return changes;
  auto* copy = heap_->make<BlockChanges>(sizeof(BlockChanges), id_, *changes);
  copy->references = 1;
  for (std::size_t i = 0; i < copy->count; ++i) heap_->share(copy->entries[i]);
  heap_->let_go(changes);
  ++heap_->counts().changes;
  ++heap_->counts().copied;
  return copy;
}

Dentry* Owner::own(Dentry* dentry) noexcept {
  if (owns(*dentry)) return dentry;
  Dentry* const copy = copy_dentry(*dentry, dentry->name());
  heap_->let_go(dentry);
  return copy;
}

TreapNode* Owner::make_node(const Block& block, std::string_view separator, std::uint32_t priority) noexcept {
  auto* node = heap_->make<TreapNode>(sizeof(TreapNode), id_);
  node->priority = priority;
  node->separator = NameKey(separator);
  node->block = block;
  ++heap_->counts().nodes;
  return node;
}

BlockChanges* Owner::make_changes() noexcept {
  ++heap_->counts().changes;
  return heap_->make<BlockChanges>(sizeof(BlockChanges), id_);
}

BlockBase* Owner::make_base(std::size_t room) noexcept {
  auto* base = heap_->make<BlockBase>(BlockBase::bytes_for(room), id_);
  base->room_in_eights = static_cast<std::uint8_t>((room + 7) / 8);
  std::memset(base->prints(), 0, base->room());
  ++heap_->counts().bases;
  return base;
}

Dentry* Owner::make_dentry(FileType type, std::string_view name, std::size_t inline_bytes) noexcept {
  const std::size_t bytes = dentry_bytes(type, name.size(), inline_bytes);
  auto* dentry = heap_->make<Dentry>(bytes, id_);
  dentry->type = type;
  dentry->name_length = static_cast<std::uint8_t>(name.size());
  dentry->is_inline = inline_bytes != 0;
  if (type == FileType::directory) new (&dentry->directory()) DirectoryBody;
  if (!name.empty()) std::memcpy(const_cast<char*>(dentry->name_begin()), name.data(), name.size());
  ++heap_->counts().dentries;
  return dentry;
}

Dentry* Owner::copy_dentry(const Dentry& dentry, std::string_view name) noexcept {
  const std::size_t inline_bytes = dentry.is_inline ? dentry.size : 0;
  const std::size_t bytes = dentry_bytes(dentry.type, name.size(), inline_bytes);
  auto* copy = heap_->make<Dentry>(bytes, id_, dentry);
  copy->references = 1;
  copy->owner = id_;
  copy->name_length = static_cast<std::uint8_t>(name.size());
  heap_->share(copy->xattrs);
  if (!name.empty()) std::memcpy(const_cast<char*>(copy->name_begin()), name.data(), name.size());
  if (dentry.type == FileType::directory) {
    new (&copy->directory()) DirectoryBody(dentry.directory());
    heap_->share(copy->directory().treap);
  }
  std::memcpy(copy->inline_bytes(), dentry.inline_bytes(), inline_bytes);
  ++heap_->counts().dentries;
  ++heap_->counts().copied;
  return copy;
}

}  // namespace packfs::tree
