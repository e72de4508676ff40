#include "pack/index_pages.h"

#include <algorithm>
#include <span>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/io_loops.h"
#include "pack/entry.h"

namespace packfs::pack {

IndexPages::IndexPages(const content::Source& source, const Layout& layout) noexcept
    : source_(source),
      root_checksum_(layout.root_checksum),
      index_begin_(layout.log_end),
      index_bytes_(layout.total_length - layout.log_end) {}

Result<std::unique_ptr<IndexPages>> IndexPages::make(const content::Source& source, const Layout& layout) {
  std::unique_ptr<IndexPages> pages(new IndexPages(source, layout));
  for (const Layout::Range& range : layout.sections) pages->pages_ += pages_of(range.length);
  const std::uint64_t entry_pages = pages_of(layout.section(Section::entries).length);
  pages->bits_bytes_ = (pages->pages_ + 63) / 64 * 8 + entry_pages * sizeof(EntryStarts);
  if (auto mapped = pages->map(); !mapped) return std::unexpected(std::move(mapped.error()));
  pages->place_sections(layout);
  return pages;
}

Result<void> IndexPages::map() {
  base::Io& io = source_.io();
  void* memory = nullptr;
  if (auto done = base::checked(io.mmap(bits_bytes_, -1, 0, &memory)); !done) {
    return std::unexpected(std::move(done.error()));
  }
  // Fresh anonymous memory is zero: every bit reads as not verified, and no page of it costs anything yet.
  bits_ = static_cast<std::atomic<std::uint64_t>*>(memory);
  starts_ = bits_ + (pages_ + 63) / 64;
  if (source_.mapped()) return {};
  if (auto done = base::checked(io.mmap(index_bytes_, -1, 0, &shadow_)); !done) {
    shadow_ = nullptr;
    return std::unexpected(std::move(done.error()));
  }
  return {};
}

IndexPages::~IndexPages() {
  base::Io& io = source_.io();
  if (bits_ != nullptr) io.munmap(bits_, bits_bytes_);
  if (shadow_ != nullptr) io.munmap(shadow_, index_bytes_);
}

void IndexPages::place_sections(const Layout& layout) {
  const std::byte* index = source_.mapped() ? source_.base() + index_begin_ : static_cast<const std::byte*>(shadow_);
  std::uint64_t page = 0;
  for (std::size_t i = 0; i < kSections; ++i) {
    const Layout::Range& range = layout.sections[i];
    const std::byte* begin = range.length == 0 ? nullptr : index + (range.offset - index_begin_);
    places_[i] = {begin, range.offset, range.length, page};
    page += pages_of(range.length);
  }
}

Error IndexPages::corrupt(Section section, std::uint64_t offset, const char* what) const {
  return Error(ErrorCode::corrupt)
      .with_offset(places_[static_cast<std::size_t>(section) - 1].offset + offset)
      .with_note(what);
}

Result<void> IndexPages::touch_slowly(Section section, std::uint64_t offset, std::uint64_t length) const {
  const Place& place = places_[static_cast<std::size_t>(section) - 1];
  if (offset >= place.length || length > place.length - offset) {
    return std::unexpected(corrupt(section, std::min(offset, place.length), "a position outside its section"));
  }
  const std::uint64_t last = (offset + length - 1) >> kPageLog2;
  for (std::uint64_t page = offset >> kPageLog2; page <= last; ++page) {
    if (is_verified(place.first_page + page)) continue;
    if (auto done = verify_page(section, page); !done) return done;
  }
  return {};
}

Result<void> IndexPages::verify_page(Section section, std::uint64_t page) const {
  const Place& place = places_[static_cast<std::size_t>(section) - 1];
  const auto expected = expected_checksum(section, page);
  if (!expected) return std::unexpected(expected.error());

  std::unique_lock<std::mutex> lock(loading_, std::defer_lock);
  if (shadow_ != nullptr) lock.lock();
  if (is_verified(place.first_page + page)) return {};
  const std::uint64_t begin = page << kPageLog2;
  const std::uint64_t bytes = std::min(kPageBytes, place.length - begin);
  if (auto loaded = load(place, begin, bytes); !loaded) return loaded;
  if (base::xxh3({place.begin + begin, bytes}) != *expected) {
    return std::unexpected(corrupt(section, begin, "index page checksum"));
  }
  if (section == Section::entries) {
    if (auto checked = check_entries(place, page, bytes); !checked) return checked;
  }
  const std::uint64_t bit = place.first_page + page;
  bits_[bit / 64].fetch_or(std::uint64_t{1} << (bit % 64), std::memory_order_release);
  return {};
}

Result<void> IndexPages::check_entries(const Place& place, std::uint64_t page, std::uint64_t bytes) const {
  const std::uint64_t begin = page << kPageLog2;
  EntryStarts starts{};
  if (const auto fault = check_entry_page(place.begin + begin, bytes, page == 0, starts)) {
    return std::unexpected(corrupt(Section::entries, begin + fault->offset, fault->what));
  }
  // Relaxed: the page's verified bit is set after them. Threads that verify one page at once store the same.
  std::atomic<std::uint64_t>* words = starts_ + page * starts.size();
  for (const std::uint64_t word : starts) (words++)->store(word, std::memory_order_relaxed);
  return {};
}

Result<void> IndexPages::load(const Place& place, std::uint64_t begin, std::uint64_t bytes) const {
  if (shadow_ == nullptr) return {};
  std::byte* memory = static_cast<std::byte*>(shadow_) + (place.offset + begin - index_begin_);
  return source_.copy(place.offset + begin, {memory, bytes});
}

Result<std::uint64_t> IndexPages::expected_checksum(Section section, std::uint64_t page) const {
  const bool of_checksums = section == Section::page_checksums;
  const Section table = of_checksums ? Section::root_checksums : Section::page_checksums;
  const std::uint64_t position =
      8 * (of_checksums ? page : places_[static_cast<std::size_t>(section) - 1].first_page + page);
  if (section == Section::root_checksums) return std::unexpected(corrupt(section, 0, "no checksum"));
  if (auto touched = of_checksums ? verify_roots() : touch(table, position, 8); !touched) {
    return std::unexpected(std::move(touched.error()));
  }
  return base::load_le<std::uint64_t>(at(table, position));
}

/// Section 9 is checked as a whole: the footer holds one checksum for it.
Result<void> IndexPages::verify_roots() const {
  const Place& place = places_[static_cast<std::size_t>(Section::root_checksums) - 1];
  if (is_verified(place.first_page)) return {};
  std::unique_lock<std::mutex> lock(loading_, std::defer_lock);
  if (shadow_ != nullptr) lock.lock();
  if (is_verified(place.first_page)) return {};
  if (auto loaded = load(place, 0, place.length); !loaded) return loaded;
  if (base::xxh3({place.begin, place.length}) != root_checksum_) {
    return std::unexpected(corrupt(Section::root_checksums, 0, "root checksum of the index"));
  }
  const std::uint64_t bit = place.first_page;
  bits_[bit / 64].fetch_or(std::uint64_t{1} << (bit % 64), std::memory_order_release);
  return {};
}

}  // namespace packfs::pack
