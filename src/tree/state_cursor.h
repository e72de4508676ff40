#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "tree/state.h"
#include "tree/table.h"
#include "tree/treap.h"

namespace packfs::tree {

/// Merges what a directory of a state has itself with what its lower has. Borrows table and directory.
class StateCursor final : public Cursor {
 public:
  /// `lower`: the lower's cursor from the same name on, or null.
  StateCursor(const StateTable& table, const TreapNode* treap, std::string_view from, std::unique_ptr<Cursor> lower)
      : table_(table), upper_(treap, from), lower_(std::move(lower)) {}

  Result<std::size_t> next(std::span<Entry> entries) override;

 private:
  std::size_t next_own(std::span<Entry> entries);
  Result<std::size_t> next_merged(std::span<Entry> entries);
  /// False when the entry's inode is lost: `lost_` says so, and the listing ends there.
  bool give(const Dentry& name, Entry& entry);
  /// Fills pending_lower_, or finds that there is no more.
  Result<void> load_lower();

  const StateTable& table_;
  TreapCursor upper_;
  std::unique_ptr<Cursor> lower_;
  const Dentry* pending_upper_ = nullptr;
  bool upper_ended_ = false;
  Entry pending_lower_;
  bool has_lower_ = false;
  std::optional<Error> lost_;
};

}  // namespace packfs::tree
