#include <algorithm>
#include <cstring>
#include <utility>

#include "tree/edit.h"
#include "tree/linked_names.h"
#include "tree/xattr_blob.h"

// What stands at a place, copied so that it can be changed.
namespace packfs::tree {
namespace {

using content::Content;

/// A file of the lower as the content of one of the state.
class LowerFile final : public content::Backing {
 public:
  LowerFile(Ref<const Table> table, const Node& node, std::uint64_t size) noexcept
      : table_(std::move(table)), node_(node), size_(size) {}
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) const override {
    return table_->read(node_, offset, buffer);
  }
  [[nodiscard]] Result<std::span<const std::byte>> borrow() const override { return table_->borrow(node_); }
  [[nodiscard]] Result<Range> next_data(std::uint64_t offset) const override {
    const auto range = table_->next_data(node_, offset);
    if (!range) return std::unexpected(range.error());
    return Range{range->begin, range->end};
  }

 private:
  Ref<const Table> table_;
  Node node_;
  std::uint64_t size_;
};

void set_body_of(Dentry& inode, std::span<const std::byte> bytes, const Ref<const Content>& content,
                 std::uint64_t size) noexcept {
  inode.size = size;
  inode.content = content;
  inode.is_inline = !content && size != 0;
  if (inode.is_inline) std::memcpy(inode.inline_bytes(), bytes.data(), size);
}

}  // namespace

void Edit::stamp(Dentry& inode) const noexcept {
  inode.ctime = stamp_.now.seconds;
  inode.ctime_ns = stamp_.now.nanoseconds;
  inode.change_commit = stamp_.commit;
  if (inode.type == FileType::directory) inode.directory().subtree_commit = stamp_.commit;
}

void Edit::stamp_content(Dentry& inode) const noexcept {
  stamp(inode);
  inode.mtime = stamp_.now.seconds;
  inode.mtime_ns = stamp_.now.nanoseconds;
}

Dentry* Edit::new_inode(FileType type, std::string_view name, std::uint32_t mode, const Body& body) noexcept {
  Dentry* const inode = owner_.make_dentry(type, name, body.content ? 0 : body.size);
  inode->mode = mode;
  inode->uid = stamp_.uid;
  inode->gid = stamp_.gid;
  inode->inode = numbers_.inode++;
  if (type == FileType::regular || type == FileType::symlink) set_body_of(*inode, body.bytes, body.content, body.size);
  stamp_content(*inode);
  return inode;
}

/// The same inode under a name, with other bytes.
Dentry* Edit::with_body(const Dentry& inode, std::string_view name, const Body& body) noexcept {
  Dentry* const fresh = owner_.make_dentry(inode.type, name, body.content ? 0 : body.size);
  fresh->is_linked = inode.is_linked;
  fresh->shares_number = inode.shares_number;
  fresh->mode = inode.mode;
  fresh->uid = inode.uid;
  fresh->gid = inode.gid;
  fresh->mtime = inode.mtime;
  fresh->mtime_ns = inode.mtime_ns;
  fresh->ctime = inode.ctime;
  fresh->ctime_ns = inode.ctime_ns;
  fresh->inode = inode.inode;
  fresh->change_commit = inode.change_commit;
  fresh->family = inode.family;
  fresh->xattrs = inode.xattrs;
  owner_.heap().share(fresh->xattrs);
  set_body_of(*fresh, body.bytes, body.content, body.size);
  return fresh;
}

Dentry* Edit::linked_name(FileType type, std::string_view name, std::uint64_t id) noexcept {
  Dentry* const entry = owner_.make_dentry(type, name, 0);
  entry->is_linked = true;
  entry->link_id = id;
  return entry;
}

Result<Edit::Body> Edit::body_of(std::span<const std::byte> bytes) const {
  if (bytes.size() <= Dentry::kMaxInline) return Body{bytes, {}, bytes.size()};
  auto content = Content::copy_of(bytes);
  if (!content) return std::unexpected(std::move(content.error()));
  return Body{{}, std::move(*content), bytes.size()};
}

/// A file's bytes, wherever they lie.
Result<Ref<const Content>> Edit::content_of(const StateTable& table, const Node& file) {
  if (file.layer == 0) {
    const Dentry& inode = StateTable::dentry_of(file);
    if (inode.content) return inode.content;
    return Content::copy_of({inode.inline_bytes(), inode.is_inline ? inode.size : 0});
  }
  const auto size = table.lower()->size(file);
  if (!size) return std::unexpected(size.error());
  return Content::over(Ref<const content::Backing>(new LowerFile(table.lower(), file, *size)));
}

/// A file's content after `edit`; a short one lies in `scratch`.
Result<Edit::Body> Edit::edited(const StateTable& table, const Node& file, Scratch& scratch,
                                const ContentEdit& edit) const {
  const auto now = content_of(table, file);
  if (!now) return std::unexpected(now.error());
  auto content = edit(**now);
  if (!content) return std::unexpected(std::move(content.error()));
  const std::uint64_t size = (*content)->size();
  if (size > Dentry::kMaxInline) return Body{{}, std::move(*content), size};
  const auto read = (*content)->read(0, std::span(scratch).first(size));
  if (!read && keeps_damaged_ && read.error().code() == ErrorCode::corrupt) return Body{{}, std::move(*content), size};
  if (!read) return std::unexpected(read.error());
  return Body{std::span(scratch).first(size), {}, size};
}

/// A file's content as it is. A short one lies in `scratch`, unless it cannot be read: then it stays where it is, and
/// whoever reads it gets the error.
Result<Edit::Body> Edit::unedited(const Node& file, Scratch& scratch) const {
  auto content = content_of(table_, file);
  if (!content) return std::unexpected(std::move(content.error()));
  const std::uint64_t size = (*content)->size();
  const std::span<std::byte> bytes = std::span(scratch).first(std::min(size, scratch.size()));
  if (size == bytes.size() && (*content)->read(0, bytes)) return Body{bytes, {}, size};
  return Body{{}, std::move(*content), size};
}

/// A copy of an inode of the lower, as a Dentry of the state. Errors: the lower's; no_memory.
Result<Dentry*> Edit::from_lower(const Node& node, std::string_view name) {
  const Table& lower = *table_.lower();
  const auto stat = lower.stat(node);
  if (!stat) return std::unexpected(stat.error());
  Body body;
  Scratch scratch;
  std::string target;
  Totals below;
  if (stat->type == FileType::regular) {
    auto kept = unedited(node, scratch);
    if (!kept) return std::unexpected(std::move(kept.error()));
    body = std::move(*kept);
  } else if (stat->type == FileType::symlink) {
    auto read = lower.readlink(node);
    if (!read) return std::unexpected(std::move(read.error()));
    target = std::move(*read);
    auto made = body_of(std::as_bytes(std::span(target)));
    if (!made) return std::unexpected(std::move(made.error()));
    body = std::move(*made);
  } else if (stat->type == FileType::directory) {
    const auto totals = lower.totals(node);
    if (!totals) return std::unexpected(totals.error());
    below = *totals;
  }
  XattrBlob* xattrs = nullptr;
  if (stat->has_xattrs) {
    const auto all = lower.xattrs(node);
    if (!all) return std::unexpected(all.error());
    const auto blob = make_xattr_blob(owner_.heap(), *all);
    if (!blob) return std::unexpected(blob.error());
    xattrs = *blob;
  }

  Dentry* const inode = owner_.make_dentry(stat->type, name, body.content ? 0 : body.size);
  inode->mode = stat->mode;
  inode->uid = stat->uid;
  inode->gid = stat->gid;
  inode->mtime = stat->mtime.seconds;
  inode->mtime_ns = stat->mtime.nanoseconds;
  inode->ctime = stat->ctime.seconds;
  inode->ctime_ns = stat->ctime.nanoseconds;
  inode->inode = stat->inode;
  inode->change_commit = stat->change_commit;
  inode->xattrs = xattrs;
  if (stat->type == FileType::regular || stat->type == FileType::symlink) {
    set_body_of(*inode, body.bytes, body.content, body.size);
  } else if (stat->type == FileType::directory) {
    DirectoryBody& directory = inode->directory();
    directory.lower = node;
    directory.lower.layer = 0;  // the lower's own Node
    directory.subdirectories = stat->nlink - 2;
    directory.below = below;
  } else {
    inode->device = std::uint64_t{stat->device_major} << 32 | stat->device_minor;
  }
  return inode;
}

/// The inode at a place, found or not in the state, with other bytes when `body` is given. Of a linked one: as it will
/// stand in the link table.
Result<Dentry*> Edit::inode_copy(const Place& place, const Body* body) {
  const auto id = link_id(place);
  if (!id) return std::unexpected(id.error());
  if (*id != 0) {
    if (auto ensured = ensure_link(place.node, *id); !ensured) return std::unexpected(std::move(ensured.error()));
    const Dentry& inode = *table_.find_link(*id);
    return body != nullptr ? with_body(inode, inode.name(), *body) : owner_.copy_dentry(inode, inode.name());
  }
  if (place.node.layer == 0) {
    const Dentry& inode = StateTable::dentry_of(place.node);
    return body != nullptr ? with_body(inode, place.name, *body) : owner_.copy_dentry(inode, place.name);
  }
  const auto copy = from_lower(place.node, place.name);
  if (!copy || body == nullptr) return copy;
  Dentry* const fresh = with_body(**copy, place.name, *body);
  owner_.heap().let_go(*copy);
  return fresh;
}

/// The entry at a place under another name, which shares all that is below.
Result<Dentry*> Edit::name_copy(const Place& place, std::string_view name) {
  const auto id = link_id(place);
  if (!id) return std::unexpected(id.error());
  if (*id != 0) {
    if (auto ensured = ensure_link(place.node, *id); !ensured) return std::unexpected(std::move(ensured.error()));
    return linked_name(place.node.type, name, *id);
  }
  if (place.node.layer != 0) return from_lower(place.node, name);
  return owner_.copy_dentry(StateTable::dentry_of(place.node), name);
}

/// Puts a changed inode_copy() in the place of what it was copied from; takes over its reference.
Result<void> Edit::change_inode(Place& place, Dentry* inode) {
  PartHeap& heap = owner_.heap();
  // Once more: bringing in a link may have used what was reserved.
  if (!reserve({&place}, inode->is_linked ? 2 * edit_bytes() : 0)) {
    heap.let_go(inode);
    return std::unexpected(Error(ErrorCode::no_memory));
  }
  if (inode->is_linked) {
    put_link(inode);
    return {};
  }
  Delta delta;
  if (inode->type == FileType::regular) {
    const auto before = table_.size(place.node);
    if (!before) {
      heap.let_go(inode);
      return std::unexpected(before.error());
    }
    delta.bytes = inode->size - *before;
    delta.released = *before;
  }
  delta.released += xattr_bytes(place.node);
  if (place.is_root) {
    heap.let_go(std::exchange(table_.working().root, inode));
    return {};
  }
  Dentry* const parent = own_chain(place, delta);
  touch(*inode, *parent);
  put_in_treap(owner_, parent->directory().treap, inode, place.hash);
  return {};
}

/// What an inode of the state has besides its content.
std::uint64_t Edit::xattr_bytes(const Node& node) noexcept {
  if (node.layer != 0) return 0;
  const XattrBlob* const xattrs = StateTable::dentry_of(node).xattrs;
  return xattrs != nullptr ? xattrs->length : 0;
}

/// What the entry at a place adds to the sums of the directories above it.
Result<Edit::Delta> Edit::weight(const Place& place) const {
  Delta delta{.entries = 1, .names_changed = true};
  if (place.node.type == FileType::directory) {
    const auto below = stored_totals(table_, place.node);
    if (!below) return std::unexpected(below.error());
    delta.entries += below->entries;
    delta.bytes = below->bytes;
    delta.linked_names = below->linked_names;
    delta.subdirectories = 1;
    delta.released = kWholeTree;
    return delta;
  }
  delta.released = xattr_bytes(place.node);
  std::uint64_t bytes = 0;
  if (place.node.type == FileType::regular) {
    const auto size = table_.size(place.node);
    if (!size) return std::unexpected(size.error());
    bytes = *size;
  }
  const auto id = link_id(place);
  if (!id) return std::unexpected(id.error());
  if (*id != 0) {
    delta.linked_names = 1;
    bytes = stored_link_bytes(table_, *id, bytes);
  }
  delta.bytes = bytes;
  return delta;
}

}  // namespace packfs::tree
