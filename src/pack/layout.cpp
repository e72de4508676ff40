#include "pack/layout.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/hash.h"
#include "log/format.h"

namespace packfs::pack {
namespace {

class FooterDecoder {
 public:
  FooterDecoder(std::span<const std::byte, sizeof(Footer)> bytes, std::uint64_t file_length) noexcept
      : file_length_(file_length) {
    std::memcpy(&footer_, bytes.data(), sizeof footer_);
  }

  Result<Layout> decode(std::uint64_t segment_id) {
    if (auto seal = check_seal(); !seal) return std::unexpected(seal.error());
    copy_fields();
    if (auto fields = check_fields(segment_id); !fields) return std::unexpected(fields.error());
    if (auto sections = check_sections(); !sections) return std::unexpected(sections.error());
    if (auto lengths = check_lengths(); !lengths) return std::unexpected(lengths.error());
    return layout_;
  }

 private:
  [[nodiscard]] std::unexpected<Error> corrupt(std::size_t field, std::string_view note) const {
    return std::unexpected(
        Error(ErrorCode::corrupt).with_offset(file_length_ - sizeof(Footer) + field).with_note(note));
  }

  Result<void> check_seal() const {
    if (footer_.magic != kFooterMagic) return corrupt(0, "no footer: the file was cut off or never sealed");
    const auto bytes = std::as_bytes(std::span(&footer_, 1));
    if (base::xxh3(bytes.first(offsetof(Footer, checksum))) != footer_.checksum.get()) {
      return corrupt(offsetof(Footer, checksum), "footer checksum");
    }
    if (footer_.version.get() != log::kFormatVersion) {
      return std::unexpected(Error(ErrorCode::unsupported_version)
                                 .with_offset(file_length_ - sizeof(Footer) + offsetof(Footer, version))
                                 .with_note("footer version"));
    }
    return {};
  }

  void copy_fields() {
    layout_.pack_id = footer_.pack_id;
    layout_.total_length = footer_.total_length.get();
    layout_.log_end = footer_.log_end.get();
    layout_.segment_id = footer_.segment_id.get();
    layout_.record_count = footer_.record_count.get();
    layout_.directory_count = footer_.directory_count.get();
    layout_.entry_count = footer_.entry_count.get();
    layout_.total_bytes = footer_.total_bytes.get();
    layout_.total_linked = footer_.total_linked.get();
    layout_.next_inode = footer_.next_inode.get();
    layout_.next_link_id = footer_.next_link_id.get();
    layout_.last_commit = footer_.last_commit.get();
    layout_.hash_seed = footer_.hash_seed.get();
    layout_.hash_slots = footer_.hash_slots.get();
    layout_.max_probe = footer_.max_probe.get();
    layout_.root_checksum = footer_.root_checksum.get();
    for (std::size_t i = 0; i < kSections; ++i) {
      layout_.sections[i] = {footer_.sections[i].offset.get(), footer_.sections[i].length.get()};
    }
  }

  Result<void> check_fields(std::uint64_t segment_id) const {
    if (footer_.footer_length.get() != sizeof(Footer)) {
      return corrupt(offsetof(Footer, footer_length), "footer length");
    }
    if (layout_.total_length != file_length_) {
      return corrupt(offsetof(Footer, total_length), "the file has another length than when it was sealed");
    }
    if (layout_.segment_id != segment_id) return corrupt(offsetof(Footer, segment_id), "segment id");
    if (layout_.log_end < sizeof(log::FileHeader) || layout_.log_end > file_length_ - sizeof(Footer) ||
        layout_.log_end % log::kRecordAlignment != 0) {
      return corrupt(offsetof(Footer, log_end), "log end");
    }
    if (footer_.page_log2.get() != kPageLog2) return corrupt(offsetof(Footer, page_log2), "page size");
    if (layout_.max_probe > kMaxProbe) return corrupt(offsetof(Footer, max_probe), "probe length");
    if (footer_.dictionary_offset.get() != 0 || footer_.dictionary_length.get() != 0) {
      return std::unexpected(Error(ErrorCode::unsupported_version)
                                 .with_offset(file_length_ - sizeof(Footer) + offsetof(Footer, dictionary_offset))
                                 .with_note("a dictionary"));
    }
    const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
    if (!std::ranges::all_of(footer_.reserved, is_zero)) {
      return corrupt(offsetof(Footer, reserved), "reserved bytes of the footer");
    }
    return {};
  }

  Result<void> check_sections() const {
    std::uint64_t end = layout_.log_end;
    for (std::size_t i = 0; i < kSections; ++i) {
      const Layout::Range& range = layout_.sections[i];
      const std::size_t field = offsetof(Footer, sections) + i * sizeof(SectionRange);
      if (range.length == 0) {
        if (range.offset != 0) return corrupt(field, "an empty section has an offset");
        continue;
      }
      if (range.offset < end || !base::range_fits(range.offset, range.length, file_length_ - sizeof(Footer))) {
        return corrupt(field, "a section is out of its place");
      }
      end = range.offset + range.length;
    }
    if (layout_.section(Section::dependencies).length != 0) {
      return std::unexpected(Error(ErrorCode::unsupported_version)
                                 .with_offset(layout_.section(Section::dependencies).offset)
                                 .with_note("a pack that depends on others"));
    }
    return {};
  }

  /// Lengths that follow from counts. Each count is bounded first, so that no product overflows.
  Result<void> check_lengths() const {
    const auto length = [this](Section which) { return layout_.section(which).length; };
    if (layout_.directory_count == 0 || layout_.directory_count > file_length_ / sizeof(DirectoryElement) ||
        length(Section::directories) != layout_.directory_count * sizeof(DirectoryElement)) {
      return corrupt(offsetof(Footer, directory_count), "directory count");
    }
    if (layout_.entry_count > length(Section::entries) / sizeof(EntryElement)) {
      return corrupt(offsetof(Footer, entry_count), "entry count");
    }
    if (length(Section::entries) < sizeof(EntryElement)) {
      return corrupt(offsetof(Footer, entry_count), "there is no root entry");
    }
    const std::uint64_t slots = layout_.hash_slots == 0 ? 0 : layout_.hash_slots + layout_.max_probe;
    if (layout_.hash_slots > file_length_ / 8 || length(Section::hash) != slots * 8) {
      return corrupt(offsetof(Footer, hash_slots), "hash slots");
    }
    if (length(Section::attribute_sets) % sizeof(AttributeSet) != 0 ||
        length(Section::links) % sizeof(LinkElement) != 0) {
      return corrupt(offsetof(Footer, sections), "a section holds no whole number of elements");
    }
    std::uint64_t pages = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Section::page_checksums) - 1; ++i) {
      pages += pages_of(layout_.sections[i].length);
    }
    if (length(Section::page_checksums) != pages * 8 ||
        length(Section::root_checksums) != pages_of(length(Section::page_checksums)) * 8) {
      return corrupt(offsetof(Footer, sections), "the checksums do not cover the pages");
    }
    return {};
  }

  Footer footer_;
  std::uint64_t file_length_;
  Layout layout_;
};

}  // namespace

Result<Layout> decode_footer(std::span<const std::byte, sizeof(Footer)> bytes, std::uint64_t file_length,
                             std::uint64_t segment_id) {
  return FooterDecoder(bytes, file_length).decode(segment_id);
}

}  // namespace packfs::pack
