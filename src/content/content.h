#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "content/rope.h"
#include "packfs/error.h"
#include "packfs/ref.h"

namespace packfs::content {

/// A file's bytes in a volume: an immutable sequence of pieces, each part of a chunk of memory, of a backing, or a
/// hole. Edits give another content that shares what they do not touch. Threads: any; counted atomically.
///
/// Appending goes on in the last chunk when this content ends where that chunk's used part does: whoever moves that
/// mark has the room, so that two that go on from one content never write to the same place, and an append that comes
/// to nothing leaves no more than unused room. So appending n bytes in k steps copies each byte once.
///
/// Errors of all makers and edits: no_memory (nothing is changed or kept); too_large (past 2^63 - 1 bytes).
class Content final : public Counted {
 public:
  static Result<Ref<const Content>> copy_of(std::span<const std::byte> bytes);
  /// Takes the memory over.
  static Result<Ref<const Content>> adopt(std::unique_ptr<std::byte[]> bytes, std::size_t count);
  static Result<Ref<const Content>> over(const Ref<const Backing>& backing);
  static Result<Ref<const Content>> hole(std::uint64_t size);

  [[nodiscard]] Result<Ref<const Content>> appended(std::span<const std::byte> bytes) const;
  /// The bytes of another, shared with it.
  [[nodiscard]] Result<Ref<const Content>> appended(const Content& more) const;
  /// A gap behind the end becomes a hole.
  [[nodiscard]] Result<Ref<const Content>> written(std::uint64_t offset, std::span<const std::byte> bytes) const;
  /// The bytes of another, shared with it.
  [[nodiscard]] Result<Ref<const Content>> written(std::uint64_t offset, const Content& more) const;
  /// Cut off, or grown by a hole.
  [[nodiscard]] Result<Ref<const Content>> resized(std::uint64_t size) const;

  [[nodiscard]] std::uint64_t size() const noexcept { return rope_.size(); }
  [[nodiscard]] std::size_t piece_count() const noexcept { return rope_.count(); }
  /// Memory it keeps, roughly: what it shares with others is counted in full, backings are not.
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept;
  /// Whether more than one holds it, at this moment.
  [[nodiscard]] bool is_shared() const noexcept { return references() > 1; }
  /// Less than asked only at the end. Errors: the backing's.
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) const;
  /// All of it without a copy, valid as long as this. Errors: not_supported (not one run in memory); the backing's.
  [[nodiscard]] Result<std::span<const std::byte>> borrow() const;
  /// The next stretch from `offset` on that is no hole; both ends the size when there is none. Errors: the backing's.
  using Range = Backing::Range;
  [[nodiscard]] Result<Range> next_data(std::uint64_t offset) const;

  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory) noexcept;

 private:
  explicit Content(Rope rope) noexcept;
  ~Content() override;
  Rope rope_;
};

/// Contents and chunks alive in the process: what tests hold against leaks.
[[nodiscard]] std::uint64_t live_contents() noexcept;
[[nodiscard]] std::uint64_t live_chunks() noexcept;
/// Bytes copied into chunks since the process began.
[[nodiscard]] std::uint64_t bytes_copied() noexcept;

}  // namespace packfs::content
