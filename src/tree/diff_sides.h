#pragma once

#include "tree/linked_names.h"
#include "tree/state.h"

namespace packfs::tree {

/// Two tables, and what is known of both without looking.
class Sides {
 public:
  Sides(const Table& a, const Table& b)
      : a_(a), b_(b), state_a_(dynamic_cast<const StateTable*>(&a)), state_b_(dynamic_cast<const StateTable*>(&b)) {
    is_one_volume_ = state_a_ != nullptr && state_b_ != nullptr && &state_a_->heap() == &state_b_->heap();
    numbers_agree_ = is_one_volume_ || &a == &b || (a.origin() != 0 && a.origin() == b.origin());
    links_agree_ = is_one_volume_ && state_a_->state().links == state_b_->state().links;
  }

  [[nodiscard]] const Table& a() const noexcept { return a_; }
  [[nodiscard]] const Table& b() const noexcept { return b_; }

  /// Whether an inode number means the same entry in both.
  [[nodiscard]] bool numbers_agree() const noexcept { return numbers_agree_; }

  /// The same entry with the same in it, known from where it lies.
  [[nodiscard]] bool is_identical(const Node& a, const Node& b) const {
    if (a.type != b.type || a.layer != b.layer || a.entry != b.entry || a.directory != b.directory) return false;
    if (&a_ == &b_) return true;
    if (!is_one_volume_) return false;
    return a.type != FileType::directory || links_agree_ || has_no_links(a);
  }

  /// What is in two directories differs at most where their treaps do.
  [[nodiscard]] bool differ_in_treaps(const Node& a, const Node& b) const {
    if (!is_one_volume_ || a.layer != 0 || b.layer != 0) return false;
    const Node& lower_a = body(a).lower;
    const Node& lower_b = body(b).lower;
    const bool one_lower =
        lower_a.type == lower_b.type && lower_a.entry == lower_b.entry && lower_a.directory == lower_b.directory;
    return one_lower && (links_agree_ || (has_no_links(a) && has_no_links(b)));
  }

  [[nodiscard]] static const DirectoryBody& body(const Node& directory) noexcept {
    return StateTable::dentry_of(directory).directory();
  }

 private:
  [[nodiscard]] bool has_no_links(const Node& directory) const {
    const auto totals = stored_totals(*state_a_, directory);
    return totals && totals->linked_names == 0;
  }

  const Table& a_;
  const Table& b_;
  const StateTable* state_a_;
  const StateTable* state_b_;
  bool is_one_volume_ = false;
  bool numbers_agree_ = false;
  bool links_agree_ = false;
};

}  // namespace packfs::tree
