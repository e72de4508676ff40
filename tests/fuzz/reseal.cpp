#include "fuzz/reseal.h"

#include <algorithm>
#include <cstdint>

#include "base/bytes.h"
#include "base/hash.h"
#include "content/format.h"
#include "log/format.h"
#include "pack/format.h"

namespace packfs::testing {
namespace {

using base::range_fits;
using base::xxh3;
using Bytes = std::span<std::byte>;

Bytes part(Bytes file, std::uint64_t offset, std::uint64_t length) {
  return range_fits(offset, length, file.size()) ? file.subspan(offset, length) : Bytes();
}

void reseal_run(Bytes file, std::uint64_t begin, std::uint64_t length) {
  for (std::uint64_t at = 0; at < length; at += content::kBlockBytes) {
    const Bytes block = part(file, begin + at, std::min(content::kBlockBytes, length - at));
    const Bytes checksum = part(file, begin + length + at / content::kBlockBytes * 8, 8);
    if (!block.empty() && !checksum.empty()) base::store_le<std::uint64_t>(checksum.data(), xxh3(block));
  }
}

// The raw length is not known without the attributes; what fits one block is what the corpus holds.
void reseal_packed(Bytes file, std::uint64_t begin, std::uint64_t length, std::uint64_t raw_bytes) {
  const Bytes packed = part(file, begin, length);
  if (packed.size() < sizeof(content::PackedHeader) + sizeof(content::PackedBlock)) return;
  auto* block = reinterpret_cast<content::PackedBlock*>(packed.data() + sizeof(content::PackedHeader));
  const std::uint32_t word = block->codec_and_length.get();
  const Bytes stored = packed.subspan(sizeof(content::PackedHeader) + sizeof(content::PackedBlock));
  const std::size_t stored_length = std::min<std::size_t>(word & 0x0FFFFFFF, stored.size());
  block->checksum.set(xxh3(stored.first(stored_length),
                           content::packed_block_seed(word, std::to_integer<unsigned>(packed[0]), raw_bytes)));
}

/// The value of the size field (bit 10), 0 when it is not there: all fields before it are varints or pairs of them.
std::uint64_t raw_size(Bytes attributes) {
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at < attributes.size() && shift < 64; shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(attributes[at++]);
      value |= (byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  };
  constexpr std::uint64_t kPairs = 1U << 4 | 1U << 5 | 1U << 6 | 1U << 9;
  const std::uint64_t mask = varint();
  for (unsigned bit = 0; bit < 10; ++bit) {
    if ((mask >> bit & 1) == 0) continue;
    varint();
    if ((kPairs >> bit & 1) != 0) varint();
  }
  return (mask >> 10 & 1) != 0 ? varint() : 0;
}

void reseal_pages(Bytes file, const pack::Footer& footer) {
  const auto section = [&](std::size_t index) {
    return part(file, footer.sections[index].offset.get(), footer.sections[index].length.get());
  };
  const auto checksum_pages = [](Bytes pages, Bytes checksums, std::size_t& at) {
    for (std::size_t offset = 0; offset < pages.size(); offset += pack::kPageBytes) {
      if (at + 8 > checksums.size()) return;
      const auto page = pages.subspan(offset, std::min<std::size_t>(pack::kPageBytes, pages.size() - offset));
      base::store_le<std::uint64_t>(checksums.data() + at, xxh3(page));
      at += 8;
    }
  };
  std::size_t at = 0;
  for (std::size_t index = 0; index < 7; ++index) checksum_pages(section(index), section(7), at);
  at = 0;
  checksum_pages(section(7), section(8), at);
}

}  // namespace

void reseal_records(Bytes file, std::size_t begin, std::size_t end, std::uint64_t segment_id) {
  std::uint64_t at = begin;
  while (range_fits(at, sizeof(log::RecordHeader), std::min(end, file.size()))) {
    auto* header = reinterpret_cast<log::RecordHeader*>(file.data() + at);
    const std::uint32_t word = header->form_and_attributes_length.get();
    const std::uint64_t name = header->name_length.get();
    const std::uint64_t attributes = word & 0x0FFFFFFF;
    const std::uint64_t length = header->content_length.get();
    const std::uint64_t head = sizeof(log::RecordHeader) + name + attributes;
    const Bytes whole = part(file, at, head);
    if (whole.empty() || length > file.size()) return;
    std::uint64_t content = at + head;
    if (length >= content::kAlignContentFrom) content = (content + 4095) & ~std::uint64_t{4095};
    std::uint64_t next = content + length;
    if (word >> 28 == 1) {
      reseal_run(file, content, length);
      next += content::run_trailer_bytes(length);
    } else if (word >> 28 == 2) {
      reseal_packed(file, content, length, raw_size(whole.subspan(sizeof(log::RecordHeader) + name)));
    }
    header->checksum.set(xxh3(whole.subspan(8), segment_id + at * log::kOffsetFactor));
    at = (next + 7) & ~std::uint64_t{7};
  }
}

void reseal(Bytes file) {
  if (file.size() < sizeof(log::FileHeader) + sizeof(pack::Footer)) return;
  auto* header = reinterpret_cast<log::FileHeader*>(file.data());
  header->checksum.set(xxh3(file.first(offsetof(log::FileHeader, checksum))));
  const Bytes last = file.last(sizeof(pack::Footer));
  auto* footer = reinterpret_cast<pack::Footer*>(last.data());
  reseal_pages(file, *footer);
  reseal_records(file, sizeof(log::FileHeader), file.size() - sizeof(pack::Footer));
  const Bytes roots = part(file, footer->sections[8].offset.get(), footer->sections[8].length.get());
  footer->root_checksum.set(xxh3(roots));
  footer->total_length.set(file.size());
  footer->checksum.set(xxh3(last.first(offsetof(pack::Footer, checksum))));
}

}  // namespace packfs::testing
