#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "content/format.h"
#include "content/run_reader.h"
#include "content/stored.h"
#include "packfs/error.h"

namespace packfs::content {

/// A stretch of a chained content that has bytes, as its map says and as far as that was checked: not empty, at most
/// kMaxExtentBytes, within the file, not overlapping its neighbours, form run or packed.
struct Extent {
  std::uint64_t begin = 0;  ///< within the file, like `end`
  std::uint64_t end = 0;
  Form form = Form::none;
  std::uint64_t location = 0;

  [[nodiscard]] Stored stored() const noexcept {
    return {.form = form, .size = end - begin, .location = location, .stored_length = end - begin};
  }
};

/// The extent map of one chained content (docs/format.md section 2.3). An element is checked against the two beside it
/// when it is looked at. Borrows the reader. One thread at a time. Errors: corrupt, with the offset of the element (or
/// of the map); as RunReader's.
class ExtentMap {
 public:
  static Result<ExtentMap> open(const RunReader& runs, const Stored& chained);

  [[nodiscard]] std::uint64_t size() const noexcept { return count_; }
  [[nodiscard]] Result<Extent> extent(std::uint64_t index);
  /// The first extent that ends behind `offset`; size() when there is none.
  [[nodiscard]] Result<std::uint64_t> find(std::uint64_t offset);

 private:
  // Elements are fetched this many at a time, so that going through the map costs few reads.
  static constexpr std::uint64_t kWindow = 64;

  ExtentMap(const RunReader& runs, const Stored& chained) noexcept;
  [[nodiscard]] bool has(std::uint64_t index) const noexcept { return index >= window_begin_ && index < window_end_; }
  Result<void> fetch(std::uint64_t first);
  Result<Extent> decoded(std::uint64_t index) const;

  const RunReader* runs_;
  Stored map_;
  std::uint64_t file_size_;
  std::uint64_t count_;
  std::uint64_t window_begin_ = 0;
  std::uint64_t window_end_ = 0;
  std::array<ExtentMapElement, kWindow> window_;
};

}  // namespace packfs::content
