#include "store/settler.h"

#include <algorithm>
#include <new>
#include <utility>

#include "log/segment_writer.h"

namespace packfs::store {
namespace {

using Kind = tree::Operation::Kind;

/// Mapped at once, most of it before it is there: a mapping for each growth of the file would soon be too many.
constexpr std::uint64_t kMostMapped = std::uint64_t{4} << 30;

}  // namespace

Settler::Settler(const Directory& directory, std::uint64_t segment_bytes) noexcept
    : directory_(directory),
      mapped_bytes_(std::min(segment_bytes, kMostMapped - log::SegmentWriter::kMostStep) +
                    log::SegmentWriter::kMostStep) {}

bool Settler::is_worth_it(Kind kind, std::uint64_t size) noexcept {
  switch (kind) {
    case Kind::write:
      return size > tree::Dentry::kMaxInline;
    case Kind::append:
    case Kind::write_at:
      return size >= kLeastPiece;
    default:
      return false;
  }
}

Result<void> Settler::hold(tree::Operation& operation, std::uint64_t location) {
  if (!is_worth_it(operation.kind, operation.content ? operation.content->size() : operation.bytes.size())) return {};
  Ref<const content::Content> memory = operation.content;
  if (!memory) {
    auto copied = content::Content::copy_of(operation.bytes);
    if (!copied) return std::unexpected(std::move(copied.error()));
    memory = std::move(*copied);
  }
  try {
    Ref<const LoggedContent> logged(new LoggedContent(std::move(memory), location));
    auto content = content::Content::over(logged);
    if (!content) return std::unexpected(std::move(content.error()));
    open_.push_back(std::move(logged));
    operation.content = std::move(*content);
    return {};
  } catch (const std::bad_alloc&) {
    return std::unexpected(Error(ErrorCode::no_memory));
  }
}

/// The segment, mapped at least up to `end`; null when that fails: then contents stay in memory.
Ref<const SegmentFile> Settler::file_of(std::uint64_t segment_id, std::uint64_t end) noexcept {
  try {
    const std::lock_guard lock(file_mutex_);
    if (!file_ || file_->header().segment_id != segment_id || file_->source().length() < end) {
      // Of a transaction that passes that too, the next megabytes with it.
      const std::uint64_t least = end <= mapped_bytes_ ? mapped_bytes_ : 2 * end;
      auto opened = SegmentFile::open_growing(directory_, segment_id, least);
      if (!opened) return {};
      file_ = std::move(*opened);
    }
    return file_;
  } catch (const std::bad_alloc&) {
    return {};
  }
}

void Settler::written(std::uint64_t segment_id, std::uint64_t end) noexcept {
  // From the last on: those before the first that is in the file were told of by an earlier call.
  for (auto content = open_.rbegin(); content != open_.rend() && !(*content)->is_in_file(); ++content) {
    if ((*content)->end() > end) continue;
    const Ref<const SegmentFile> file = file_of(segment_id, end);
    if (!file) break;
    (*content)->written(file);
  }
}

void Settler::drop_from(std::uint64_t offset) noexcept {
  bool was_written = false;
  while (!open_.empty() && open_.back()->location() >= offset) {
    was_written |= open_.back()->drop();
    open_.pop_back();
  }
  if (!was_written) return;
  // What was verified there does not count for what will be there.
  const std::lock_guard lock(file_mutex_);
  file_ = {};
}

void Settler::commit() noexcept {
  const std::lock_guard lock(committed_mutex_);
  committed_.splice(committed_.end(), open_);
}

Settler::Contents Settler::take_committed() noexcept {
  const std::lock_guard lock(committed_mutex_);
  return std::exchange(committed_, Contents());
}

void Settler::settle(const Contents& contents, std::uint64_t segment_id) noexcept {
  if (contents.empty()) return;
  const Ref<const SegmentFile> file = file_of(segment_id, contents.back()->end());
  if (!file) return;
  for (const Ref<const LoggedContent>& content : contents) content->settle(file);
}

}  // namespace packfs::store
