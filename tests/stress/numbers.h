#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "stress/compare.h"
#include "stress/model.h"

namespace packfs::stress {

/// Which inode number belongs to which file, as seen so far. A file keeps its number for ever and no other file ever
/// has it, but for a clone's side that did not change: it may show its origin's, and go over to one of its own at any
/// time. A value: going back to a copy forgets what a dropped transaction gave.
class Numbers {
 public:
  /// Takes what one state of the tree shows, later than all states taken before.
  Complaint take(const Model& model, const ShownNumbers& shown);

 private:
  Complaint take_own(ModelId id, std::uint64_t number);
  Complaint take_shared(const ModelInode& inode, ModelId id, std::uint64_t number);

  std::unordered_map<ModelId, std::uint64_t> own_;
  std::unordered_map<std::uint64_t, ModelId> owner_;
  std::unordered_map<ModelId, std::uint64_t> last_shown_;
};

}  // namespace packfs::stress
