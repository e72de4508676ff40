#include <algorithm>
#include <utility>

#include "tree/edit.h"
#include "tree/linked_names.h"

// How a change at a place reaches the root: every directory on the way is made the edit's own.
namespace packfs::tree {
namespace {

/// What an edit replaces in one directory, in bytes, contents not counted.
constexpr std::uint64_t kPartsOfAnEdit = 256;

}  // namespace

/// Memory for the edits at these places and for as many new dentries as they may need, besides `further_bytes`.
bool Edit::reserve(std::initializer_list<const Place*> places, std::size_t further_bytes) noexcept {
  constexpr std::size_t kLargestDentry = dentry_bytes(FileType::regular, 255, Dentry::kMaxInline);
  std::size_t bytes = further_bytes;
  for (const Place* place : places) {
    bytes += edit_bytes(place->cost) + 6 * kLargestDentry;
    for (std::size_t i = 0; i < place->chain.size(); ++i) {
      bytes += place->chain[i].cost + 2 * kLargestDentry;
    }
  }
  return owner_.heap().memory().reserve(bytes);
}

/// Everything that can fail before the chain is owned. Errors: no_memory; the lower's.
Result<void> Edit::prepare(Place& place, std::size_t further_bytes) {
  if (!reserve({&place}, further_bytes)) return std::unexpected(Error(ErrorCode::no_memory));
  for (std::size_t i = 1; i < place.chain.size(); ++i) {
    PlaceStep& step = place.chain[i];
    if (step.node.layer == 0 || step.copy != nullptr) continue;
    auto copy = from_lower(step.node, step.name);
    if (!copy) return std::unexpected(std::move(copy.error()));
    step.copy = *copy;
  }
  return {};
}

/// A directory of the state that is shared with a clone's origin comes to be changed below: what is in it is then no
/// longer of its family.
void Edit::enter(Dentry& directory, const Dentry& parent) const noexcept {
  const std::uint64_t family = parent.directory().children_family;
  if (directory.family != family) directory.directory().children_family = family;
}

/// The entry itself is changed: it takes a number of its own, if it was shared with a clone's origin.
void Edit::touch(Dentry& entry, const Dentry& parent) noexcept {
  const std::uint64_t family = parent.directory().children_family;
  if (entry.is_linked || (entry.family == family && !entry.shares_number)) return;
  if (entry.type == FileType::directory) enter(entry, parent);
  entry.inode = numbers_.inode++;
  entry.family = family;
  entry.shares_number = false;
}

/// Makes the directories of a place the edit's own and adds `delta` to them; the last of them.
Dentry* Edit::own_chain(Place& place, const Delta& delta) noexcept {
  PartHeap& heap = owner_.heap();
  State& state = table_.working();
  const std::uint64_t churn = kPartsOfAnEdit + std::min(delta.bytes, -delta.bytes) + delta.released;
  Dentry* directory = state.root = owner_.own(state.root);
  Dentry* above = nullptr;
  for (std::size_t i = 0;;) {
    DirectoryBody& body = directory->directory();
    body.below.entries += delta.entries;
    body.below.bytes += delta.bytes;
    body.below.linked_names += delta.linked_names;
    body.subtree_commit = stamp_.commit;
    body.churn += churn;
    if (++i == place.chain.size()) break;
    above = directory;
    PlaceStep& step = place.chain[i];
    Dentry* const copy = std::exchange(step.copy, nullptr);
    if (copy != nullptr && find_in_treap(body.treap, step.name, step.hash) == nullptr) {
      put_in_treap(owner_, body.treap, copy, step.hash);
      directory = copy;
    } else {
      heap.let_go(copy);  // another place's edit has put it there before
      directory = own_in_treap(owner_, body.treap, step.name, step.hash, churn);
    }
    enter(*directory, *above);
  }
  DirectoryBody& body = directory->directory();
  body.subdirectories += delta.subdirectories;
  if (delta.names_changed) {
    if (above != nullptr) touch(*directory, *above);
    directory->mtime = directory->ctime = stamp_.now.seconds;
    directory->mtime_ns = directory->ctime_ns = stamp_.now.nanoseconds;
    directory->change_commit = stamp_.commit;
  }
  return directory;
}

/// Puts an entry under the place's name; takes over its reference. It belongs to the directory's family from now on.
void Edit::put(Place& place, Dentry* entry, const Delta& delta) noexcept {
  Dentry* const parent = own_chain(place, delta);
  put_in_treap(owner_, parent->directory().treap, entry, place.hash);
}

/// Removes the place's name.
void Edit::take_away(Place& place, const Delta& delta) noexcept {
  Dentry* const parent = own_chain(place, delta);
  TreapNode*& treap = parent->directory().treap;
  if (place.lower_has) {
    put_in_treap(owner_, treap, owner_.make_dentry(FileType::none, place.name, 0), place.hash);
  } else {
    remove_from_treap(owner_, treap, place.name, place.hash);
  }
}

/// Puts an inode into the link table, in the place of the one that was there; takes over its reference.
void Edit::put_link(Dentry* inode) noexcept {
  put_in_treap(owner_, table_.working().links, inode, owner_.heap().hash(inode->name()));
}

}  // namespace packfs::tree
