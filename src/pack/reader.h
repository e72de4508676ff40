#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io.h"
#include "base/unique_fd.h"
#include "content/source.h"
#include "content/stored.h"
#include "pack/entry.h"
#include "pack/index_pages.h"
#include "pack/layout.h"
#include "pack/xattr_list.h"
#include "packfs/pack.h"
#include "tree/table.h"

namespace packfs::pack {

/// An open pack as a Table. A Node's `entry` is an offset in section 2, its `directory` a directory number; every Node
/// it hands out has been checked against the directory that holds it, so a walk down from the root is always a tree.
///
/// Opening reads the header and the footer; all else is verified when first touched. Nothing the file holds can make a
/// call read outside it, loop, or allocate more than the file could fill. Threads: all calls from any thread at once.
class Reader final : public tree::Table {
 public:
  /// `path` is for messages. Errors: those of packfs::Pack::open(), without the path.
  static Result<Ref<const Reader>> open(base::Io& io, const std::string& path, ReadMode mode);
  /// Takes the descriptor of a regular file. Errors: invalid (another kind of file); as open().
  static Result<Ref<const Reader>> open(base::Io& io, base::unique_fd fd, ReadMode mode);

  [[nodiscard]] Result<Node> root() const override;
  [[nodiscard]] Result<Node> find(const Node& directory, std::string_view name) const override;
  [[nodiscard]] Result<std::unique_ptr<tree::Cursor>> list(const Node& directory, std::string_view from) const override;
  [[nodiscard]] Result<Stat> stat(const Node& node) const override;
  [[nodiscard]] Result<Totals> totals(const Node& node) const override;
  [[nodiscard]] Result<std::vector<Xattr>> xattrs(const Node& node) const override;
  [[nodiscard]] Result<std::string> readlink(const Node& symlink) const override;
  [[nodiscard]] Result<std::uint64_t> size(const Node& file) const override;
  [[nodiscard]] Result<std::size_t> read(const Node& file, std::uint64_t offset,
                                         std::span<std::byte> buffer) const override;
  [[nodiscard]] Result<std::span<const std::byte>> borrow(const Node& file) const override;
  [[nodiscard]] Result<Range> next_data(const Node& file, std::uint64_t offset) const override;
  [[nodiscard]] Numbers numbers() const noexcept override { return {layout_.next_inode, layout_.next_link_id}; }
  /// From the pack's id: what is opened twice is one.
  [[nodiscard]] std::uint64_t origin() const noexcept override;

  [[nodiscard]] PackInfo info() const;
  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] const content::Source& source() const noexcept { return *source_; }
  [[nodiscard]] const IndexPages& pages() const noexcept { return *pages_; }
  [[nodiscard]] const content::StoredReader& contents() const noexcept { return *contents_; }

  /// A directory's element, checked: its table lies within section 2 behind the table of the number before, and it
  /// does not claim more entries than there are.
  struct Directory {
    std::uint64_t number = 0;
    std::uint64_t parent = 0;
    std::uint64_t self_entry = 0;
    std::uint64_t table_begin = 0;
    std::uint64_t table_end = 0;
    std::uint64_t entry_count = 0;
    std::uint64_t subdirectory_count = 0;
    Totals totals;
  };
  [[nodiscard]] Result<Directory> directory(std::uint64_t number) const;

  /// The entry at an offset of section 2. Errors: corrupt; an errno of pread.
  [[nodiscard]] Result<EntryRef> entry(std::uint64_t offset) const {
    if (pages_->is_ready(Section::entries, offset, sizeof(EntryElement))) [[likely]] {
      const auto found =
          EntryRef::at(pages_->at(Section::entries, offset), pages_->left_in_page(Section::entries, offset));
      if (found) [[likely]] {
        return *found;
      }
    }
    return entry_slowly(offset);
  }

  /// The directory that an entry at `offset`, in the table of directory number `parent`, names.
  /// Errors: corrupt when its element does not point back at just this entry.
  [[nodiscard]] Result<Directory> child(const EntryRef& entry, std::uint64_t offset, std::uint64_t parent) const;

  /// The Node of an entry that stands at `offset` in the table of directory number `parent`.
  /// Errors: corrupt when it is a directory whose element does not point back at just this entry.
  [[nodiscard]] Result<Node> node_of(const EntryRef& entry, std::uint64_t offset, std::uint64_t parent) const {
    if (entry.type() != FileType::directory) [[likely]] {
      return Node{.type = entry.type(), .entry = offset};
    }
    return directory_node(entry.location(), offset, parent);
  }

  /// The extended attributes of an entry at `offset` that has some, where they lie; they need not be a sound list.
  /// Errors: corrupt (they are not there).
  [[nodiscard]] Result<XattrList> xattr_list(const EntryRef& entry, std::uint64_t offset) const;

  /// Where an entry's content is, as the index says. Errors: corrupt (another slot).
  [[nodiscard]] Result<content::Stored> stored(const EntryRef& entry, std::uint64_t offset) const;

 private:
  Reader(std::unique_ptr<content::Source> source, const Layout& layout) noexcept;

  [[nodiscard]] Result<Node> find_hashed(std::uint64_t number, std::string_view name) const;
  [[nodiscard]] Result<Node> find_sorted(const Node& directory, std::string_view name) const;
  [[nodiscard]] Result<EntryRef> entry_slowly(std::uint64_t offset) const;
  [[nodiscard]] Result<Node> directory_node(std::uint64_t number, std::uint64_t offset, std::uint64_t parent) const;
  [[nodiscard]] Result<const DirectoryElement*> element(std::uint64_t number) const;
  [[nodiscard]] const char* fault_of(const DirectoryElement& element, const DirectoryElement* before) const;
  [[nodiscard]] Result<std::uint64_t> link_count(std::uint64_t link_id, std::uint64_t offset) const;
  [[nodiscard]] Result<void> fill_attributes(const EntryRef& entry, std::uint64_t offset, Stat& stat) const;

  std::unique_ptr<content::Source> source_;
  Layout layout_;
  std::unique_ptr<IndexPages> pages_;
  std::unique_ptr<content::StoredReader> contents_;
};

}  // namespace packfs::pack
