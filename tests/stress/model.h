#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packfs/error.h"
#include "packfs/types.h"
#include "packfs/volume.h"

namespace packfs::stress {

template <class T>
using Expected = std::expected<T, ErrorCode>;
using Done = Expected<void>;

inline constexpr std::uint32_t kModeBits = 07777;

/// Who a file is, whatever its names: never given twice in a model's life, except after a copy was gone back to.
using ModelId = std::uint64_t;

/// Errors built into a model on purpose, so that what compares against it is known to be able to fail.
enum class Fault : std::uint8_t {
  none,
  rename_loses_what_it_moves,  ///< over another name, that is
  clone_shares_later_writes,
  append_writes_at_begin,
  growing_fills_with_ones,
  unlink_takes_all_names,
  chmod_forgets_sticky_bit,
  dangling_symlinks_exist_not,
  given_xattrs_join_those_there,
};

/// When content or entries last changed: as somebody set it, or at a moment that only the clock knows.
struct ModelTime {
  std::optional<Time> set;
  std::uint64_t stamp = 0;  ///< of the change, unique
};

/// A file, directory, symlink or special.
struct ModelInode {
  FileType type = FileType::none;
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint64_t names = 1;
  ModelTime mtime;
  std::uint64_t touched = 0;  ///< stamp of the last change of anything, ctime's sense
  std::string bytes;          ///< content, or a symlink's target
  std::map<std::string, std::string> xattrs;
  std::map<std::string, ModelId> entries;
  /// Of a clone's side, as long as it did not change: whose inode number it may show, the nearest first.
  std::vector<ModelId> may_share_number_of;
};

/// What stat tells, as far as it can be known.
struct ModelStat {
  ModelId id = 0;
  FileType type = FileType::none;
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t nlink = 0;
  std::uint64_t size = 0;
  std::optional<Time> mtime;
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  bool has_xattrs = false;
};

/// A tree as POSIX and packfs/volume.h have it, in the plainest form: a copy is a copy, a clone is a deep copy, nothing
/// is shared with the library but the names of its types. What was decided where both leave room stands beside the
/// code. Every changing call checks all before it changes anything.
class Model {
 public:
  explicit Model(std::uint32_t uid = 0, std::uint32_t gid = 0, Fault fault = Fault::none);

  Done write(std::string_view path, std::string_view content, const CreateOptions& options);
  Done append(std::string_view path, std::string_view content, const CreateOptions& options);
  Done write_at(std::string_view path, std::uint64_t offset, std::string_view content);
  Done truncate(std::string_view path, std::uint64_t size);

  Done make_directory(std::string_view path, std::uint32_t mode);
  Done make_directory(std::string_view path, const Attributes& attributes);
  Done make_directories(std::string_view path, std::uint32_t mode);
  Done remove_directory(std::string_view path);
  Done unlink(std::string_view path);
  Done remove_tree(std::string_view path);

  Done rename(std::string_view from, std::string_view to, RenameMode mode);
  Done clone(std::string_view from, std::string_view to);
  Done link(std::string_view existing, std::string_view path);
  Done symlink(std::string_view target, std::string_view path);
  Done symlink(std::string_view target, std::string_view path, const Attributes& attributes);
  Done make_special(std::string_view path, FileType type, std::uint32_t mode, std::uint32_t major, std::uint32_t minor);
  Done make_special(std::string_view path, FileType type, const Attributes& attributes, std::uint32_t major,
                    std::uint32_t minor);

  Done chmod(std::string_view path, std::uint32_t mode);
  Done chown(std::string_view path, std::uint32_t uid, std::uint32_t gid, LastLink last);
  Done set_mtime(std::string_view path, const Time& mtime, LastLink last);
  Done set_xattr(std::string_view path, std::string_view name, std::string_view value, XattrMode mode);
  Done remove_xattr(std::string_view path, std::string_view name);
  Done set_attributes(std::string_view path, const Attributes& attributes);

  [[nodiscard]] Expected<std::string> content(std::string_view path) const;  ///< what open() and read() give
  [[nodiscard]] Expected<ModelStat> stat(std::string_view path, LastLink last) const;
  [[nodiscard]] Expected<std::string> readlink(std::string_view path) const;
  [[nodiscard]] Expected<std::map<std::string, std::string>> xattrs(std::string_view path) const;
  [[nodiscard]] Expected<bool> exists(std::string_view path) const;
  [[nodiscard]] Expected<Totals> totals(std::string_view path) const;
  [[nodiscard]] Expected<std::vector<std::string>> list(std::string_view path, std::string_view from) const;

  [[nodiscard]] ModelId root() const { return root_; }
  [[nodiscard]] const ModelInode& inode(ModelId id) const { return inodes_.at(id); }
  [[nodiscard]] ModelStat stat_of(ModelId id) const;
  [[nodiscard]] Totals totals_of(ModelId directory) const;
  /// Gives every inode this mtime, as if set: what a pack is built from must have no unknown ones.
  void set_all_mtimes(const Time& mtime);

 private:
  // How a path's last component is treated: never followed, whatever stands behind it (rename(2)); as lstat(2); as
  // stat(2); as open(2) with O_CREAT, and with O_EXCL too.
  enum class Last : std::uint8_t { untouched, kept, followed, created, created_new };
  // Where a walk ended: `id` is what stands there, 0 when nothing does; `name` is empty for a directory that was
  // reached by no name (the root, "..").
  struct Place {
    std::vector<ModelId> trail;  // directories from the root to the one that has the name
    std::string name;
    ModelId id = 0;
    bool slash = false;
    [[nodiscard]] ModelId directory() const { return trail.back(); }
    [[nodiscard]] bool passes(ModelId directory) const;
  };
  struct Component;
  class Walk;

  [[nodiscard]] Expected<Place> walk(std::string_view path, Last last) const;
  Expected<Place> walk_making_parents(std::string_view path, Last last);
  [[nodiscard]] Expected<ModelId> look_up(std::string_view path, LastLink last) const;
  [[nodiscard]] Expected<Place> place_for_new(std::string_view path, bool is_directory) const;

  ModelInode& at(ModelId id) { return inodes_.at(id); }
  [[nodiscard]] bool is_directory(ModelId id) const { return inode(id).type == FileType::directory; }
  ModelId make(FileType type, std::uint32_t mode);
  void enter(ModelId directory, const std::string& name, ModelId id);
  void leave(ModelId directory, const std::string& name);
  void let_go(ModelId id);
  void change_attributes(ModelId id);
  void change_content(ModelId id);
  [[nodiscard]] static bool can_be_given(const Attributes& attributes);
  void give(ModelId id, const Attributes& attributes);
  Done give_last(Done made, std::string_view path, const Attributes& attributes);
  Expected<ModelId> open_to_write(std::string_view path, const CreateOptions& options);
  [[nodiscard]] Expected<ModelId> existing_file(std::string_view path) const;
  ModelId copy(ModelId id, std::map<ModelId, ModelId>& copied);
  [[nodiscard]] Done may_replace(const Place& from, const Place& to, RenameMode mode) const;
  void sum(ModelId directory, Totals& totals) const;

  std::map<ModelId, ModelInode> inodes_;
  ModelId root_ = 0;
  ModelId next_id_ = 1;
  std::uint64_t next_stamp_ = 1;
  std::uint32_t uid_;
  std::uint32_t gid_;
  Fault fault_;
  std::map<ModelId, ModelId> faulty_clones_;  // Fault::clone_shares_later_writes: origin to copy
};

}  // namespace packfs::stress
