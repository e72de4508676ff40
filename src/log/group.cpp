#include "log/group.h"

#include <new>

#include "content/encode.h"

namespace packfs::log {
namespace {

constexpr std::size_t kMostKept = std::size_t{4} << 20;  // of the buffer, from one group to the next

}  // namespace

void Group::begin(std::uint64_t segment_id, std::uint64_t offset) noexcept {
  segment_id_ = segment_id;
  first_ = offset;
  offset_ = offset;
  records_ = 0;
  before_last_ = 0;
  if (bytes_.capacity() > kMostKept) std::vector<std::byte>().swap(bytes_);
  bytes_.clear();
}

Result<void> Group::add(const tree::Operation& operation, const Setting& setting) {
  const auto content = logged_bytes(operation);
  if (!content) return std::unexpected(content.error());
  try {
    return copy(record_of(operation, setting), *content);
  } catch (const std::bad_alloc&) {
    return std::unexpected(Error(ErrorCode::no_memory));
  }
}

Result<void> Group::copy(const Record& record, std::span<const std::byte> content) {
  auto added = append(record, content);
  if (added) ++records_;
  return added;
}

void Group::take_back() noexcept {
  bytes_.resize(before_last_);
  --records_;
}

Result<void> Group::mark_closed(std::uint64_t commit) { return append_commit(commit, first_, true); }
Result<void> Group::close(std::uint64_t commit, std::uint64_t synced_end) {
  return append_commit(commit, synced_end, false);
}

Result<void> Group::append_commit(std::uint64_t commit, std::uint64_t synced_end, bool is_closed) {
  Record record;
  record.type = RecordType::commit;
  record.commit = commit;
  record.fields = kGroup | kSyncedEnd;
  if (is_closed) {
    record.fields |= kFlags;
    record.flags = kClosed;
  }
  record.group_offset = first_;
  record.group_records = records_;
  record.synced_end = synced_end;
  return append(record, {});
}

void Group::flushed() noexcept {
  offset_ += bytes_.size();
  before_last_ = 0;
  bytes_.clear();
}

Result<void> Group::append(const Record& record, std::span<const std::byte> content) {
  before_last_ = bytes_.size();
  try {
    if (auto done = encode(record, content); !done) {
      bytes_.resize(before_last_);
      return done;
    }
    return {};
  } catch (const std::bad_alloc&) {
    bytes_.resize(before_last_);
    return std::unexpected(Error(ErrorCode::no_memory));
  }
}

Result<void> Group::encode(const Record& record, std::span<const std::byte> content) {
  const std::uint64_t at = end();
  if (auto head = encode_head(record, segment_id_, at, bytes_); !head) return head;
  const auto extent = record_extent(record, at, end() - at);
  if (!extent) return std::unexpected(Error(ErrorCode::too_large));
  bytes_.resize(extent->content_begin - offset_);
  bytes_.insert(bytes_.end(), content.begin(), content.end());
  if (!content.empty()) content::append_run_trailer(content, bytes_);
  bytes_.resize(extent->next - offset_);
  return {};
}

}  // namespace packfs::log
