#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "content/format.h"
#include "pack/format.h"
#include "packfs/types.h"

namespace packfs::pack {

/// An entry of section 2, looked at where it lies. Every field is read from memory once, when it is asked for.
class EntryRef {
 public:
  /// The entry at `at`, of which `available` bytes are left in its page. Nothing when it is not one: lengths that leave
  /// the page, a type, form or presence that is not known, names apart (their bytes are checked with the whole page).
  [[nodiscard]] static std::optional<EntryRef> at(const std::byte* at, std::size_t available) noexcept {
    if (available < sizeof(EntryElement)) return std::nullopt;
    EntryRef entry;
    entry.at_ = at;
    const auto word = base::load_le<std::uint32_t>(at);
    entry.name_length_ = static_cast<std::uint8_t>(word);
    entry.kind_ = static_cast<std::uint8_t>(word >> 8);
    entry.presence_ = static_cast<std::uint16_t>(word >> 16);
    if (!entry.is_known() || entry.bytes() > available) return std::nullopt;
    return entry;
  }

  [[nodiscard]] std::string_view name() const noexcept {
    return {reinterpret_cast<const char*>(at_) + sizeof(EntryElement) + extra_bytes(presence_), name_length_};
  }
  [[nodiscard]] FileType type() const noexcept { return static_cast<FileType>(kind_ & kTypeMask); }
  [[nodiscard]] content::Form form() const noexcept {
    return static_cast<content::Form>((kind_ & kFormMask) >> kFormShift);
  }
  [[nodiscard]] bool is_first_in_table() const noexcept { return (kind_ & kFirstInTable) != 0; }
  [[nodiscard]] bool has(Presence field) const noexcept { return (presence_ & field) != 0; }

  /// From the entry's start to the next one's.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return (sizeof(EntryElement) + extra_bytes(presence_) + name_length_ + (kEntryAlignment - 1)) &
           ~(kEntryAlignment - 1);
  }
  /// Zero bytes behind the name.
  [[nodiscard]] std::string_view padding() const noexcept {
    const std::string_view shown = name();
    return {shown.data() + shown.size(), bytes() - sizeof(EntryElement) - extra_bytes(presence_) - shown.size()};
  }

  [[nodiscard]] std::uint32_t attribute_set() const noexcept { return element()->attribute_set.get(); }
  [[nodiscard]] std::uint64_t location() const noexcept { return element()->location.get(); }
  [[nodiscard]] std::uint64_t size() const noexcept { return has(kHasSize) ? extra(kHasSize) : element()->size.get(); }
  [[nodiscard]] std::uint64_t inode() const noexcept {
    return has(kHasInode) ? extra(kHasInode) : element()->inode.get();
  }
  [[nodiscard]] Time mtime() const noexcept {
    const std::int64_t seconds =
        has(kHasMtime) ? std::bit_cast<std::int64_t>(extra(kHasMtime)) : std::int64_t{element()->mtime_seconds.get()};
    return {seconds, element()->mtime_nanoseconds.get()};
  }
  [[nodiscard]] Time ctime() const noexcept {
    if (!has(kHasCtime)) return {};
    const std::byte* at = extra_at(kHasCtime);
    return {std::bit_cast<std::int64_t>(base::load_le<std::uint64_t>(at)), base::load_le<std::uint32_t>(at + 8)};
  }
  /// The value of an 8-byte field, 0 when absent.
  [[nodiscard]] std::uint64_t extra_or_zero(Presence field) const noexcept { return has(field) ? extra(field) : 0; }

  /// Whether both tell the same but for their names, as all names of one file do.
  [[nodiscard]] bool is_same_file(const EntryRef& other) const noexcept;

  /// Whether a name, as it may stand in a table, comes with values within their ranges (docs/format.md 4.2).
  [[nodiscard]] bool is_well_formed() const noexcept;

 private:
  EntryRef() = default;

  [[nodiscard]] bool is_known() const noexcept {
    const auto type_value = static_cast<unsigned>(kind_ & kTypeMask);
    return type_value >= 1 && type_value <= static_cast<unsigned>(FileType::block_device) && (kind_ & 0x80) == 0 &&
           (presence_ & ~unsigned{kKnownPresence}) == 0;
  }
  [[nodiscard]] static std::size_t extra_bytes(unsigned presence) noexcept {
    // Most entries have none, and counting bits is a call on processors without an instruction for it.
    if (presence == 0) [[likely]] {
      return 0;
    }
    return 8 * static_cast<std::size_t>(std::popcount(presence)) + ((presence & kHasCtime) != 0 ? 8 : 0);
  }
  [[nodiscard]] const std::byte* extra_at(Presence field) const noexcept {
    return at_ + sizeof(EntryElement) + extra_bytes(presence_ & (unsigned{field} - 1));
  }
  [[nodiscard]] std::uint64_t extra(Presence field) const noexcept {
    return base::load_le<std::uint64_t>(extra_at(field));
  }
  [[nodiscard]] const EntryElement* element() const noexcept { return reinterpret_cast<const EntryElement*>(at_); }

  const std::byte* at_ = nullptr;
  std::uint8_t name_length_ = 0;
  std::uint8_t kind_ = 0;
  std::uint16_t presence_ = 0;
};

/// Whether mode and owners are within their ranges (docs/format.md 4.4).
[[nodiscard]] bool is_in_range(const AttributeSet& set) noexcept;

/// Where entries begin in a page: one bit for each multiple of 4.
using EntryStarts = std::array<std::uint64_t, kPageBytes / kEntryAlignment / 64>;

/// Where a page of section 2 breaks the format, as an offset in the page; nothing when it is sound: each byte belongs
/// to a well-formed entry or to the filling, and names ascend within a table. `is_first_page` allows the root's entry.
/// Fills `starts`, which is zero, as far as it comes.
struct PageFault {
  std::uint64_t offset = 0;
  const char* what = "";
};
[[nodiscard]] std::optional<PageFault> check_entry_page(const std::byte* page, std::size_t length, bool is_first_page,
                                                        EntryStarts& starts);

}  // namespace packfs::pack
