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
    const std::size_t bytes = part->bytes;
    switch (kind) {
      case Kind::node: {
        auto* const node = static_cast<TreapNode*>(part);
        let_go(node->left);
        let_go(node->right);
        let_go(node->block);
        --counts_.nodes;
        break;
      }
      case Kind::block: {
        auto* const block = static_cast<Block*>(part);
        let_go(block->base);
        for (std::size_t i = 0; i < block->count; ++i) let_go(block->entries[i]);
        --counts_.blocks;
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
    memory_.free(part, bytes);
  }
}

TreapNode* Owner::own(TreapNode* node) noexcept {
  if (owns(*node)) return node;
  auto* copy = heap_->make<TreapNode>(sizeof(TreapNode), id_, *node);
  copy->references = 1;
  heap_->share(copy->left);
  heap_->share(copy->right);
  heap_->share(copy->block);
  heap_->let_go(node);
  ++heap_->counts().nodes;
  ++heap_->counts().copied;
  return copy;
}

Block* Owner::own(Block* block) noexcept {
  if (owns(*block)) return block;
  auto* copy = heap_->make<Block>(sizeof(Block), id_, *block);
  copy->references = 1;
  heap_->share(copy->base);
  for (std::size_t i = 0; i < copy->count; ++i) heap_->share(copy->entries[i]);
  heap_->let_go(block);
  ++heap_->counts().blocks;
  ++heap_->counts().copied;
  return copy;
}

Dentry* Owner::own(Dentry* dentry) noexcept {
  if (owns(*dentry)) return dentry;
  Dentry* const copy = copy_dentry(*dentry, dentry->name());
  heap_->let_go(dentry);
  return copy;
}

TreapNode* Owner::make_node(Block* block, std::string_view separator, std::uint32_t priority) noexcept {
  auto* node = heap_->make<TreapNode>(sizeof(TreapNode), id_);
  node->priority = priority;
  node->separator_length = static_cast<std::uint8_t>(separator.size());
  if (!separator.empty()) {
    std::memcpy(node->separator.data(), separator.data(), std::min(separator.size(), TreapNode::kSeparatorRoom));
  }
  node->block = block;
  ++heap_->counts().nodes;
  return node;
}

Block* Owner::make_block() noexcept {
  ++heap_->counts().blocks;
  return heap_->make<Block>(sizeof(Block), id_);
}

BlockBase* Owner::make_base(std::size_t capacity) noexcept {
  // What the heap rounds up to serves as room.
  auto* base = heap_->make<BlockBase>(BlockBase::bytes_for(capacity), id_);
  base->capacity = static_cast<std::uint16_t>(capacity);
  std::memset(base->prints(), 0, (capacity + 7) / 8 * 8);
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
  copy->bytes = static_cast<std::uint32_t>(bytes);
  copy->owner = id_;
  copy->name_length = static_cast<std::uint8_t>(name.size());
  heap_->share(copy->xattrs);
  if (dentry.type == FileType::directory) {
    new (&copy->directory()) DirectoryBody(dentry.directory());
    heap_->share(copy->directory().treap);
  }
  if (!name.empty()) std::memcpy(const_cast<char*>(copy->name_begin()), name.data(), name.size());
  std::memcpy(copy->inline_bytes(), dentry.inline_bytes(), inline_bytes);
  ++heap_->counts().dentries;
  ++heap_->counts().copied;
  return copy;
}

}  // namespace packfs::tree
