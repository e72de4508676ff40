#include "pack/section_writer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"
#include "log/record.h"

namespace packfs::pack {

Result<void> SectionWriter::begin(Section section, std::uint64_t length) {
  log::Record record;
  record.type = log::RecordType::index;
  record.fields = log::kSection;
  record.section = static_cast<std::uint64_t>(section);
  const auto offset = log_.begin_run(record, length);
  if (!offset) return std::unexpected(offset.error());
  auto& range = ranges_[static_cast<std::size_t>(section) - 1];
  range.offset.set(*offset);
  range.length.set(length);
  length_ = length;
  filled_ = 0;
  return {};
}

Result<void> SectionWriter::end_page(std::span<const std::byte> page) {
  const std::size_t at = checksums_.size();
  checksums_.resize(at + sizeof(base::Le64));
  base::store_le<std::uint64_t>(checksums_.data() + at, base::xxh3(page));
  filled_ = 0;
  return log_.add_to_run(page);
}

Result<void> SectionWriter::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min<std::size_t>(bytes.size(), kPageBytes - filled_));
    bytes = bytes.subspan(piece.size());
    std::memcpy(page_.data() + filled_, piece.data(), piece.size());
    filled_ += piece.size();
    if (filled_ < kPageBytes) continue;
    if (auto ended = end_page(page_.span()); !ended) return ended;
  }
  return {};
}

Result<void> SectionWriter::append_zeros(std::size_t count) {
  static constexpr std::array<std::byte, 512> kZeros{};
  while (count > 0) {
    const std::size_t piece = std::min(count, kZeros.size());
    if (auto appended = append(std::span(kZeros).first(piece)); !appended) return appended;
    count -= piece;
  }
  return {};
}

Result<void> SectionWriter::end() {
  if (filled_ > 0) {
    if (auto ended = end_page(page_.span().first(filled_)); !ended) return ended;
  }
  return log_.end_run(length_);
}

Result<void> SectionWriter::write(Section section, std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  if (auto begun = begin(section, bytes.size()); !begun) return begun;
  if (auto appended = append(bytes); !appended) return appended;
  return end();
}

Result<std::uint64_t> SectionWriter::write_checksums() {
  const Bytes pages = std::exchange(checksums_, {});
  if (auto written = write(Section::page_checksums, pages); !written) return std::unexpected(written.error());
  const Bytes roots = std::exchange(checksums_, {});
  if (auto written = write(Section::root_checksums, roots); !written) return std::unexpected(written.error());
  return base::xxh3(roots);
}

}  // namespace packfs::pack
