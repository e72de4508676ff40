#include "tree/state.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "tree/detached_file.h"
#include "tree/linked_names.h"
#include "tree/owner.h"
#include "tree/state_cursor.h"
#include "tree/xattr_blob.h"

namespace packfs::tree {

LinkKey::LinkKey(std::uint64_t id) noexcept : bytes_{} {
  const std::uint64_t ordered = std::byteswap(id);
  std::memcpy(bytes_.data(), &ordered, sizeof(ordered));
}

std::uint64_t LinkKey::id_of(const Dentry& inode) noexcept {
  std::uint64_t id = 0;
  std::memcpy(&id, inode.name_begin(), sizeof(id));
  return std::byteswap(id);
}

Stat stat_of(const Dentry& inode) noexcept {
  Stat stat;
  stat.type = inode.type;
  stat.mode = inode.mode;
  stat.uid = inode.uid;
  stat.gid = inode.gid;
  stat.inode = inode.inode;
  stat.mtime = {inode.mtime, inode.mtime_ns};
  stat.ctime = {inode.ctime, inode.ctime_ns};
  stat.change_commit = inode.change_commit;
  stat.has_xattrs = inode.xattrs != nullptr;
  if (inode.type == FileType::regular || inode.type == FileType::symlink) stat.size = inode.size;
  if (inode.type == FileType::character_device || inode.type == FileType::block_device) {
    stat.device_major = static_cast<std::uint32_t>(inode.device >> 32);
    stat.device_minor = static_cast<std::uint32_t>(inode.device);
  }
  if (inode.type == FileType::directory) {
    stat.nlink = 2 + inode.directory().subdirectories;
  } else if (inode.is_linked) {
    stat.nlink = inode.links;
    stat.link_id = inode.links > 1 ? LinkKey::id_of(inode) : 0;
  }
  return stat;
}

StateTable::StateTable(const PartHeap& heap, Ref<const Table> lower, const State& state) noexcept
    : state_(state), heap_(heap), lower_(std::move(lower)) {}

const Dentry* StateTable::find_link(std::uint64_t link_id) const noexcept {
  if (state_.links == nullptr) return nullptr;
  const LinkKey key(link_id);
  return find_in_treap(state_.links, key.name(), heap_.hash(key.name()));
}

Result<Node> StateTable::inode_of(const Dentry& name) const {
  if (!name.is_linked) [[likely]] {
    return node_of(name);
  }
  if (const Dentry* const inode = find_link(name.link_id)) return node_of(*inode);
  return std::unexpected(Error(ErrorCode::corrupt).with_note("a file with more names than its pack says"));
}

const Dentry* StateTable::find_own(const Dentry& directory, std::string_view name, std::uint64_t hash) const noexcept {
  return find_in_treap(directory.directory().treap, name, hash);
}

Result<std::uint64_t> StateTable::lower_link_id(const Node& node) const {
  if (node.type == FileType::directory) return 0;
  const auto stat = lower_->stat(node);
  if (!stat) return std::unexpected(stat.error());
  return stat->link_id;
}

Result<Node> StateTable::through_links(Node lower_node) const {
  if (state_.links == nullptr) return lower_node;
  const auto id = lower_link_id(lower_node);
  if (!id) return std::unexpected(id.error());
  const Dentry* const inode = *id != 0 ? find_link(*id) : nullptr;
  return inode != nullptr ? node_of(*inode) : lower_node;
}

Result<Node> StateTable::find_lower(const Node& lower_directory, std::string_view name) const {
  auto found = lower_->find(lower_directory, name);
  if (found) found->layer = 1;
  return found;
}

std::uint64_t StateTable::origin() const noexcept { return lower_ ? lower_->origin() : heap_.origin(); }

Result<Node> StateTable::root() const { return node_of(*state_.root); }

Result<Node> StateTable::find(const Node& directory, std::string_view name) const {
  const Node* lower = &directory;
  if (directory.layer == 0) {
    const DirectoryBody& body = dentry_of(directory).directory();
    if (body.treap != nullptr) {
      if (const Dentry* const own = find_in_treap(body.treap, name, heap_.hash(name))) {
        if (own->is_whiteout()) return std::unexpected(Error(ErrorCode::no_entry));
        return inode_of(*own);
      }
    }
    if (body.lower.type == FileType::none) return std::unexpected(Error(ErrorCode::no_entry));
    lower = &body.lower;
  }
  auto found = find_lower(*lower, name);
  if (!found) return found;
  return through_links(*found);
}

Result<std::unique_ptr<Cursor>> StateTable::list(const Node& directory, std::string_view from) const {
  const TreapNode* treap = nullptr;
  const Node* lower = &directory;
  if (directory.layer == 0) {
    const DirectoryBody& body = dentry_of(directory).directory();
    treap = body.treap;
    lower = body.lower.type != FileType::none ? &body.lower : nullptr;
  }
  std::unique_ptr<Cursor> below;
  if (lower != nullptr) {
    auto cursor = lower_->list(*lower, from);
    if (!cursor) return cursor;
    below = std::move(*cursor);
  }
  return std::make_unique<StateCursor>(*this, treap, from, std::move(below));
}

Result<Stat> StateTable::stat(const Node& node) const {
  if (node.layer == 0) return stat_of(dentry_of(node));
  return lower_->stat(node);
}

Result<Totals> StateTable::totals(const Node& directory) const {
  auto totals = stored_totals(*this, directory);
  if (!totals || totals->linked_names == 0 || state_.links == nullptr) return totals;
  // Linked names are counted as they are now: a change of one counts under all its names, wherever those are.
  std::uint64_t names = 0;
  auto walked = for_each_linked(*this, directory, [&](const LinkedName& linked) -> Result<void> {
    const auto now = stat(linked.node);
    if (!now) return std::unexpected(now.error());
    if (now->type == FileType::regular) totals->bytes += now->size - stored_link_bytes(*this, linked.id, now->size);
    if (now->nlink > 1) ++names;
    return {};
  });
  if (!walked) return std::unexpected(std::move(walked.error()));
  totals->linked_names = names;
  return totals;
}

Result<Totals> stored_totals(const StateTable& table, const Node& directory) {
  if (directory.layer == 0) return StateTable::dentry_of(directory).directory().below;
  return table.lower()->totals(directory);
}

Result<std::vector<Xattr>> StateTable::xattrs(const Node& node) const {
  if (node.layer == 0) return xattrs_of(dentry_of(node).xattrs);
  return lower_->xattrs(node);
}

Result<std::string> StateTable::readlink(const Node& symlink) const {
  if (symlink.layer != 0) return lower_->readlink(symlink);
  std::string target(dentry_of(symlink).size, '\0');
  const auto filled = read(symlink, 0, std::as_writable_bytes(std::span(target)));
  if (!filled) return std::unexpected(filled.error());
  return target;
}

Result<std::uint64_t> StateTable::size(const Node& file) const {
  if (file.layer == 0) return dentry_of(file).size;
  return lower_->size(file);
}

Result<std::size_t> StateTable::read(const Node& file, std::uint64_t offset, std::span<std::byte> buffer) const {
  if (file.layer != 0) return lower_->read(file, offset, buffer);
  const Dentry& inode = dentry_of(file);
  if (offset >= inode.size || buffer.empty()) return 0;
  if (inode.is_inline) [[likely]] {
    const std::size_t count = std::min<std::uint64_t>(inode.size - offset, buffer.size());
    std::memcpy(buffer.data(), inode.inline_bytes() + offset, count);
    return count;
  }
  return inode.content->read(offset, buffer);
}

Result<std::span<const std::byte>> StateTable::borrow(const Node& file) const {
  if (file.layer != 0) return lower_->borrow(file);
  const Dentry& inode = dentry_of(file);
  if (inode.size == 0) return std::span<const std::byte>();
  if (inode.is_inline) return std::span(inode.inline_bytes(), inode.size);
  return inode.content->borrow();
}

Result<Table::Range> StateTable::next_data(const Node& file, std::uint64_t offset) const {
  if (file.layer != 0) return lower_->next_data(file, offset);
  const Dentry& inode = dentry_of(file);
  if (offset >= inode.size) return Range{inode.size, inode.size};
  if (inode.is_inline) return Range{offset, inode.size};
  const auto range = inode.content->next_data(offset);
  if (!range) return std::unexpected(range.error());
  return Range{range->begin, range->end};
}

Result<File> StateTable::open(const Node& file) const {
  if (file.layer != 0) return lower_->open(file);
  const Dentry& inode = dentry_of(file);
  Ref<const content::Content> content = inode.content;
  if (inode.is_inline) {
    auto copy = content::Content::copy_of({inode.inline_bytes(), inode.size});
    if (!copy) return std::unexpected(std::move(copy.error()));
    content = std::move(*copy);
  }
  Ref<const Table> alone(new DetachedFile(stat_of(inode), xattrs_of(inode.xattrs), std::move(content)));
  return File(std::move(alone), Node{.type = FileType::regular}, inode.size);
}

}  // namespace packfs::tree
