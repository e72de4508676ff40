#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pack/format.h"

namespace packfs::testing {

/// What the seed of a slot's hash and of a segment's is stepped by (docs/format.md).
inline constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;

/// A record as its bytes say, taken apart by docs/format.md alone.
struct RawRecord {
  std::uint64_t offset = 0;
  unsigned type = 0;
  unsigned form = 0;
  std::string_view name;
  std::uint64_t content = 0;  ///< offset
  std::uint64_t content_length = 0;
  std::uint64_t trailer_length = 0;
  std::uint64_t next = 0;
  bool is_sound = false;  ///< checksum, alignment and padding are as they must be
};

struct RawEntry {
  std::uint64_t offset = 0;  ///< in section 2
  std::string name;
  unsigned type = 0;
  unsigned form = 0;
  bool first_in_table = false;
  std::uint32_t attribute_set = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::uint64_t location = 0;
  std::uint64_t stored_length = 0;
  std::uint64_t link_id = 0;
  bool has_stored_length = false;
  bool has_xattrs = false;
  std::uint64_t xattrs = 0;
  std::uint64_t bytes = 0;
};

/// The whole bytes of a pack that is known to be whole, with what stands where in them.
class RawPack {
 public:
  explicit RawPack(std::vector<std::byte> bytes);

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] const pack::Footer& footer() const { return footer_; }
  [[nodiscard]] std::span<const std::byte> section(pack::Section which) const;
  template <class Element>
  [[nodiscard]] std::span<const Element> elements(pack::Section which) const {
    const auto all = section(which);
    return {reinterpret_cast<const Element*>(all.data()), all.size() / sizeof(Element)};
  }
  /// The records in [begin, end).
  [[nodiscard]] std::vector<RawRecord> records(std::uint64_t begin, std::uint64_t end) const;
  [[nodiscard]] std::vector<RawRecord> log() const { return records(64, footer_.log_end.get()); }
  [[nodiscard]] std::vector<RawRecord> index() const { return records(footer_.log_end.get(), bytes_.size() - 512); }
  /// All entries of section 2 in their order, the root's own first. Throws std::runtime_error when the pages are not
  /// filled as they must be.
  [[nodiscard]] std::vector<RawEntry> entries() const;

 private:
  [[nodiscard]] RawRecord record_at(std::uint64_t offset) const;

  std::vector<std::byte> bytes_;
  pack::Footer footer_{};
};

}  // namespace packfs::testing
