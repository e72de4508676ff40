#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "content/source.h"
#include "pack/layout.h"
#include "packfs/error.h"

namespace packfs::pack {

/// The index of one pack, page by page: a page's checksum (and in the entries, order and names) is verified before
/// anything in it is handed out, once. In pread mode pages are read into memory of the same shape as the file when they
/// are first touched, and kept. Borrows the source. Threads: all calls from any thread.
class IndexPages {
 public:
  /// Constant time and memory, whatever the index's size. Errors: no_memory; an errno of mmap.
  static Result<std::unique_ptr<IndexPages>> make(const content::Source& source, const Layout& layout);
  ~IndexPages();
  IndexPages(const IndexPages&) = delete;
  IndexPages& operator=(const IndexPages&) = delete;

  /// Makes [offset, offset + length) of a section (1 to 7), `length` at least 1, safe to read through at().
  /// Errors: corrupt (out of range, checksum, structure; with the offset in the file); an errno of pread.
  [[nodiscard]] Result<void> touch(Section section, std::uint64_t offset, std::uint64_t length) const {
    const Place& place = places_[static_cast<std::size_t>(section) - 1];
    if (offset < place.length && length <= place.length - offset) [[likely]] {
      const std::uint64_t first = offset >> kPageLog2;
      const std::uint64_t last = (offset + length - 1) >> kPageLog2;
      if (last - first <= 1 && is_verified(place.first_page + first) && is_verified(place.first_page + last))
          [[likely]] {
        return {};
      }
    }
    return touch_slowly(section, offset, length);
  }

  /// Whether [offset, offset + length), which lies in one page or is to be read in that one only, was touched before.
  [[nodiscard]] bool is_ready(Section section, std::uint64_t offset, std::uint64_t length) const noexcept {
    const Place& place = places_[static_cast<std::size_t>(section) - 1];
    return offset < place.length && length <= place.length - offset &&
           is_verified(place.first_page + (offset >> kPageLog2));
  }

  /// Bytes of a section that were touched (the rest of their page too).
  [[nodiscard]] const std::byte* at(Section section, std::uint64_t offset) const noexcept {
    return places_[static_cast<std::size_t>(section) - 1].begin + offset;
  }
  [[nodiscard]] std::uint64_t length(Section section) const noexcept {
    return places_[static_cast<std::size_t>(section) - 1].length;
  }
  /// Whether an entry begins at `offset` of section 2, whose page was touched: elsewhere in it bytes may look like one.
  [[nodiscard]] bool is_entry(std::uint64_t offset) const noexcept {
    const std::uint64_t bit = offset / kEntryAlignment;
    return offset % kEntryAlignment == 0 && (starts_[bit / 64].load(std::memory_order_relaxed) >> (bit % 64) & 1) != 0;
  }
  /// Bytes from `offset` of a section to the end of its page.
  [[nodiscard]] std::size_t left_in_page(Section section, std::uint64_t offset) const noexcept {
    const std::uint64_t page_end = (offset | (kPageBytes - 1)) + 1;
    return static_cast<std::size_t>(std::min(page_end, length(section)) - offset);
  }
  /// A corrupt error that names the place in the file.
  [[nodiscard]] Error corrupt(Section section, std::uint64_t offset, const char* what) const;

 private:
  struct Place {
    const std::byte* begin = nullptr;
    std::uint64_t offset = 0;  // in the file
    std::uint64_t length = 0;
    std::uint64_t first_page = 0;  // in the one numbering of all pages of sections 1 to 9
  };

  IndexPages(const content::Source& source, const Layout& layout) noexcept;
  Result<void> map();
  void place_sections(const Layout& layout);

  [[nodiscard]] bool is_verified(std::uint64_t page) const noexcept {
    // Acquire: in pread mode the page's bytes were written by the thread that set the bit.
    return (bits_[page / 64].load(std::memory_order_acquire) >> (page % 64) & 1) != 0;
  }
  Result<void> touch_slowly(Section section, std::uint64_t offset, std::uint64_t length) const;
  Result<void> check_entries(const Place& place, std::uint64_t page, std::uint64_t bytes) const;
  Result<void> verify_page(Section section, std::uint64_t page) const;
  Result<void> load(const Place& place, std::uint64_t begin, std::uint64_t bytes) const;
  [[nodiscard]] Result<std::uint64_t> expected_checksum(Section section, std::uint64_t page) const;
  Result<void> verify_roots() const;

  const content::Source& source_;
  std::uint64_t root_checksum_;
  std::uint64_t index_begin_;
  std::uint64_t index_bytes_;
  std::array<Place, kSections> places_{};
  std::uint64_t pages_ = 0;
  void* shadow_ = nullptr;  // pread mode: memory in the index's shape
  std::atomic<std::uint64_t>* bits_ = nullptr;
  std::atomic<std::uint64_t>* starts_ = nullptr;  // behind them: EntryStarts of the verified pages of section 2
  std::uint64_t bits_bytes_ = 0;                  // of both
  mutable std::mutex loading_;                    // pread mode: a page is read by one thread, before anyone reads it
};

}  // namespace packfs::pack
