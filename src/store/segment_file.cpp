#include "store/segment_file.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "base/io_loops.h"
#include "content/corruption.h"
#include "log/record_content.h"
#include "store/run_backing.h"

namespace packfs::store {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;

/// A run that is in a segment for good.
class LoggedRun final : public RunBacking {
 public:
  LoggedRun(Ref<const SegmentFile> file, const content::Stored& run) noexcept
      : RunBacking(run), file_(std::move(file)) {}
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) const override {
    return file_->read(run(), offset, buffer);
  }
  [[nodiscard]] Result<std::span<const std::byte>> borrow() const override { return file_->borrow(run()); }

 private:
  Ref<const SegmentFile> file_;
};

bool are_zeros(std::span<const std::byte> bytes) {
  // Each byte is as the one before it.
  return bytes.front() == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

}  // namespace

Result<Ref<const SegmentFile>> SegmentFile::open(const Directory& directory, std::uint64_t id) {
  return open_growing(directory, id, 0);
}

Result<Ref<const SegmentFile>> SegmentFile::open_growing(const Directory& directory, std::uint64_t id,
                                                         std::uint64_t least_bytes) {
  const std::string name = segment_name(id);
  auto fd = directory.open_file(name, O_RDONLY);
  if (!fd) return std::unexpected(std::move(fd.error()));
  struct statx status{};
  const int known = directory.io().statx(fd->get(), "", AT_EMPTY_PATH, STATX_SIZE | STATX_TYPE, &status);
  if (known < 0) return std::unexpected(directory.at(Error::from_errno(-known), name));
  if (!S_ISREG(status.stx_mode)) return std::unexpected(directory.not_a_file(name));
  auto file = Ref<SegmentFile>(new SegmentFile(directory.path_of(name)));
  const std::uint64_t length = std::max<std::uint64_t>(least_bytes, status.stx_size);
  auto source = content::Source::open(directory.io(), std::move(*fd), length, length != 0);
  if (!source) return std::unexpected(directory.at(source.error(), name));
  file->source_ = std::move(*source);
  if (auto read = file->read_header(id); !read) return std::unexpected(directory.at(read.error(), name));
  auto reader = content::StoredReader::make(*file->source_, sizeof(log::FileHeader), file->source_->length());
  if (!reader) return std::unexpected(directory.at(reader.error(), name));
  file->reader_ = std::move(*reader);
  return Ref<const SegmentFile>(file);
}

Result<void> SegmentFile::read_header(std::uint64_t id) {
  std::array<std::byte, sizeof(log::FileHeader)> bytes{};
  const auto held = std::span(bytes).first(std::min<std::uint64_t>(bytes.size(), source_->length()));
  if (auto copied = source_->copy(0, held); !copied) return copied;
  const auto header = log::decode_file_header(held);
  if (!header && header.error().code() == ErrorCode::not_a_pack) return content::corrupt_at(0, "not a segment");
  if (!header) return std::unexpected(header.error());
  if (header->segment_id != id) {
    return content::corrupt_at(offsetof(log::FileHeader, segment_id), "another segment's id");
  }
  header_ = *header;
  return {};
}

Result<bool> SegmentFile::is_whole(const log::FoundGroup& group) const {
  log::Scanner scanner(*source_, header_.segment_id, group.begin, group.commit_record);
  for (;;) {
    const auto scanned = scanner.next();
    if (!scanned) return std::unexpected(scanned.error().with_path(path_));
    if (!scanned->has_value()) return true;
    const auto whole = log::verify_content(*source_, *reader_, **scanned);
    if (whole) continue;
    if (whole.error().code() == ErrorCode::corrupt) return false;
    return std::unexpected(whole.error().with_path(path_));
  }
}

Result<std::uint64_t> SegmentFile::used_end(std::uint64_t begin) const {
  base::Buffer scratch;
  for (std::uint64_t end = source_->length(); end > begin;) {
    const std::uint64_t length = std::min(kPiece, end - begin);
    const auto bytes = source_->at(end - length, length, scratch);
    if (!bytes) return std::unexpected(bytes.error().with_path(path_));
    end -= length;
    if (are_zeros(*bytes)) continue;
    const auto last = std::find_if(bytes->rbegin(), bytes->rend(), [](std::byte b) { return b != std::byte{0}; });
    // They may have become zeros just now.
    if (last != bytes->rend()) return end + static_cast<std::uint64_t>(bytes->rend() - last);
  }
  return begin;
}

Result<std::size_t> SegmentFile::read(const content::Stored& run, std::uint64_t offset,
                                      std::span<std::byte> buffer) const {
  auto read = reader_->read(run, offset, buffer);
  if (!read) return std::unexpected(read.error().with_path(path_));
  return read;
}

Result<std::span<const std::byte>> SegmentFile::borrow(const content::Stored& run) const {
  auto bytes = reader_->borrow(run);
  if (!bytes && bytes.error().code() == ErrorCode::corrupt) return std::unexpected(bytes.error().with_path(path_));
  return bytes;
}

Result<Ref<const content::Content>> SegmentFile::content(const content::Stored& run) const {
  try {
    return content::Content::over(Ref<const content::Backing>(new LoggedRun(Ref<const SegmentFile>(this), run)));
  } catch (const std::bad_alloc&) {
    return std::unexpected(Error(ErrorCode::no_memory));
  }
}

}  // namespace packfs::store
