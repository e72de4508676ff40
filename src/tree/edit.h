#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "content/content.h"
#include "packfs/error.h"
#include "packfs/types.h"
#include "packfs/volume.h"
#include "tree/owner.h"
#include "tree/place.h"
#include "tree/state.h"

namespace packfs::tree {

inline constexpr std::uint32_t kModeBits = 07777;

/// A state that is being changed, readable at every moment between two edits.
class WorkingTable final : public StateTable {
 public:
  /// Takes over the references of `state`.
  WorkingTable(PartHeap& heap, Ref<const Table> lower, const State& state) noexcept
      : StateTable(heap, std::move(lower), state) {}
  [[nodiscard]] State& working() noexcept { return state_; }
};

/// Numbers never given twice in a volume's life.
struct NextNumbers {
  std::uint64_t inode = 1;
  std::uint64_t link_id = 1;
  std::uint64_t family = 1;
  std::uint64_t owner = 1;
};

/// What new and changed entries are stamped with.
struct Stamp {
  std::uint64_t commit = 0;
  Time now;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
};

/// The operations of packfs::Writable on a state, each whole or not at all. In every one: the paths are resolved and
/// everything that can fail is done (reading the lower, making contents, reserving memory); then the state is changed,
/// which cannot fail.
///
/// Threads: under the volume's count lock. Errors: those of packfs::Writable. May throw std::bad_alloc, before anything
/// is changed.
class Edit {
 public:
  Edit(PartHeap& heap, WorkingTable& table, NextNumbers& numbers, const Stamp& stamp)
      : table_(table), numbers_(numbers), stamp_(stamp), owner_(heap, numbers.owner++) {}

  /// The root directory of a new volume: the lower's, or an empty one. The caller holds its one reference.
  Result<Dentry*> make_root();

  Result<void> write(std::string_view path, std::span<const std::byte> bytes, Ref<const content::Content> content,
                     const CreateOptions& options, const Attributes* attributes = nullptr);
  Result<void> append(std::string_view path, std::span<const std::byte> bytes,
                      const Ref<const content::Content>& content, const CreateOptions& options);
  Result<void> write_at(std::string_view path, std::uint64_t offset, std::span<const std::byte> bytes,
                        const Ref<const content::Content>& content);
  Result<void> truncate(std::string_view path, std::uint64_t size);

  Result<void> make_directory(std::string_view path, std::uint32_t mode, const Attributes* attributes = nullptr);
  Result<void> make_directories(std::string_view path, std::uint32_t mode);
  Result<void> symlink(std::string_view target, std::string_view path, const Attributes* attributes = nullptr);
  struct Device {
    std::uint32_t major = 0;
    std::uint32_t minor = 0;
  };
  Result<void> make_special(std::string_view path, FileType type, std::uint32_t mode, const Device& device,
                            const Attributes* attributes = nullptr);
  Result<void> link(std::string_view existing, std::string_view path);

  Result<void> remove_directory(std::string_view path);
  Result<void> unlink(std::string_view path);
  Result<void> remove_tree(std::string_view path);
  Result<void> rename(std::string_view from, std::string_view to, RenameMode mode);
  Result<void> clone(std::string_view from, std::string_view to);

  Result<void> chmod(std::string_view path, std::uint32_t mode);
  Result<void> chown(std::string_view path, std::uint32_t uid, std::uint32_t gid, LastLink last);
  Result<void> set_mtime(std::string_view path, const Time& mtime, LastLink last);
  Result<void> set_attributes(std::string_view path, const Attributes& attributes);
  Result<void> set_xattr(std::string_view path, std::string_view name, std::span<const std::byte> value,
                         XattrMode mode);
  Result<void> remove_xattr(std::string_view path, std::string_view name);

  /// Of what follows: a transaction goes on.
  void set_time(const Time& now) noexcept { stamp_.now = now; }
  void set_stamp(const Stamp& stamp) noexcept { stamp_ = stamp; }
  [[nodiscard]] const Stamp& stamp() const noexcept { return stamp_; }
  /// A short content that turns out damaged stays where it is, and whoever reads it gets the error; otherwise the edit
  /// fails. For edits that succeeded once.
  void keep_damaged() noexcept { keeps_damaged_ = true; }
  /// What was made so far is shared with someone from now on, and changed in place no more.
  void renew_owner() noexcept { owner_ = Owner(owner_.heap(), numbers_.owner++); }

 private:
  /// Sums to be added to every directory of a chain, the parent's own numbers among them. Modulo 2^64, so that what
  /// goes can be negative.
  struct Delta {
    std::uint64_t entries = 0;
    std::uint64_t bytes = 0;
    std::uint64_t linked_names = 0;
    std::uint64_t subdirectories = 0;  // of the parent
    bool names_changed = false;        // the parent's mtime
    std::uint64_t released = 0;        // bytes that go, or may, and are not in `bytes`
  };
  static constexpr std::uint64_t kWholeTree = std::uint64_t{1} << 40;  // released with a directory, whatever is in it
  /// A file's new bytes: inline when `content` is null.
  struct Body {
    std::span<const std::byte> bytes;
    Ref<const content::Content> content;
    std::uint64_t size = 0;
  };
  class Rollback;

  // Finding places (edit_place.cpp).
  enum class Last : std::uint8_t {
    name,     // what is named, also if it is a symlink with a '/' behind it
    kept,     // a symlink is followed only if a '/' stands behind it
    created,  // a symlink is followed only if no '/' stands behind it, as open(2) with O_CREAT does
    followed,
    missing,  // as followed, but the walk may end at any name of the caller's path that is missing
  };
  static bool follows(Last last, bool slash) noexcept;
  Result<Place> locate(std::string_view path, Last last);
  Result<void> look_up(Place& place, std::string_view name);
  Result<void> look_below(Place& place);
  Result<Place> descend(std::span<const std::string_view> directories, std::string_view name);
  static Error unlike_its_list();
  Result<Place> again(const Place& place);
  static std::vector<std::string_view> names_of(const PlaceChain& chain);

  // Changing what is at a place (edit_chain.cpp).
  bool reserve(std::initializer_list<const Place*> places, std::size_t further_bytes) noexcept;
  Result<void> prepare(Place& place, std::size_t further_bytes = 0);
  Dentry* own_chain(Place& place, const Delta& delta) noexcept;
  void enter(Dentry& directory, const Dentry& parent) const noexcept;
  void touch(Dentry& entry, const Dentry& parent) noexcept;
  void put(Place& place, Dentry* entry, const Delta& delta) noexcept;
  void take_away(Place& place, const Delta& delta) noexcept;
  void put_link(Dentry* inode) noexcept;

  // Making dentries (edit_inode.cpp). Memory was reserved; the caller holds the one reference.
  Dentry* new_inode(FileType type, std::string_view name, std::uint32_t mode, const Body& body) noexcept;
  Result<Dentry*> from_lower(const Node& node, std::string_view name);
  Result<Dentry*> inode_copy(const Place& place, const Body* body);
  Result<Dentry*> name_copy(const Place& place, std::string_view name);
  Dentry* with_body(const Dentry& inode, std::string_view name, const Body& body) noexcept;
  Dentry* linked_name(FileType type, std::string_view name, std::uint64_t id) noexcept;
  Result<Body> body_of(std::span<const std::byte> bytes) const;
  using ContentEdit = std::function<Result<Ref<const content::Content>>(const content::Content&)>;
  using Scratch = std::array<std::byte, Dentry::kMaxInline>;
  static Result<Ref<const content::Content>> content_of(const StateTable& table, const Node& file);
  Result<Body> edited(const StateTable& table, const Node& file, Scratch& scratch, const ContentEdit& edit) const;
  Result<Body> unedited(const Node& file, Scratch& scratch) const;
  Result<void> change_inode(Place& place, Dentry* inode);
  static std::uint64_t xattr_bytes(const Node& node) noexcept;
  Result<Delta> weight(const Place& place) const;
  Result<bool> is_empty(const Node& directory) const;

  // Inodes with several names (edit_links.cpp).
  Result<std::uint64_t> link_id(const Place& place) const;
  Result<void> ensure_link(const Node& node, std::uint64_t id);
  Result<void> drop_links(std::uint64_t id, std::uint64_t names);
  Result<void> drop_links_below(const Node& directory);
  Result<void> move_links_apart(const Place& source, const Place& target);

  Result<void> create(Place& place, Dentry* entry, std::uint64_t bytes);
  Result<void> remove(Place& place);
  Result<void> drop_links_at(const Place& place);
  Result<void> exchange(Place& from, Place& to);
  static bool is_above(const Place& upper, const Place& lower) noexcept;
  static bool is_same(const Place& a, const Place& b) noexcept;
  Result<bool> may_rename(const Place& from, const Place& to, RenameMode mode) const;
  void detach_family(Dentry& entry, const Place& place) noexcept;
  void stamp_moved(Dentry& entry) const noexcept;
  void arrive(Place& place, Dentry* entry, const Delta& delta) noexcept;
  Result<void> move(Place& from, Place& to);
  Result<void> make_missing(std::string_view path, bool with_last, std::uint32_t mode);
  [[nodiscard]] static std::uint64_t family_at(const Place& place) noexcept;
  Result<Place> locate_for_write(std::string_view path, const CreateOptions& options,
                                 std::optional<Rollback>& rollback);
  Result<Place> locate_file(std::string_view path);
  Result<void> set_body(Place& place, const Body& body);
  Result<void> set_body(Place& place, const Body& body, const Attributes* attributes, Holder<XattrBlob>& xattrs);
  Result<Holder<XattrBlob>> xattrs_given(const Attributes* attributes) const;
  void give(Dentry& inode, const Attributes* attributes, Holder<XattrBlob>& xattrs) const noexcept;
  void stamp(Dentry& inode) const noexcept;
  void stamp_content(Dentry& inode) const noexcept;
  using AttributeEdit = std::function<void(Dentry&)>;
  Result<void> change_attributes(std::string_view path, Last last, const AttributeEdit& change);
  using XattrEdit = std::function<Result<void>(std::vector<Xattr>&)>;
  Result<void> change_xattrs(std::string_view path, const XattrEdit& change);

  WorkingTable& table_;
  NextNumbers& numbers_;
  Stamp stamp_;
  Owner owner_;
  bool keeps_damaged_ = false;
  std::vector<std::unique_ptr<const std::string>> targets_;  // of symlinks followed: places' names lie in them
};

}  // namespace packfs::tree
