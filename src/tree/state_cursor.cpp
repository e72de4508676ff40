#include "tree/state_cursor.h"

#include <algorithm>
#include <array>

namespace packfs::tree {

bool StateCursor::give(const Dentry& name, Entry& entry) {
  if (!name.is_linked) [[likely]] {
    entry = {&table_, name.name(), StateTable::node_of(name)};
    return true;
  }
  const auto inode = table_.inode_of(name);
  if (inode) {
    entry = {&table_, name.name(), *inode};
  } else {
    lost_ = inode.error();
  }
  return inode.has_value();
}

Result<std::size_t> StateCursor::next(std::span<Entry> entries) {
  if (!lost_) {
    const auto filled = lower_ == nullptr ? Result<std::size_t>(next_own(entries)) : next_merged(entries);
    if (!lost_ || !filled || *filled != 0) return filled;
  }
  return std::unexpected(*lost_);
}

std::size_t StateCursor::next_own(std::span<Entry> entries) {
  std::size_t filled = 0;
  // Pointers first, so that the dentries come from memory together and not one after another.
  std::array<const Dentry*, 64> batch;
  while (filled == 0) {
    std::size_t count = 0;
    while (count < std::min(entries.size(), batch.size())) {
      const Dentry* const found = upper_.next();
      if (found == nullptr) break;
      __builtin_prefetch(found);
      __builtin_prefetch(reinterpret_cast<const std::byte*>(found) + 64);
      batch[count++] = found;
    }
    if (count == 0) break;
    for (std::size_t i = 0; i < count; ++i) {
      if (batch[i]->is_whiteout()) continue;
      if (!give(*batch[i], entries[filled])) return filled;
      ++filled;
    }
  }
  return filled;
}

Result<void> StateCursor::load_lower() {
  if (has_lower_ || lower_ == nullptr) return {};
  const auto count = lower_->next({&pending_lower_, 1});
  if (!count) return std::unexpected(count.error());
  if (*count == 0) {
    lower_.reset();
  } else {
    has_lower_ = true;
  }
  return {};
}

Result<std::size_t> StateCursor::next_merged(std::span<Entry> entries) {
  std::size_t filled = 0;
  while (filled < entries.size()) {
    if (pending_upper_ == nullptr && !upper_ended_) {
      pending_upper_ = upper_.next();
      upper_ended_ = pending_upper_ == nullptr;
    }
    if (auto loaded = load_lower(); !loaded) {
      // What was found so far is given first; the error comes with the next call, which meets it again.
      if (filled != 0) break;
      return std::unexpected(std::move(loaded.error()));
    }
    if (!has_lower_ && upper_ended_) break;
    if (!upper_ended_ && (!has_lower_ || pending_upper_->name() <= pending_lower_.name())) {
      if (has_lower_ && pending_upper_->name() == pending_lower_.name()) has_lower_ = false;
      if (!pending_upper_->is_whiteout()) {
        if (!give(*pending_upper_, entries[filled])) return filled;
        ++filled;
      }
      pending_upper_ = nullptr;
      continue;
    }
    Node node = pending_lower_.node();
    node.layer = 1;
    const auto seen = table_.through_links(node);
    if (!seen) {
      if (filled != 0) break;
      return std::unexpected(seen.error());
    }
    entries[filled++] = Entry(&table_, pending_lower_.name(), *seen);
    has_lower_ = false;
  }
  return filled;
}

}  // namespace packfs::tree
