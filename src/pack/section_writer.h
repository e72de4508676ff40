#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/alloc.h"
#include "pack/format.h"
#include "pack/log_writer.h"
#include "packfs/error.h"

namespace packfs::pack {

/// Writes index sections, each as one record, and the checksums of their pages (docs/format.md section 4). Borrows the
/// log. One thread at a time. Errors of all calls: as LogWriter.
class SectionWriter {
 public:
  explicit SectionWriter(LogWriter& log) : log_(log), page_(kPageBytes) {}

  /// Begins a section whose length is known, at least 1. Then append() takes that many bytes in all, then end().
  [[nodiscard]] Result<void> begin(Section section, std::uint64_t length);
  [[nodiscard]] Result<void> append(std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> append_zeros(std::size_t count);
  [[nodiscard]] Result<void> end();
  /// A whole section; nothing is written of an empty one.
  [[nodiscard]] Result<void> write(Section section, std::span<const std::byte> bytes);

  /// Sections 8 and 9, over all sections before. Returns the root checksum.
  [[nodiscard]] Result<std::uint64_t> write_checksums();

  /// Where the content of each section is, by number from 1 on; 0, 0 for one that was not written.
  [[nodiscard]] const std::array<SectionRange, kSections>& ranges() const noexcept { return ranges_; }

 private:
  using Bytes = std::vector<std::byte, base::Allocator<std::byte>>;
  Result<void> end_page(std::span<const std::byte> page);

  LogWriter& log_;
  base::Buffer page_;
  std::size_t filled_ = 0;
  std::uint64_t length_ = 0;
  Bytes checksums_;
  std::array<SectionRange, kSections> ranges_{};
};

}  // namespace packfs::pack
