#include "log/group_reader.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "content/corruption.h"

namespace packfs::log {
namespace {

Error corrupt(std::uint64_t offset, std::string_view what) {
  return Error(ErrorCode::corrupt).with_offset(offset).with_note(what);
}

/// Bytes of a commit record's head at most: the fixed part, a mask, four varints.
constexpr std::uint64_t kMostCommitBytes = sizeof(RecordHeader) + 5 * std::uint64_t{10};

struct CommitRecord {
  std::uint64_t offset = 0;
  std::uint64_t end = 0;
  std::uint64_t group_offset = 0;
  std::uint64_t synced_end = 0;
};

/// The commit record at `offset`, which `bytes` begin with.
std::optional<CommitRecord> commit_at(std::span<const std::byte> bytes, std::uint64_t segment_id,
                                      std::uint64_t offset) {
  if (bytes.size() < sizeof(RecordHeader)) return std::nullopt;
  const auto type = std::to_integer<std::uint8_t>(bytes[offsetof(RecordHeader, type)]);
  if (type != static_cast<std::uint8_t>(RecordType::commit)) return std::nullopt;
  const auto lengths = peek_head(bytes.first<sizeof(RecordHeader)>(), offset);
  if (!lengths || lengths->head_bytes > std::min<std::uint64_t>(kMostCommitBytes, bytes.size())) return std::nullopt;
  const auto record = decode_head(bytes.first(lengths->head_bytes), segment_id, offset);
  if (!record) return std::nullopt;
  return CommitRecord{.offset = offset,
                      .end = offset + *base::align_up(lengths->head_bytes, kRecordAlignment),
                      .group_offset = record->group_offset,
                      .synced_end = record->synced_end};
}

/// Gives `call` every commit record with a good head in [begin, end), `begin` being a multiple of 8, one after another,
/// until it returns true; then true. Errors: no_memory; an errno of pread; those of the call.
template <class Call>
Result<bool> any_commit(const content::Source& source, std::uint64_t segment_id, std::uint64_t begin, std::uint64_t end,
                        Call call) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  base::Buffer scratch;
  for (; begin < end; begin += kPiece) {
    const auto bytes = source.at(begin, std::min(kPiece + kMostCommitBytes, end - begin), scratch);
    if (!bytes) return std::unexpected(bytes.error());
    for (std::uint64_t at = 0; at < std::min<std::uint64_t>(kPiece, bytes->size()); at += kRecordAlignment) {
      const auto commit = commit_at(bytes->subspan(at), segment_id, begin + at);
      if (!commit) continue;
      const Result<bool> found = call(*commit);
      if (!found || *found) return found;
    }
  }
  return false;
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
  // Damaged padding has any offset, records have not. The damage lies within the file, so this does not overflow.
  const std::uint64_t begin = *base::align_up(damage, kRecordAlignment);
  return any_commit(source, segment_id, begin, end,
                    [&](const CommitRecord& commit) -> Result<bool> { return commit.synced_end > damage; });
}

Result<std::uint64_t> count_groups(const content::Source& source, std::uint64_t segment_id, std::uint64_t begin,
                                   std::uint64_t end, std::uint64_t last_commit) {
  // Looked for by their ends, which are short: a length that means nothing costs nothing. Each byte belongs to one
  // group at most, so it is walked once at most.
  std::uint64_t count = 0;
  std::uint64_t from = begin;
  const auto counted = any_commit(source, segment_id, begin, end, [&](const CommitRecord& commit) -> Result<bool> {
    if (commit.offset < from) return false;
    const std::uint64_t floor = std::exchange(from, commit.end);
    if (commit.group_offset < floor || commit.group_offset > commit.offset || commit.end > end ||
        commit.group_offset % kRecordAlignment != 0) {
      return false;
    }
    GroupReader groups(source, segment_id, commit.group_offset, commit.end, last_commit);
    const auto group = groups.next();
    if (!group && group.error().code() != ErrorCode::unsupported_version) return std::unexpected(group.error());
    if (!group || !*group || (*group)->is_closed) return false;
    last_commit = (*group)->commit;
    ++count;
    return false;
  });
  if (!counted) return std::unexpected(counted.error());
  return count;
}

}  // namespace packfs::log
