#include "log/group.h"

#include <algorithm>
#include <new>

#include "base/bytes.h"
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
  last_ = offset;
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
  forget_from(last_);
  --records_;
}

void Group::forget_from(std::uint64_t offset) noexcept {
  bytes_.resize(offset < offset_ ? 0 : offset - offset_);
  offset_ = std::min(offset_, offset);
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
  bytes_.clear();
}

Result<void> Group::append(const Record& record, std::span<const std::byte> content) {
  last_ = end();
  return undone_unless([&]() -> Result<void> {
    if (auto head = append_head(record); !head) return head;
    bytes_.insert(bytes_.end(), content.begin(), content.end());
    append_trailer(content);
    return {};
  });
}

Result<void> Group::begin_large(const tree::Operation& operation, const Setting& setting) {
  last_ = end();
  auto begun = undone_unless([&] { return append_head(record_of(operation, setting)); });
  if (begun) ++records_;
  return begun;
}

Result<void> Group::end_large(std::span<const std::byte> content) {
  offset_ = end() + content.size();
  bytes_.clear();
  try {
    append_trailer(content);
    return {};
  } catch (const std::bad_alloc&) {
    return std::unexpected(Error(ErrorCode::no_memory));
  }
}

/// What a call adds, taken out again when it fails.
template <class Call>
Result<void> Group::undone_unless(Call call) {
  Result<void> done;
  try {
    done = call();
  } catch (const std::bad_alloc&) {
    done = std::unexpected(Error(ErrorCode::no_memory));
  }
  if (!done) forget_from(last_);
  return done;
}

/// Head and padding, up to where the content begins.
Result<void> Group::append_head(const Record& record) {
  const std::uint64_t at = end();
  if (auto head = encode_head(record, segment_id_, at, bytes_); !head) return head;
  const auto extent = record_extent(record, at, end() - at);
  if (!extent) return std::unexpected(Error(ErrorCode::too_large));
  bytes_.resize(extent->content_begin - offset_);
  content_begin_ = extent->content_begin;
  return {};
}

void Group::append_trailer(std::span<const std::byte> content) {
  if (!content.empty()) content::append_run_trailer(content, bytes_);
  bytes_.resize(*base::align_up(end(), kRecordAlignment) - offset_);
}

}  // namespace packfs::log
