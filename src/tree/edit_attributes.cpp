#include <algorithm>
#include <utility>

#include "tree/edit.h"
#include "tree/xattr_blob.h"

// What an inode says of itself.
namespace packfs::tree {
namespace {

constexpr std::uint32_t kSetIdBits = 06000;
constexpr std::size_t kMaxXattrName = 255;
constexpr std::size_t kMaxXattrValue = std::size_t{64} << 10;

bool is_xattr_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= kMaxXattrName && !name.contains('\0');
}

}  // namespace

/// The extended attributes of what is to be made, checked with all the others; nothing when none are given.
Result<Holder<XattrBlob>> Edit::xattrs_given(const Attributes* attributes) const {
  PartHeap& heap = owner_.heap();
  if (attributes == nullptr) return Holder<XattrBlob>(heap, nullptr);
  std::vector<Xattr> sorted = attributes->xattrs;
  std::ranges::sort(sorted, {}, &Xattr::name);
  const bool are_good = std::ranges::all_of(
      sorted, [](const Xattr& xattr) { return is_xattr_name(xattr.name) && xattr.value.size() <= kMaxXattrValue; });
  const bool is_double = std::ranges::adjacent_find(sorted, {}, &Xattr::name) != sorted.end();
  if (attributes->mode > kModeBits || attributes->uid == UINT32_MAX || attributes->gid == UINT32_MAX ||
      attributes->mtime.nanoseconds > 999'999'999 || !are_good || is_double) {
    return std::unexpected(Error(ErrorCode::invalid));
  }
  const auto blob = make_xattr_blob(heap, sorted);
  if (!blob) return std::unexpected(blob.error());
  return Holder(heap, *blob);
}

/// Does nothing when none are given.
void Edit::give(Dentry& inode, const Attributes* attributes, Holder<XattrBlob>& xattrs) const noexcept {
  if (attributes == nullptr) return;
  inode.mode = attributes->mode;
  inode.uid = attributes->uid;
  inode.gid = attributes->gid;
  inode.mtime = attributes->mtime.seconds;
  inode.mtime_ns = attributes->mtime.nanoseconds;
  owner_.heap().let_go(std::exchange(inode.xattrs, xattrs.release()));
}

Result<void> Edit::set_attributes(std::string_view path, const Attributes& attributes) {
  auto xattrs = xattrs_given(&attributes);
  if (!xattrs) return std::unexpected(std::move(xattrs.error()));
  return change_attributes(path, Last::kept, [&](Dentry& inode) { give(inode, &attributes, *xattrs); });
}

Result<void> Edit::change_attributes(std::string_view path, Last last, const AttributeEdit& change) {
  auto place = locate(path, last);
  if (!place) return std::unexpected(std::move(place.error()));
  if (!place->found) return std::unexpected(Error(ErrorCode::no_entry));
  if (place->slash && place->node.type != FileType::directory) {
    return std::unexpected(Error(ErrorCode::not_a_directory));
  }
  if (auto prepared = prepare(*place, 2 * edit_bytes(place->cost)); !prepared) return prepared;
  const auto inode = inode_copy(*place, nullptr);
  if (!inode) return std::unexpected(inode.error());
  change(**inode);
  stamp(**inode);
  return change_inode(*place, *inode);
}

Result<void> Edit::chmod(std::string_view path, std::uint32_t mode) {
  if (mode > kModeBits) return std::unexpected(Error(ErrorCode::invalid));
  return change_attributes(path, Last::followed, [=](Dentry& inode) { inode.mode = mode; });
}

Result<void> Edit::chown(std::string_view path, std::uint32_t uid, std::uint32_t gid, LastLink last) {
  return change_attributes(path, last == LastLink::followed ? Last::followed : Last::kept, [=](Dentry& inode) {
    if (uid != UINT32_MAX) inode.uid = uid;
    if (gid != UINT32_MAX) inode.gid = gid;
    if (inode.type != FileType::directory) inode.mode &= ~kSetIdBits;
  });
}

Result<void> Edit::set_mtime(std::string_view path, const Time& mtime, LastLink last) {
  if (mtime.nanoseconds > 999'999'999) return std::unexpected(Error(ErrorCode::invalid));
  return change_attributes(path, last == LastLink::followed ? Last::followed : Last::kept, [=](Dentry& inode) {
    inode.mtime = mtime.seconds;
    inode.mtime_ns = mtime.nanoseconds;
  });
}

Result<void> Edit::change_xattrs(std::string_view path, const XattrEdit& change) {
  const auto place = locate(path, Last::kept);
  if (!place) return std::unexpected(place.error());
  if (!place->found) return std::unexpected(Error(ErrorCode::no_entry));
  if (place->slash && place->node.type != FileType::directory) {
    return std::unexpected(Error(ErrorCode::not_a_directory));
  }
  auto all = table_.xattrs(place->node);
  if (!all) return std::unexpected(std::move(all.error()));
  if (auto changed = change(*all); !changed) return changed;
  PartHeap& heap = owner_.heap();
  const auto blob = make_xattr_blob(heap, *all);
  if (!blob) return std::unexpected(blob.error());
  Holder held(heap, *blob);
  return change_attributes(path, Last::kept,
                           [&](Dentry& inode) { heap.let_go(std::exchange(inode.xattrs, held.release())); });
}

Result<void> Edit::set_xattr(std::string_view path, std::string_view name, std::span<const std::byte> value,
                             XattrMode mode) {
  if (!is_xattr_name(name) || value.size() > kMaxXattrValue) return std::unexpected(Error(ErrorCode::invalid));
  return change_xattrs(path, [&](std::vector<Xattr>& all) -> Result<void> {
    const auto at = std::ranges::lower_bound(all, name, {}, &Xattr::name);
    const bool found = at != all.end() && at->name == name;
    if (found && mode == XattrMode::create) return std::unexpected(Error(ErrorCode::exists));
    if (!found && mode == XattrMode::replace) return std::unexpected(Error(ErrorCode::no_data));
    std::vector<std::byte> bytes(value.begin(), value.end());
    if (found) {
      at->value = std::move(bytes);
    } else {
      all.insert(at, {std::string(name), std::move(bytes)});
    }
    return {};
  });
}

Result<void> Edit::remove_xattr(std::string_view path, std::string_view name) {
  if (!is_xattr_name(name)) return std::unexpected(Error(ErrorCode::invalid));
  return change_xattrs(path, [&](std::vector<Xattr>& all) -> Result<void> {
    if (std::erase_if(all, [&](const Xattr& xattr) { return xattr.name == name; }) == 0) {
      return std::unexpected(Error(ErrorCode::no_data));
    }
    return {};
  });
}

}  // namespace packfs::tree
