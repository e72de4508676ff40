#include "log/group_reader.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "content/corruption.h"

namespace packfs::log {
namespace {

Error corrupt(std::uint64_t offset, std::string_view what) {
  return Error(ErrorCode::corrupt).with_offset(offset).with_note(what);
}

/// Bytes of a commit record's head at most: the fixed part, a mask, four varints.
constexpr std::uint64_t kMostCommitBytes = sizeof(RecordHeader) + 5 * std::uint64_t{10};

/// The synced_end of a commit record at `offset`; 0 when there is none.
std::uint64_t synced_end_at(std::span<const std::byte> bytes, std::uint64_t segment_id, std::uint64_t offset) {
  if (bytes.size() < sizeof(RecordHeader)) return 0;
  const auto type = std::to_integer<std::uint8_t>(bytes[offsetof(RecordHeader, type)]);
  if (type != static_cast<std::uint8_t>(RecordType::commit)) return 0;
  const auto lengths = peek_head(bytes.first<sizeof(RecordHeader)>(), offset);
  if (!lengths || lengths->head_bytes > std::min<std::uint64_t>(kMostCommitBytes, bytes.size())) return 0;
  const auto record = decode_head(bytes.first(lengths->head_bytes), segment_id, offset);
  return record ? record->synced_end : 0;
}

}  // namespace

Result<std::optional<FoundGroup>> GroupReader::next() {
  if (damage_) return std::nullopt;
  Scanner scanner(source_, segment_id_, position_, end_);
  FoundGroup group{.begin = position_};
  for (;;) {
    const std::uint64_t at = scanner.position();
    const auto scanned = scanner.next();
    if (!scanned) {
      if (scanned.error().code() != ErrorCode::corrupt) return std::unexpected(scanned.error());
      damage_ = scanned.error();
      return std::nullopt;
    }
    if (!scanned->has_value()) {
      if (at != position_) damage_ = corrupt(position_, "a group without its commit");
      return std::nullopt;
    }
    const Record& record = (*scanned)->record;
    if (record.commit <= last_commit_ || (group.records != 0 && record.commit != group.commit)) {
      damage_ = corrupt(at, "a record of another commit");
      return std::nullopt;
    }
    group.commit = record.commit;
    if (record.type == RecordType::commit) {
      group.is_closed = (record.fields & kFlags) != 0;
      if (record.group_offset != group.begin || record.group_records != group.records ||
          record.synced_end > group.begin ||
          (group.is_closed && (group.records != 0 || record.synced_end != group.begin))) {
        damage_ = corrupt(at, "a commit of other records than those before it");
        return std::nullopt;
      }
      group.commit_record = at;
      group.end = scanner.position();
      group.synced_end = record.synced_end;
      break;
    }
    if (!is_named_by_path(record)) {
      damage_ = corrupt(at, "a record that a journal cannot hold");
      return std::nullopt;
    }
    ++group.records;
  }
  position_ = group.end;
  last_commit_ = group.commit;
  return group;
}

Result<bool> is_known_durable(const content::Source& source, std::uint64_t segment_id, std::uint64_t damage,
                              std::uint64_t end) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  base::Buffer scratch;
  for (std::uint64_t begin = damage; begin < end; begin += kPiece) {
    const auto bytes = source.at(begin, std::min(kPiece + kMostCommitBytes, end - begin), scratch);
    if (!bytes) return std::unexpected(bytes.error());
    for (std::uint64_t at = 0; at < std::min<std::uint64_t>(kPiece, bytes->size()); at += kRecordAlignment) {
      if (synced_end_at(bytes->subspan(at), segment_id, begin + at) > damage) return true;
    }
  }
  return false;
}

}  // namespace packfs::log
