#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "content/content.h"
#include "packfs/error.h"
#include "packfs/ref.h"
#include "packfs/types.h"
#include "packfs/volume.h"
#include "tree/edit.h"

namespace packfs::tree {

/// A call of packfs::Writable as data: what is done to a state, and written into a journal so that it can be done
/// again. Borrows what its views point to.
struct Operation {
  enum class Kind : std::uint8_t {
    write,
    append,
    write_at,
    truncate,
    make_directory,
    make_directories,
    symlink,
    make_special,
    link,
    remove_directory,
    unlink,
    remove_tree,
    rename,
    clone,
    chmod,
    chown,
    set_mtime,
    set_attributes,
    set_xattr,
    remove_xattr,
  };
  Kind kind{};
  bool make_parents = false;                 ///< write, append
  bool exclusive = false;                    ///< write, append
  LastLink last = LastLink::followed;        ///< chown, set_mtime
  RenameMode rename = RenameMode::replace;   ///< rename
  XattrMode xattr = XattrMode::set;          ///< set_xattr
  FileType type = FileType::none;            ///< make_special
  std::uint32_t mode = 0;                    ///< of what is made; chmod
  std::uint32_t uid = 0;                     ///< chown
  std::uint32_t gid = 0;                     ///< chown
  std::uint32_t major = 0;                   ///< make_special
  std::uint32_t minor = 0;                   ///< make_special
  std::string_view path = {};                ///< of what is made or changed; rename, clone: of what is there
  std::string_view other = {};               ///< rename, clone: the new path; link: the existing one; symlink: the
                                             ///< target; xattrs: the attribute's name
  std::span<const std::byte> bytes = {};     ///< write, append, write_at; set_xattr: the value
  Ref<const content::Content> content = {};  ///< write, append, write_at: instead of `bytes`
  std::uint64_t offset = 0;                  ///< write_at; truncate: the size
  Time mtime = {};                           ///< set_mtime
  /// set_attributes: all of them, of the last component itself. write, make_directory, symlink, make_special: of what
  /// is made or written to, instead of `mode`, the volume's owner and the time; not with make_parents.
  const Attributes* attributes = nullptr;
};

/// Does it. Errors: the call's. Throws std::bad_alloc, before anything is changed.
Result<void> apply(Edit& edit, const Operation& operation);

}  // namespace packfs::tree
