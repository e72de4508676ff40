#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "pack/reader.h"
#include "tree/table.h"

namespace packfs::pack {

/// Walks a directory's table in a pack. However tables and numbers are forged, what a walk down from the root gives is
/// bounded: the directories that one cursor gives claim no more entries, all together, than its own does. Borrows the
/// reader.
class DirectoryCursor final : public tree::Cursor {
 public:
  /// Stands before the first entry whose name is not below `from`. A search touches O(log n) pages and scans one.
  /// Errors: corrupt; an errno of pread.
  static Result<std::unique_ptr<DirectoryCursor>> open(const Reader& reader, const Node& directory,
                                                       std::string_view from);

  Result<std::size_t> next(std::span<Entry> entries) override;

  /// Offset in section 2 of the entry that next() will give first; the table's end when there is none.
  [[nodiscard]] std::uint64_t position() const noexcept { return at_; }

 private:
  DirectoryCursor(const Reader& reader, const Reader::Directory& directory) noexcept;

  [[nodiscard]] Result<void> seek(std::string_view from);
  [[nodiscard]] Result<std::uint64_t> page_before(std::string_view from) const;
  [[nodiscard]] Result<void> settle();
  [[nodiscard]] Result<EntryRef> peek() const;
  [[nodiscard]] Result<Node> count(const EntryRef& entry);
  void pass(const EntryRef& entry);
  [[nodiscard]] Result<void> check_end() const;

  const Reader& reader_;
  Reader::Directory directory_;
  std::uint64_t at_;
  std::uint64_t verified_end_ = 0;  // the end of the page at_ is in, once that was verified
  std::uint64_t taken_ = 0;         // entries from the table's start to at_, when it was walked from there
  std::uint64_t left_;              // entries at any depth below that may still come
  bool from_start_ = true;          // taken_ and left_ count all that lie before at_
  std::string_view previous_;       // the name before at_
};

}  // namespace packfs::pack
