#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packfs/entry.h"
#include "packfs/error.h"
#include "packfs/file.h"
#include "packfs/node.h"
#include "packfs/ref.h"
#include "packfs/types.h"

namespace packfs {

/// The entries of one directory in byte order of their names, as a single-pass range. Damage met on the way is yielded
/// as an error, after which the range ends: nothing is left out silently. Holds what it reads from. One thread at a
/// time.
class Listing {
 public:
  class iterator {
   public:
    using value_type = Result<Entry>;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;
    iterator() = default;
    const Result<Entry>& operator*() const noexcept { return listing_->current_; }
    const Result<Entry>* operator->() const noexcept { return &listing_->current_; }
    iterator& operator++() {
      if (!listing_->advance()) listing_ = nullptr;
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& it, std::default_sentinel_t) noexcept { return it.listing_ == nullptr; }

   private:
    friend class Listing;
    explicit iterator(Listing* listing) noexcept : listing_(listing) {}
    Listing* listing_ = nullptr;
  };

  Listing(Ref<const tree::Table> table, std::unique_ptr<tree::Cursor> cursor) noexcept;
  explicit Listing(Error error) noexcept;
  Listing(Listing&&) noexcept;
  Listing& operator=(Listing&&) noexcept;
  ~Listing();

  /// Call once.
  [[nodiscard]] iterator begin() { return iterator(advance() ? this : nullptr); }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

 private:
  static constexpr std::size_t kBatch = 32;
  bool advance() {
    if (next_ < filled_) {
      current_ = batch_[next_++];
      return true;
    }
    return refill();
  }
  bool refill();

  Ref<const tree::Table> table_;
  std::unique_ptr<tree::Cursor> cursor_;
  std::array<Entry, kBatch> batch_;
  std::size_t next_ = 0;
  std::size_t filled_ = 0;
  bool ended_ = false;
  Result<Entry> current_;
};

/// A directory tree that can be read and never changes under its reader: a pack, later a snapshot of a volume, or a
/// subdirectory of either. Cheap to copy; holds what it reads from. Threads: usable from any thread, all at once.
///
/// Paths are relative to the view's directory; "" and "." name it, a leading '/' changes nothing, repeated '/' count
/// once, a trailing '/' asks for a directory. A ".." is refused (escapes_root). Components are 1 to 255 bytes, a path
/// at most 1 MiB. Symlinks are followed, the last component's too unless the call says otherwise; they resolve inside
/// the tree: absolute targets start at its root, ".." stops there.
///
/// Errors of every call that takes a path: no_entry, not_a_directory, symlink_loop (40 followed), name_too_long,
/// invalid (a NUL byte), escapes_root, corrupt, an errno from the host.
class View {
 public:
  View(Ref<const tree::Table> table, const Node& directory, Ref<const tree::DirectoryChain> above) noexcept;
  View(const View&) noexcept;
  View(View&&) noexcept;
  View& operator=(const View&) noexcept;
  View& operator=(View&&) noexcept;
  ~View();

  /// Opens a regular file. Errors: is_a_directory; invalid (neither file nor directory).
  [[nodiscard]] Result<File> open(std::string_view path) const;

  /// open() and File::read() in one call, without the File: the fastest way to read a small file.
  [[nodiscard]] Result<std::size_t> read(std::string_view path, std::span<std::byte> buffer,
                                         std::uint64_t offset = 0) const;

  /// Attributes of what the path leads to, symlinks followed.
  [[nodiscard]] Result<Stat> stat(std::string_view path) const;
  /// stat() of the last component itself, symlink or not.
  [[nodiscard]] Result<Stat> lstat(std::string_view path) const;

  /// A symlink's target, 1 byte or more. Errors: invalid (not a symlink).
  [[nodiscard]] Result<std::string> readlink(std::string_view path) const;

  /// Extended attributes sorted by name, of the last component itself (symlinks have their own).
  [[nodiscard]] Result<std::vector<Xattr>> xattrs(std::string_view path) const;

  /// The entries of a directory from the first name not below `from` on. An error in reaching it is the one element.
  [[nodiscard]] Listing list(std::string_view path = "", std::string_view from = "") const;

  /// A view of a subdirectory. Symlinks in it still resolve in the whole tree.
  [[nodiscard]] Result<View> directory(std::string_view path) const;

  /// Sums over everything below a directory; costs no walk.
  [[nodiscard]] Result<Totals> totals(std::string_view path = "") const;

  /// For the layers behind the API.
  [[nodiscard]] const Ref<const tree::Table>& table() const noexcept { return table_; }
  [[nodiscard]] const Node& node() const noexcept { return directory_; }

 private:
  Ref<const tree::Table> table_;
  Node directory_;
  Ref<const tree::DirectoryChain> above_;  // the directories from the root to this one's parent; null at the root
};

}  // namespace packfs
