#include "tree/operation.h"

namespace packfs::tree {

Result<void> apply(Edit& edit, const Operation& what) {
  using Kind = Operation::Kind;
  const CreateOptions create{.mode = what.mode, .make_parents = what.make_parents, .exclusive = what.exclusive};
  switch (what.kind) {
    case Kind::write:
      return edit.write(what.path, what.bytes, what.content, create);
    case Kind::append:
      return edit.append(what.path, what.bytes, create);
    case Kind::write_at:
      return edit.write_at(what.path, what.offset, what.bytes);
    case Kind::truncate:
      return edit.truncate(what.path, what.offset);
    case Kind::make_directory:
      return edit.make_directory(what.path, what.mode);
    case Kind::make_directories:
      return edit.make_directories(what.path, what.mode);
    case Kind::symlink:
      return edit.symlink(what.other, what.path);
    case Kind::make_special:
      return edit.make_special(what.path, what.type, what.mode, what.major, what.minor);
    case Kind::link:
      return edit.link(what.other, what.path);
    case Kind::remove_directory:
      return edit.remove_directory(what.path);
    case Kind::unlink:
      return edit.unlink(what.path);
    case Kind::remove_tree:
      return edit.remove_tree(what.path);
    case Kind::rename:
      return edit.rename(what.path, what.other, what.rename);
    case Kind::clone:
      return edit.clone(what.path, what.other);
    case Kind::chmod:
      return edit.chmod(what.path, what.mode);
    case Kind::chown:
      return edit.chown(what.path, what.uid, what.gid, what.last);
    case Kind::set_mtime:
      return edit.set_mtime(what.path, what.mtime, what.last);
    case Kind::set_xattr:
      return edit.set_xattr(what.path, what.other, what.bytes, what.xattr);
    case Kind::remove_xattr:
      return edit.remove_xattr(what.path, what.other);
  }
  return std::unexpected(Error(ErrorCode::invalid));
}

}  // namespace packfs::tree
