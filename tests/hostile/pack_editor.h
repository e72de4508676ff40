#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "content/format.h"
#include "log/record.h"
#include "pack/format.h"

namespace packfs::testing {

/// A sound pack taken apart, to be changed at will and put together again with every checksum good, so that hostile
/// values reach the code behind the checksums. Changes may be of any kind; sections may change their length.
class PackEditor {
 public:
  using Bytes = std::vector<std::byte>;

  /// A record of the log, as it was before any change.
  struct Place {
    log::RecordType type{};
    content::Form form = content::Form::none;
    std::string name;
    std::uint64_t offset = 0;
    std::uint64_t head_bytes = 0;
    std::uint64_t attributes = 0;  ///< where its attributes begin
    std::uint64_t content_begin = 0;
    std::uint64_t content_end = 0;
    std::uint64_t raw_bytes = 0;  ///< of packed content
  };

  /// `pack` must be sound. Throws std::runtime_error.
  explicit PackEditor(std::span<const std::byte> pack);

  /// File header and records, up to the index.
  [[nodiscard]] Bytes& log() noexcept { return log_; }
  [[nodiscard]] const std::vector<Place>& records() const noexcept { return records_; }
  /// The record of that type and name. Throws when there is none.
  [[nodiscard]] const Place& record(log::RecordType type, std::string_view name) const;

  /// Sections 1 to 7; an empty one is not written.
  [[nodiscard]] Bytes& section(pack::Section which) noexcept { return sections_[static_cast<std::size_t>(which) - 1]; }
  template <class T>
  [[nodiscard]] T& element(pack::Section which, std::uint64_t offset) {
    return *reinterpret_cast<T*>(section(which).data() + offset);
  }
  /// What seal() does not compute counts: numbers, totals, the hash's parameters.
  [[nodiscard]] pack::Footer& footer() noexcept { return footer_; }

  /// Offset in section 2 of the entry of that name, the first if several have it. Throws when there is none.
  [[nodiscard]] std::uint64_t entry(std::string_view name) const;
  /// Offsets of all entries, the root's first.
  [[nodiscard]] std::vector<std::uint64_t> entries() const;
  /// The bytes of an entry's name, and of the name in its record.
  [[nodiscard]] std::span<char> name_of(std::uint64_t entry);
  [[nodiscard]] std::span<char> name_of(const Place& record);
  /// Number of the directory of that name; "" is the root.
  [[nodiscard]] std::uint64_t directory(std::string_view name) const;

  /// Gives an entry an optional field (pack::Presence) with that value, or takes it away; `value` is 16 bytes long in
  /// case of a ctime, otherwise 8. Everything that refers to entries by their offsets follows. One page of entries
  /// only.
  void set_presence(std::uint64_t entry, pack::Presence field, std::span<const std::byte> value);
  /// Where an optional field that an entry has lies in section 2.
  [[nodiscard]] std::uint64_t extra(std::uint64_t entry, pack::Presence field);
  void clear_presence(std::uint64_t entry, pack::Presence field);

  /// Points a slot of the hash at what is at `entry`, so that lookups of `name` in directory `number` look there first.
  void add_slot(std::uint64_t number, std::string_view name, std::uint64_t entry);

  /// Makes lookups search the tables.
  void drop_hash();

  /// The pack, sealed. `edit` changes the footer after all of it was computed but its checksum.
  [[nodiscard]] Bytes seal(const std::function<void(pack::Footer&)>& edit = {}) const;

 private:
  void resize_entry(std::uint64_t entry, std::uint64_t at, std::uint64_t old_bytes, std::span<const std::byte> value);

  Bytes log_;
  std::array<Bytes, 7> sections_;
  pack::Footer footer_{};
  std::vector<Place> records_;
};

}  // namespace packfs::testing
