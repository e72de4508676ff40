#include "pack/entry.h"

#include <algorithm>
#include <cstring>

#include "path/path.h"

namespace packfs::pack {
namespace {

constexpr std::uint32_t kNanosecondsPerSecond = 1'000'000'000;

bool all_zero(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char byte) { return byte == 0; });
}

}  // namespace

bool EntryRef::is_well_formed() const noexcept {
  if (mtime().nanoseconds >= kNanosecondsPerSecond || ctime().nanoseconds >= kNanosecondsPerSecond) return false;
  if (has(kHasCtime) && base::load_le<std::uint32_t>(extra_at(kHasCtime) + 12) != 0) return false;
  if (has(kHasSize) && element()->size.get() != 0) return false;
  if (has(kHasMtime) && element()->mtime_seconds.get() != 0) return false;
  if (size() > content::kMaxFileBytes) return false;
  if (has(kHasLinkId) && (extra(kHasLinkId) == 0 || type() == FileType::directory)) return false;

  const bool has_content = form() != content::Form::none;
  switch (type()) {
    case FileType::regular:
      if (form() == content::Form::chained) return has(kHasStoredLength);
      return has_content ? size() > 0 : size() == 0 && location() == 0 && !has(kHasStoredLength);
    case FileType::symlink:
      return form() == content::Form::run && size() > 0 && size() <= path::kMaxPath && !has(kHasStoredLength);
    case FileType::character_device:
    case FileType::block_device:
    case FileType::directory:
      return !has_content && size() == 0 && !has(kHasStoredLength);
    default:
      return !has_content && size() == 0 && location() == 0 && !has(kHasStoredLength);
  }
}

bool EntryRef::is_same_file(const EntryRef& other) const noexcept {
  constexpr std::size_t kFields = offsetof(EntryElement, attribute_set);
  const std::size_t bytes = sizeof(EntryElement) + extra_bytes(presence_) - kFields;
  return ((kind_ ^ other.kind_) & ~kFirstInTable) == 0 && presence_ == other.presence_ &&
         std::memcmp(at_ + kFields, other.at_ + kFields, bytes) == 0;
}

bool is_in_range(const AttributeSet& set) noexcept {
  constexpr std::uint32_t kMaxMode = 07777;
  constexpr std::uint32_t kMaxOwner = 0xFFFFFFFE;
  return set.mode.get() <= kMaxMode && set.uid.get() <= kMaxOwner && set.gid.get() <= kMaxOwner &&
         set.reserved.get() == 0;
}

std::optional<PageFault> check_entry_page(const std::byte* page, std::size_t length, bool is_first_page,
                                          EntryStarts& starts) {
  std::string_view previous;
  std::size_t at = 0;
  while (at < length) {
    const std::string_view rest(reinterpret_cast<const char*>(page) + at, length - at);
    if (rest.size() < 2 || rest[1] == 0) {
      if (all_zero(rest)) return std::nullopt;
      return PageFault{at, "filling that is not zero"};
    }
    const auto entry = EntryRef::at(page + at, rest.size());
    if (!entry) return PageFault{at, "an entry of unknown kind, or longer than its page"};
    if (!entry->is_well_formed()) return PageFault{at, "an entry whose fields are out of range"};
    if (!all_zero(entry->padding())) return PageFault{at, "padding that is not zero"};
    const std::string_view name = entry->name();
    const bool is_root = is_first_page && at == 0;
    if (is_root) {
      if (!name.empty() || entry->is_first_in_table() || entry->type() != FileType::directory ||
          entry->location() != 0) {
        return PageFault{at, "no root entry"};
      }
    } else if (path::check_component(name)) {
      return PageFault{at, "a name that cannot be one"};
    } else if (!entry->is_first_in_table() && at != 0 && name <= previous) {
      return PageFault{at, "names out of order"};
    }
    starts[at / kEntryAlignment / 64] |= std::uint64_t{1} << (at / kEntryAlignment % 64);
    previous = name;
    at += entry->bytes();
  }
  return std::nullopt;
}

}  // namespace packfs::pack
