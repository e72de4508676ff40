#include "content/content.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <new>
#include <utility>

#include "base/alloc.h"

namespace packfs::content {
namespace {

constexpr std::uint64_t kMaxSize = INT64_MAX;
/// Pieces shorter than this are rewritten with what is written beside them, so that many small writes do not leave as
/// many pieces.
constexpr std::uint64_t kShortPiece = 4096;
constexpr std::size_t kLeastGrowth = 1024;

std::atomic<std::uint64_t> contents_alive{0};

/// These bytes in one new piece.
Rope in_new_chunk(std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  Ref<Chunk> chunk = Chunk::make(bytes.size(), Chunk::Use::exact);
  chunk->extend(0, bytes);
  return Rope(Piece{std::move(chunk), {}, 0, bytes.size()});
}

Rope hole_of(std::uint64_t size) { return size == 0 ? Rope() : Rope(Piece{{}, {}, 0, size}); }

/// With a hole of `more` bytes behind it, which a hole at its end grows into.
Rope with_hole(const Rope& rope, std::uint64_t more) {
  if (more == 0) return rope;
  if (rope.size() == 0 || !rope.last().is_hole()) return Rope::joined(rope, hole_of(more));
  return rope.with_last(Piece{{}, {}, 0, rope.last().length + more});
}

/// Whether a piece is to be merged with its neighbour.
bool is_short(const Piece& piece) noexcept { return !piece.is_hole() && piece.length < kShortPiece; }

/// A new chunk behind `rope` that appending goes on in. One as large as all that others appended to would cost each of
/// many branches, or each append that is given up, as much memory; so only a chunk that was filled makes the next
/// double.
Rope appended_in_new_chunk(const Rope& rope, std::span<const std::byte> bytes) {
  std::size_t room = kLeastGrowth;
  std::span<const std::byte> again;
  if (rope.size() != 0 && rope.last().chunk) {
    const Piece& last = rope.last();
    const bool is_filled = last.offset + last.length == last.chunk->capacity();
    if (is_filled && last.chunk->is_appended_to()) {
      room = std::clamp(2 * last.chunk->capacity(), kLeastGrowth, Chunk::kMostBytes - sizeof(Chunk));
    }
    // Someone else has the room behind it. What is short moves along, or each append after such a one would add a
    // piece.
    if (!is_filled && is_short(last)) {
      again = {last.chunk->data() + last.offset, last.length};
      room = std::max(room, 2 * again.size());
    }
  }
  Ref<Chunk> chunk = Chunk::make(std::max(room, again.size() + bytes.size()), Chunk::Use::appended_to);
  chunk->extend(0, again);
  chunk->extend(again.size(), bytes);
  const Piece piece{std::move(chunk), {}, 0, again.size() + bytes.size()};
  return again.empty() ? Rope::joined(rope, Rope(piece)) : rope.with_last(piece);
}

Rope appended_to(const Rope& rope, std::span<const std::byte> bytes) {
  if (bytes.empty()) return rope;
  if (rope.size() == 0 || !rope.last().chunk) return appended_in_new_chunk(rope, bytes);
  const Piece& last = rope.last();
  const std::size_t taken = last.chunk->extend(last.offset + last.length, bytes);
  if (taken == 0) return appended_in_new_chunk(rope, bytes);
  Piece longer = last;
  longer.length += taken;
  const Rope extended = rope.with_last(longer);
  return taken == bytes.size() ? extended : appended_in_new_chunk(extended, bytes.subspan(taken));
}

/// Copies the bytes of a piece that is no hole; false when its backing does not give them.
bool copy_out(const Piece& piece, std::byte* out) {
  if (piece.backing) {
    const auto read = piece.backing->read(piece.offset, {out, piece.length});
    return read && *read == piece.length;
  }
  std::memcpy(out, piece.chunk->data() + piece.offset, piece.length);
  return true;
}

/// `bytes` between two ropes, merged with short neighbours, so that no two short pieces stand side by side (but where a
/// backing cannot be read: its piece stays).
Rope inserted(Rope left, std::span<const std::byte> bytes, Rope right) {
  if (bytes.size() >= kShortPiece) return Rope::joined(Rope::joined(left, in_new_chunk(bytes)), right);
  constexpr std::size_t kEnough = 3 * kShortPiece;
  constexpr std::size_t kMost = kEnough + kShortPiece;
  // The bytes lie in the middle, what comes before them grows downwards.
  std::array<std::byte, 2 * kMost> merged;
  std::size_t begin = kMost;
  std::size_t end = kMost + bytes.size();
  std::memcpy(merged.data() + begin, bytes.data(), bytes.size());
  while (left.size() != 0 && end - begin < kEnough && is_short(left.last())) {
    const std::size_t length = left.last().length;
    if (!copy_out(left.last(), merged.data() + begin - length)) break;
    begin -= length;
    left = left.before(left.size() - length);
  }
  while (right.size() != 0 && end - begin < kEnough && is_short(right.first())) {
    const std::size_t length = right.first().length;
    if (!copy_out(right.first(), merged.data() + end)) break;
    end += length;
    right = right.behind(length);
  }
  return Rope::joined(Rope::joined(left, in_new_chunk({merged.data() + begin, end - begin})), right);
}

/// What `make` gives as a content; memory that runs out as an error.
template <class Make>
Result<Ref<const Content>> made(Make make) {
  try {
    return Ref<const Content>(make());
  } catch (const std::bad_alloc&) {
    return std::unexpected(Error(ErrorCode::no_memory));
  }
}

Result<Ref<const Content>> too_large() { return std::unexpected(Error(ErrorCode::too_large)); }

}  // namespace

void* Content::operator new(std::size_t bytes) {
  void* const memory = base::try_allocate(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void Content::operator delete(void* memory) noexcept { base::release(memory); }

Content::Content(Rope rope) noexcept : rope_(std::move(rope)) {
  contents_alive.fetch_add(1, std::memory_order_relaxed);
}
Content::~Content() { contents_alive.fetch_sub(1, std::memory_order_relaxed); }

std::uint64_t live_contents() noexcept { return contents_alive.load(std::memory_order_relaxed); }
std::uint64_t live_chunks() noexcept { return Chunk::alive(); }
std::uint64_t bytes_copied() noexcept { return Chunk::copied(); }

Result<Ref<const Content>> Content::copy_of(std::span<const std::byte> bytes) {
  return made([&] { return new Content(in_new_chunk(bytes)); });
}

Result<Ref<const Content>> Content::adopt(std::unique_ptr<std::byte[]> bytes, std::size_t count) {
  return made([&] {
    if (count == 0) return new Content({});
    Ref<Chunk> chunk = Chunk::adopt(std::move(bytes), count);
    return new Content(Rope(Piece{std::move(chunk), {}, 0, count}));
  });
}

Result<Ref<const Content>> Content::over(const Ref<const Backing>& backing) {
  const std::uint64_t size = backing->size();
  if (size > kMaxSize) return too_large();
  return made([&] { return new Content(size == 0 ? Rope() : Rope(Piece{{}, backing, 0, size})); });
}

Result<Ref<const Content>> Content::hole(std::uint64_t size) {
  if (size > kMaxSize) return too_large();
  return made([&] { return new Content(hole_of(size)); });
}

Result<Ref<const Content>> Content::appended(std::span<const std::byte> bytes) const {
  if (bytes.size() > kMaxSize - size()) return too_large();
  return made([&] { return new Content(appended_to(rope_, bytes)); });
}

Result<Ref<const Content>> Content::appended(const Content& more) const {
  if (more.size() > kMaxSize - size()) return too_large();
  return made([&] { return new Content(Rope::joined(rope_, more.rope_)); });
}

Result<Ref<const Content>> Content::written(std::uint64_t offset, const Content& more) const {
  if (offset > kMaxSize || more.size() > kMaxSize - offset) return too_large();
  return made([&] {
    if (more.size() == 0) return new Content(rope_);
    const Rope before = offset >= size() ? with_hole(rope_, offset - size()) : rope_.before(offset);
    return new Content(Rope::joined(Rope::joined(before, more.rope_), rope_.behind(offset + more.size())));
  });
}

Result<Ref<const Content>> Content::written(std::uint64_t offset, std::span<const std::byte> bytes) const {
  if (offset > kMaxSize || bytes.size() > kMaxSize - offset) return too_large();
  return made([&] {
    if (bytes.empty()) return new Content(rope_);
    if (offset >= size()) return new Content(appended_to(with_hole(rope_, offset - size()), bytes));
    return new Content(inserted(rope_.before(offset), bytes, rope_.behind(offset + bytes.size())));
  });
}

Result<Ref<const Content>> Content::resized(std::uint64_t size) const {
  if (size > kMaxSize) return too_large();
  return made([&] {
    const std::uint64_t now = this->size();
    return new Content(size <= now ? rope_.before(size) : with_hole(rope_, size - now));
  });
}

Result<std::size_t> Content::read(std::uint64_t offset, std::span<std::byte> buffer) const {
  if (offset >= size()) return 0;
  buffer = buffer.first(std::min<std::uint64_t>(buffer.size(), size() - offset));
  std::size_t filled = 0;
  Result<void> failed;
  rope_.walk(offset, [&](const Piece& piece, std::uint64_t begin) {
    const std::uint64_t skip = offset + filled - begin;
    const std::size_t count = std::min<std::uint64_t>(piece.length - skip, buffer.size() - filled);
    if (count == 0) return false;
    std::byte* const out = buffer.data() + filled;
    if (piece.chunk) {
      std::memcpy(out, piece.chunk->data() + piece.offset + skip, count);
    } else if (piece.backing) {
      const auto read = piece.backing->read(piece.offset + skip, {out, count});
      if (!read || *read != count) {
        failed = std::unexpected(!read ? read.error() : Error(ErrorCode::corrupt).with_note("content ends early"));
        return false;
      }
    } else {
      std::memset(out, 0, count);
    }
    filled += count;
    return filled < buffer.size();
  });
  if (!failed) return std::unexpected(std::move(failed.error()));
  return filled;
}

std::uint64_t Content::memory_bytes() const noexcept {
  std::uint64_t bytes = sizeof(Content) + rope_.count() * sizeof(RopeNode);
  const Chunk* before = nullptr;
  rope_.walk(0, [&](const Piece& piece, std::uint64_t) {
    if (piece.chunk && piece.chunk.get() != before) bytes += sizeof(Chunk) + piece.chunk->capacity();
    before = piece.chunk.get();
    return true;
  });
  return bytes;
}

Result<std::span<const std::byte>> Content::borrow() const {
  if (size() == 0) return std::span<const std::byte>();
  if (rope_.count() != 1 || rope_.first().is_hole()) return std::unexpected(Error(ErrorCode::not_supported));
  const Piece& piece = rope_.first();
  if (piece.chunk) return std::span(piece.chunk->data() + piece.offset, piece.length);
  const auto all = piece.backing->borrow();
  if (!all) return all;
  return all->subspan(piece.offset, piece.length);
}

Result<Content::Range> Content::next_data(std::uint64_t offset) const {
  Range found{size(), size()};
  Result<void> failed;
  bool begun = false;
  rope_.walk(offset, [&](const Piece& piece, std::uint64_t begin) {
    const std::uint64_t end = begin + piece.length;
    const std::uint64_t from = std::max(begin, offset);
    Range data{from, end};
    if (piece.is_hole()) return !begun;
    if (piece.backing) {
      const auto range = piece.backing->next_data(piece.offset + (from - begin));
      if (!range) {
        failed = std::unexpected(range.error());
        return false;
      }
      data = {std::min(begin + (range->begin - piece.offset), end), std::min(begin + (range->end - piece.offset), end)};
      if (data.begin >= end) return !begun;
    }
    if (begun && data.begin != found.end) return false;
    if (!begun) found.begin = data.begin;
    begun = true;
    found.end = data.end;
    return data.end == end;
  });
  if (!failed) return std::unexpected(std::move(failed.error()));
  return found;
}

}  // namespace packfs::content
