#pragma once

#include "tree/edit.h"

namespace packfs::tree {

/// Puts a state back as it was, unless what follows comes to its end: for edits in several steps that can fail between
/// them.
class Edit::Rollback {
 public:
  explicit Rollback(Edit& edit) noexcept : edit_(edit), before_(edit.table_.working()) {
    PartHeap& heap = edit_.owner_.heap();
    heap.share(before_.root);
    heap.share(before_.links);
    // What is held for this is no longer changed in place.
    edit_.renew_owner();
  }
  Rollback(const Rollback&) = delete;
  Rollback& operator=(const Rollback&) = delete;
  ~Rollback() {
    if (!kept_) std::swap(before_, edit_.table_.working());
    PartHeap& heap = edit_.owner_.heap();
    heap.let_go(before_.root);
    heap.let_go(before_.links);
  }
  void keep() noexcept { kept_ = true; }

 private:
  Edit& edit_;
  State before_;
  bool kept_ = false;
};

}  // namespace packfs::tree
