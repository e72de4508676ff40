#include <cstdint>
#include <set>

#include "stress/model.h"

namespace packfs::stress {

namespace {

constexpr std::uint32_t kNobody = UINT32_MAX;  // to chown(2): leave it as it is
constexpr std::size_t kMaxXattrName = 255;
constexpr std::size_t kMaxXattrValue = std::size_t{64} * 1024;

}  // namespace

/// Everything about the attributes comes before the path, as with set_xattr().
bool Model::can_be_given(const Attributes& attributes) {
  if (attributes.mode > kModeBits || attributes.uid == kNobody || attributes.gid == kNobody) return false;
  if (attributes.mtime.nanoseconds > 999'999'999) return false;
  std::set<std::string> names;
  for (const Xattr& xattr : attributes.xattrs) {
    if (xattr.name.empty() || xattr.name.size() > kMaxXattrName || xattr.name.contains('\0')) return false;
    if (xattr.value.size() > kMaxXattrValue || !names.insert(xattr.name).second) return false;
  }
  return true;
}

void Model::give(ModelId id, const Attributes& attributes) {
  change_attributes(id);
  ModelInode& inode = at(id);
  inode.mode = attributes.mode;
  inode.uid = attributes.uid;
  inode.gid = attributes.gid;
  inode.mtime = {attributes.mtime, inode.touched};
  if (fault_ != Fault::given_xattrs_join_those_there) inode.xattrs.clear();
  for (const Xattr& xattr : attributes.xattrs) {
    inode.xattrs[xattr.name] = {reinterpret_cast<const char*>(xattr.value.data()), xattr.value.size()};
  }
}

/// What has just been made at `path`, unless it failed, which nothing that comes here can do half way.
Done Model::give_last(Done made, std::string_view path, const Attributes& attributes) {
  if (made) give(*look_up(path, LastLink::kept), attributes);
  return made;
}

Done Model::make_directory(std::string_view path, const Attributes& attributes) {
  if (!can_be_given(attributes)) return std::unexpected(ErrorCode::invalid);
  return give_last(make_directory(path, attributes.mode), path, attributes);
}

Done Model::symlink(std::string_view target, std::string_view path, const Attributes& attributes) {
  if (!can_be_given(attributes)) return std::unexpected(ErrorCode::invalid);
  return give_last(symlink(target, path), path, attributes);
}

Done Model::make_special(std::string_view path, FileType type, const Attributes& attributes, std::uint32_t major,
                         std::uint32_t minor) {
  if (!can_be_given(attributes)) return std::unexpected(ErrorCode::invalid);
  return give_last(make_special(path, type, attributes.mode, major, minor), path, attributes);
}

Done Model::set_attributes(std::string_view path, const Attributes& attributes) {
  if (!can_be_given(attributes)) return std::unexpected(ErrorCode::invalid);
  const auto id = look_up(path, LastLink::kept);
  if (!id) return std::unexpected(id.error());
  give(*id, attributes);
  return {};
}

}  // namespace packfs::stress
