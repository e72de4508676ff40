#include "stress/numbers.h"

#include <algorithm>
#include <string>

namespace packfs::stress {

Complaint Numbers::take(const Model& model, const ShownNumbers& shown) {
  // Owners first: what shares is looked up among them.
  for (const bool shares : {false, true}) {
    for (const auto& [id, number] : shown) {
      const ModelInode& inode = model.inode(id);
      if (inode.may_share_number_of.empty() == shares) continue;
      if (auto complaint = shares ? take_shared(inode, id, number) : take_own(id, number)) {
        return "inode number " + std::to_string(number) + " (" + std::to_string(static_cast<int>(inode.type)) + ", " +
               std::to_string(inode.bytes.size()) + " bytes): " + *complaint;
      }
      last_shown_[id] = number;
    }
  }
  return std::nullopt;
}

Complaint Numbers::take_own(ModelId id, std::uint64_t number) {
  const auto own = own_.find(id);
  if (own != own_.end()) {
    if (own->second == number) return std::nullopt;
    return "the same file had number " + std::to_string(own->second);
  }
  if (!owner_.try_emplace(number, id).second) return "is or was that of another file";
  own_[id] = number;
  return std::nullopt;
}

Complaint Numbers::take_shared(const ModelInode& inode, ModelId id, std::uint64_t number) {
  if (own_.contains(id)) return take_own(id, number);
  const auto last = last_shown_.find(id);
  if (last != last_shown_.end() && last->second == number) return std::nullopt;
  const bool is_origins = std::ranges::any_of(inode.may_share_number_of, [&](ModelId origin) {
    const auto own = own_.find(origin);
    return own != own_.end() && own->second == number;
  });
  if (last == last_shown_.end() && is_origins) return std::nullopt;
  return take_own(id, number);
}

}  // namespace packfs::stress
