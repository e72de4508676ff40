#include "tree/operation.h"

namespace packfs::tree {

Result<void> apply(Edit& edit, const Operation& operation) {
  using Kind = Operation::Kind;
  const CreateOptions create{
      .mode = operation.mode, .make_parents = operation.make_parents, .exclusive = operation.exclusive};
  switch (operation.kind) {
    case Kind::write:
      return edit.write(operation.path, operation.bytes, operation.content, create, operation.attributes);
    case Kind::append:
      return edit.append(operation.path, operation.bytes, operation.content, create);
    case Kind::write_at:
      return edit.write_at(operation.path, operation.offset, operation.bytes, operation.content);
    case Kind::truncate:
      return edit.truncate(operation.path, operation.offset);
    case Kind::make_directory:
      return edit.make_directory(operation.path, operation.mode, operation.attributes);
    case Kind::make_directories:
      return edit.make_directories(operation.path, operation.mode);
    case Kind::symlink:
      return edit.symlink(operation.other, operation.path, operation.attributes);
    case Kind::make_special:
      return edit.make_special(operation.path, operation.type, operation.mode, {operation.major, operation.minor},
                               operation.attributes);
    case Kind::link:
      return edit.link(operation.other, operation.path);
    case Kind::remove_directory:
      return edit.remove_directory(operation.path);
    case Kind::unlink:
      return edit.unlink(operation.path);
    case Kind::remove_tree:
      return edit.remove_tree(operation.path);
    case Kind::rename:
      return edit.rename(operation.path, operation.other, operation.rename);
    case Kind::clone:
      return edit.clone(operation.path, operation.other);
    case Kind::chmod:
      return edit.chmod(operation.path, operation.mode);
    case Kind::chown:
      return edit.chown(operation.path, operation.uid, operation.gid, operation.last);
    case Kind::set_mtime:
      return edit.set_mtime(operation.path, operation.mtime, operation.last);
    case Kind::set_attributes:
      if (operation.attributes == nullptr) break;
      return edit.set_attributes(operation.path, *operation.attributes);
    case Kind::set_xattr:
      return edit.set_xattr(operation.path, operation.other, operation.bytes, operation.xattr);
    case Kind::remove_xattr:
      return edit.remove_xattr(operation.path, operation.other);
  }
  return std::unexpected(Error(ErrorCode::invalid));
}

}  // namespace packfs::tree
