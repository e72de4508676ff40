#include "host/content_writer.h"

#include <algorithm>
#include <utility>

#include "base/io_loops.h"
#include "host/uninterrupted.h"

namespace packfs::host {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

Error contradiction() { return Error(ErrorCode::corrupt).with_note("a content and its size disagree"); }

}  // namespace

ContentWriter::ContentWriter(base::Io& io, const tree::Table& table, Admit admit)
    : io_(io), table_(table), admit_(std::move(admit)) {}

Result<void> ContentWriter::write(int fd, const Node& file, std::uint64_t size) {
  borrowed_.reset();
  if (size == 0) return {};
  auto borrowed = table_.borrow(file);
  if (borrowed) {
    if (borrowed->size() != size) return std::unexpected(contradiction());
    borrowed_ = *borrowed;
  } else if (borrowed.error().code() != ErrorCode::not_supported) {
    return std::unexpected(std::move(borrowed.error()));
  }
  std::uint64_t written = 0;
  while (written < size) {
    auto range = table_.next_data(file, written);
    if (!range) return std::unexpected(std::move(range.error()));
    if (range->begin >= size) break;
    if (range->begin < written || range->end <= range->begin || range->end > size) {
      return std::unexpected(contradiction());
    }
    if (auto done = write_range(fd, file, *range); !done) return done;
    written = range->end;
  }
  if (written == size) return {};
  const int cut = uninterrupted([&] { return io_.ftruncate(fd, static_cast<off_t>(size)); });
  if (auto done = base::checked(cut); !done) return std::unexpected(std::move(done.error()));
  return {};
}

Result<void> ContentWriter::write_range(int fd, const Node& file, tree::Table::Range range) {
  while (range.begin < range.end) {
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(range.end - range.begin, kPieceBytes));
    auto bytes = piece(file, range.begin, length);
    if (!bytes) return std::unexpected(std::move(bytes.error()));
    if (auto admitted = admit_(bytes->size()); !admitted) return admitted;
    if (auto put = base::pwrite_fully(io_, fd, *bytes, range.begin); !put) return put;
    range.begin += bytes->size();
  }
  return {};
}

Result<std::span<const std::byte>> ContentWriter::piece(const Node& file, std::uint64_t offset, std::size_t length) {
  if (borrowed_) return borrowed_->subspan(static_cast<std::size_t>(offset), length);
  if (!buffer_) buffer_ = base::Buffer(kPieceBytes);
  auto got = table_.read(file, offset, buffer_.span().first(length));
  if (!got) return std::unexpected(std::move(got.error()));
  if (*got == 0 || *got > length) return std::unexpected(contradiction());
  return std::span<const std::byte>(buffer_.span().first(*got));
}

}  // namespace packfs::host
