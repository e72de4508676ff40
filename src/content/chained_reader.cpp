#include "content/chained_reader.h"

#include <algorithm>
#include <cstring>

#include "content/extent_map.h"

namespace packfs::content {

Result<std::size_t> ChainedReader::read(const Stored& chained, std::uint64_t offset,
                                        std::span<std::byte> buffer) const {
  if (offset >= chained.size || buffer.empty()) return 0;
  auto map = ExtentMap::open(runs_, chained);
  if (!map) return std::unexpected(map.error());
  auto index = map->find(offset);
  if (!index) return index;
  const std::size_t count = std::min<std::uint64_t>(buffer.size(), chained.size - offset);
  std::size_t done = 0;
  for (; done < count && *index < map->size(); ++*index) {
    const auto extent = map->extent(*index);
    if (!extent) return std::unexpected(extent.error());
    const std::uint64_t at = offset + done;
    const std::size_t gap = extent->begin <= at ? 0 : std::min<std::uint64_t>(count - done, extent->begin - at);
    std::memset(buffer.data() + done, 0, gap);
    done += gap;
    if (done == count || extent->end <= offset + done) continue;
    const std::uint64_t from = offset + done - extent->begin;
    const std::size_t part = std::min<std::uint64_t>(count - done, extent->end - (offset + done));
    const auto copied = extent->form == Form::run ? runs_.read(extent->stored(), from, buffer.subspan(done, part))
                                                  : packed_.read(extent->stored(), from, buffer.subspan(done, part));
    if (!copied) return copied;
    done += part;
  }
  std::memset(buffer.data() + done, 0, count - done);
  return count;
}

Result<StoredReader::Range> ChainedReader::next_data(const Stored& chained, std::uint64_t offset) const {
  const StoredReader::Range nothing{chained.size, chained.size};
  if (offset >= chained.size) return nothing;
  auto map = ExtentMap::open(runs_, chained);
  if (!map) return std::unexpected(map.error());
  const auto first = map->find(offset);
  if (!first) return std::unexpected(first.error());
  if (*first == map->size()) return nothing;
  StoredReader::Range range;
  for (std::uint64_t index = *first; index < map->size(); ++index) {
    const auto extent = map->extent(index);
    if (!extent) return std::unexpected(extent.error());
    if (index == *first) {
      range.begin = std::max(offset, extent->begin);
    } else if (extent->begin != range.end) {
      break;
    }
    range.end = extent->end;
  }
  return range;
}

Result<void> ChainedReader::verify(const Stored& chained) const {
  auto map = ExtentMap::open(runs_, chained);
  if (!map) return std::unexpected(map.error());
  if (map->size() == 0) return {};
  const Stored run{.form = Form::run,
                   .size = chained.stored_length,
                   .location = chained.location,
                   .stored_length = chained.stored_length};
  if (auto good = runs_.verify(run); !good) return good;
  for (std::uint64_t index = 0; index < map->size(); ++index) {
    const auto extent = map->extent(index);
    if (!extent) return std::unexpected(extent.error());
    const auto good = extent->form == Form::run ? runs_.verify(extent->stored()) : packed_.verify(extent->stored());
    if (!good) return good;
  }
  return {};
}

}  // namespace packfs::content
