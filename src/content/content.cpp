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

/// These bytes in one new piece, with room to go on for `more`.
Rope in_new_chunk(std::span<const std::byte> bytes, std::size_t more) {
  if (bytes.empty()) return {};
  Ref<Chunk> chunk = Chunk::make(bytes.size() + more);
  chunk->extend(0, bytes);
  return Rope(Piece{std::move(chunk), {}, 0, bytes.size()});
}

Rope hole_of(std::uint64_t size) { return size == 0 ? Rope() : Rope(Piece{{}, {}, 0, size}); }

Rope appended_to(const Rope& rope, std::span<const std::byte> bytes) {
  if (bytes.empty()) return rope;
  Rope base = rope;
  if (rope.size() != 0) {
    const Piece& last = rope.last();
    if (last.chunk) {
      const std::size_t taken = last.chunk->extend(last.offset + last.length, bytes);
      if (taken != 0) {
        Piece longer = last;
        longer.length += taken;
        base = Rope::joined(rope.before(rope.size() - last.length), Rope(std::move(longer)));
        bytes = bytes.subspan(taken);
      }
    }
  }
  if (bytes.empty()) return base;
  // As much again as there is: so the chunks double, up to a huge page.
  const std::uint64_t most = Chunk::kMostBytes - sizeof(Chunk);
  const std::uint64_t wanted = std::clamp<std::uint64_t>(base.size(), kLeastGrowth, most);
  return Rope::joined(base, in_new_chunk(bytes, wanted > bytes.size() ? wanted - bytes.size() : 0));
}

/// Whether a piece is to be merged with its neighbour.
bool is_short(const Piece& piece) noexcept { return piece.chunk && piece.length < kShortPiece; }

/// `bytes` between two ropes, merged with short neighbours in memory, so that no two short pieces stand side by side.
Rope inserted(Rope left, std::span<const std::byte> bytes, Rope right) {
  if (bytes.size() >= kShortPiece) {
    return Rope::joined(Rope::joined(left, in_new_chunk(bytes, 0)), right);
  }
  std::array<std::byte, 4 * kShortPiece> merged;
  std::memcpy(merged.data(), bytes.data(), bytes.size());
  std::size_t length = bytes.size();
  while (left.size() != 0 && length < 3 * kShortPiece && is_short(left.last())) {
    const Piece& last = left.last();
    std::memmove(merged.data() + last.length, merged.data(), length);
    std::memcpy(merged.data(), last.chunk->data() + last.offset, last.length);
    length += last.length;
    left = left.before(left.size() - last.length);
  }
  while (right.size() != 0 && length < 3 * kShortPiece && is_short(right.first())) {
    const Piece& first = right.first();
    std::memcpy(merged.data() + length, first.chunk->data() + first.offset, first.length);
    length += first.length;
    right = right.behind(first.length);
  }
  return Rope::joined(Rope::joined(left, in_new_chunk(std::span(merged).first(length), 0)), right);
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
  return made([&] { return new Content(in_new_chunk(bytes, 0)); });
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

Result<Ref<const Content>> Content::written(std::uint64_t offset, std::span<const std::byte> bytes) const {
  if (offset > kMaxSize || bytes.size() > kMaxSize - offset) return too_large();
  return made([&] {
    if (bytes.empty()) return new Content(rope_);
    if (offset == size()) return new Content(appended_to(rope_, bytes));
    if (offset > size()) {
      return new Content(Rope::joined(Rope::joined(rope_, hole_of(offset - size())), in_new_chunk(bytes, 0)));
    }
    return new Content(inserted(rope_.before(offset), bytes, rope_.behind(offset + bytes.size())));
  });
}

Result<Ref<const Content>> Content::resized(std::uint64_t size) const {
  if (size > kMaxSize) return too_large();
  return made([&] {
    const std::uint64_t now = this->size();
    return new Content(size <= now ? rope_.before(size) : Rope::joined(rope_, hole_of(size - now)));
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
