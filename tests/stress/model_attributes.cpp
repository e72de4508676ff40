#include <cstdint>

#include "stress/model.h"

namespace packfs::stress {

namespace {

constexpr std::uint32_t kSetIds = 06000;
constexpr std::uint32_t kSticky = 01000;
constexpr std::size_t kMaxXattrName = 255;
constexpr std::size_t kMaxXattrValue = std::size_t{64} * 1024;

bool is_xattr_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxXattrName && !name.contains('\0');
}

}  // namespace

Done Model::chmod(std::string_view path, std::uint32_t mode) {
  if (mode > kModeBits) return std::unexpected(ErrorCode::invalid);
  const auto id = look_up(path, LastLink::followed);
  if (!id) return std::unexpected(id.error());
  at(*id).mode = fault_ == Fault::chmod_forgets_sticky_bit ? mode & ~kSticky : mode;
  change_attributes(*id);
  return {};
}

/// chown(2): the set-id bits go even when neither owner nor group is given (Linux), those of directories stay.
Done Model::chown(std::string_view path, std::uint32_t uid, std::uint32_t gid, LastLink last) {
  const auto id = look_up(path, last);
  if (!id) return std::unexpected(id.error());
  ModelInode& inode = at(*id);
  if (uid != UINT32_MAX) inode.uid = uid;
  if (gid != UINT32_MAX) inode.gid = gid;
  if (inode.type != FileType::directory) inode.mode &= ~kSetIds;
  change_attributes(*id);
  return {};
}

/// utimensat(2).
Done Model::set_mtime(std::string_view path, const Time& mtime, LastLink last) {
  if (mtime.nanoseconds > 999'999'999) return std::unexpected(ErrorCode::invalid);
  const auto id = look_up(path, last);
  if (!id) return std::unexpected(id.error());
  change_attributes(*id);
  at(*id).mtime = {mtime, at(*id).touched};
  return {};
}

/// lsetxattr(2), any namespace; what the name and value must be is checked before the path, as there.
Done Model::set_xattr(std::string_view path, std::string_view name, std::string_view value, XattrMode mode) {
  if (!is_xattr_name(name) || value.size() > kMaxXattrValue) return std::unexpected(ErrorCode::invalid);
  const auto id = look_up(path, LastLink::kept);
  if (!id) return std::unexpected(id.error());
  const bool is_there = inode(*id).xattrs.contains(std::string(name));
  if (mode == XattrMode::create && is_there) return std::unexpected(ErrorCode::exists);
  if (mode == XattrMode::replace && !is_there) return std::unexpected(ErrorCode::no_data);
  at(*id).xattrs[std::string(name)] = value;
  change_attributes(*id);
  return {};
}

Done Model::remove_xattr(std::string_view path, std::string_view name) {
  if (!is_xattr_name(name)) return std::unexpected(ErrorCode::invalid);
  const auto id = look_up(path, LastLink::kept);
  if (!id) return std::unexpected(id.error());
  if (!inode(*id).xattrs.contains(std::string(name))) return std::unexpected(ErrorCode::no_data);
  at(*id).xattrs.erase(std::string(name));
  change_attributes(*id);
  return {};
}

void Model::set_all_mtimes(const Time& mtime) {
  for (auto& [id, inode] : inodes_) inode.mtime = {mtime, inode.touched};
}

}  // namespace packfs::stress
