#include "content/extent_map.h"

#include <algorithm>

#include "base/bytes.h"
#include "content/corruption.h"

namespace packfs::content {
namespace {

constexpr unsigned kFormShift = 60;
constexpr std::uint64_t kLengthMask = (std::uint64_t{1} << kFormShift) - 1;

}  // namespace

ExtentMap::ExtentMap(const RunReader& runs, const Stored& chained) noexcept
    : runs_(&runs),
      map_{.form = Form::run,
           .size = chained.stored_length,
           .location = chained.location,
           .stored_length = chained.stored_length},
      file_size_(chained.size),
      count_(chained.stored_length / sizeof(ExtentMapElement)) {}

Result<ExtentMap> ExtentMap::open(const RunReader& runs, const Stored& chained) {
  if (chained.size > kMaxFileBytes) return corrupt_at(chained.location, "a file's size");
  if (chained.stored_length % sizeof(ExtentMapElement) != 0) {
    return corrupt_at(chained.location, "an extent map's length");
  }
  return ExtentMap(runs, chained);
}

Result<void> ExtentMap::fetch(std::uint64_t first) {
  const std::uint64_t count = std::min(kWindow, count_ - first);
  window_begin_ = window_end_ = 0;
  const auto bytes = std::as_writable_bytes(std::span(window_)).first(count * sizeof(ExtentMapElement));
  const auto copied = runs_->read(map_, first * sizeof(ExtentMapElement), bytes);
  if (!copied) return std::unexpected(copied.error());
  window_begin_ = first;
  window_end_ = first + count;
  return {};
}

Result<Extent> ExtentMap::decoded(std::uint64_t index) const {
  const ExtentMapElement& element = window_[index - window_begin_];
  const std::uint64_t offset = map_.location + index * sizeof(ExtentMapElement);
  const std::uint64_t begin = element.raw_offset.get();
  const std::uint64_t form_and_length = element.form_and_raw_length.get();
  const std::uint64_t length = form_and_length & kLengthMask;
  const auto form = static_cast<Form>(form_and_length >> kFormShift);
  if (form != Form::run && form != Form::packed) return corrupt_at(offset, "an extent's form");
  if (length == 0 || length > kMaxExtentBytes) return corrupt_at(offset, "an extent's raw length");
  if (!base::range_fits(begin, length, file_size_)) return corrupt_at(offset, "an extent reaches beyond its file");
  return Extent{.begin = begin, .end = begin + length, .form = form, .location = element.content_offset.get()};
}

Result<Extent> ExtentMap::extent(std::uint64_t index) {
  const std::uint64_t before = index == 0 ? 0 : index - 1;
  const std::uint64_t behind = index + 1 == count_ ? index : index + 1;
  if (!has(before) || !has(behind)) {
    if (auto fetched = fetch(before); !fetched) return std::unexpected(fetched.error());
  }
  const std::uint64_t offset = map_.location + index * sizeof(ExtentMapElement);
  auto extent = decoded(index);
  if (!extent) return extent;
  if (before != index) {
    const auto previous = decoded(before);
    if (!previous) return previous;
    if (previous->end > extent->begin) return corrupt_at(offset, "an extent overlaps the one before");
  }
  if (behind != index) {
    const auto next = decoded(behind);
    if (!next) return next;
    if (next->begin < extent->end) {
      return corrupt_at(offset + sizeof(ExtentMapElement), "an extent overlaps the one before");
    }
  }
  return extent;
}

Result<std::uint64_t> ExtentMap::find(std::uint64_t offset) {
  // Narrows [low, high), the extents that may be the first to begin behind `offset`, until one fetch holds them all.
  std::uint64_t low = 0;
  std::uint64_t high = count_;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (!has(middle)) {
      if (auto fetched = fetch(high - low < kWindow ? low : middle); !fetched) {
        return std::unexpected(fetched.error());
      }
    }
    if (window_[middle - window_begin_].raw_offset.get() <= offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return low;
  const auto last_begun = extent(low - 1);
  if (!last_begun) return std::unexpected(last_begun.error());
  return last_begun->end > offset ? low - 1 : low;
}

}  // namespace packfs::content
