#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packfs/types.h"

namespace packfs::stress {

/// One call on a volume, or one thing that is done around it, as a value that can be printed and read back.
struct Operation {
  enum class Kind : std::uint8_t {
    // changes
    write,             ///< path, content (size, seed), mode, option: 1 make_parents, 2 exclusive
    write_owned,       ///< the same with memory that is taken over
    append,            ///< as write
    write_at,          ///< path, offset, content
    truncate,          ///< path, size
    make_directory,    ///< path, mode
    make_directories,  ///< path, mode
    remove_directory,  ///< path
    unlink,            ///< path
    remove_tree,       ///< path
    rename,            ///< path to other, option: the RenameMode
    clone,             ///< path to other
    link,              ///< path gets the further name other
    symlink,           ///< path, other: target
    make_special,      ///< path, mode, option: the FileType, uid and gid: device numbers
    chmod,             ///< path, mode
    chown,             ///< path, uid, gid, option: 1 follows
    set_mtime,         ///< path, mtime, option: 1 follows
    set_xattr,         ///< path, other: name, content, option: the XattrMode
    remove_xattr,      ///< path, other: name
    // with attributes_given()
    set_attributes,        ///< path
    write_given,           ///< as write
    make_directory_given,  ///< as make_directory
    symlink_given,         ///< as symlink
    make_special_given,    ///< as make_special, but the device numbers are the halves of offset
    fill,                  ///< `size` files in path, named other and a number, written one by one
    thin,                  ///< unlinks them again, but for each third one
    // readings
    read,      ///< path, offset, size
    stat,      ///< path
    lstat,     ///< path
    readlink,  ///< path
    xattrs,    ///< path
    exists,    ///< path
    totals,    ///< path
    list,      ///< path, other: the name from which on
    // what is done around them
    begin,
    commit,
    drop,
    write_beside,  ///< on the volume, whatever transaction is open: path, content
    hold,          ///< a snapshot in slot
    release,       ///< that of slot
    open_file,     ///< path, in slot
    close_file,    ///< that of slot
    diff,          ///< from the snapshot in slot to that in slot `option`, or to now
  };
  static constexpr std::uint32_t kMakeParents = 1;
  static constexpr std::uint32_t kExclusive = 2;
  static constexpr std::uint32_t kFollowed = 1;
  static constexpr std::size_t kSlots = 4;

  Kind kind{};
  std::string path;
  std::string other;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t seed = 0;
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t option = 0;
  std::uint32_t slot = 0;
  Time mtime;

  friend bool operator==(const Operation&, const Operation&) = default;
};

/// The bytes that an operation writes: `size` of them, their kind chosen by `seed`, from random to mostly zero.
[[nodiscard]] std::string content_of(const Operation& operation);

/// All attributes: mode, uid, gid, mtime, and extended ones that `seed` chooses: in any order, now and then such as
/// cannot be.
[[nodiscard]] Attributes attributes_given(const Operation& operation);

/// One line without its end; from_text() gives the operation back, or nothing when the line is none.
[[nodiscard]] std::string to_text(const Operation& operation);
[[nodiscard]] std::optional<Operation> from_text(std::string_view line);
/// Lines, empty ones and those that begin with '#' left out. Throws std::runtime_error on one that cannot be read.
[[nodiscard]] std::vector<Operation> operations_from_text(std::string_view lines);

/// Bytes for people and for from_text(): what is not printable ASCII, '"' and '\\' as \xHH.
[[nodiscard]] std::string escaped(std::string_view bytes);

}  // namespace packfs::stress
