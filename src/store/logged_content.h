#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "content/content.h"
#include "content/encode.h"
#include "packfs/error.h"
#include "packfs/ref.h"
#include "store/run_backing.h"
#include "store/segment_file.h"

namespace packfs::store {

/// A content that was put into a journal: read from memory until it may be read from the segment it was written to.
///
/// Its states, each for good: in memory; in the file, but the transaction that wrote it may yet be dropped and its
/// place taken by something else; in the file, durable; or gone with its transaction. Memory is given back once the
/// file is read and nobody is reading from memory or has borrowed it.
///
/// Threads: reading from any; the changes of state from one at a time.
class LoggedContent final : public RunBacking {
 public:
  /// `location` is where the run begins in its segment.
  LoggedContent(Ref<const content::Content> memory, std::uint64_t location) noexcept
      : RunBacking({content::Form::run, memory->size(), location, memory->size()}), memory_(std::move(memory)) {}

  /// Where its bytes begin in the segment, and their trailer ends.
  [[nodiscard]] std::uint64_t location() const noexcept { return run().location; }
  [[nodiscard]] std::uint64_t end() const noexcept {
    return run().location + run().size + content::run_trailer_bytes(run().size);
  }
  [[nodiscard]] bool is_in_file() const noexcept { return (state_.load(std::memory_order_relaxed) & kInFile) != 0; }

  /// The bytes are in `file`, not durable yet.
  void written(Ref<const SegmentFile> file) const noexcept;
  /// The bytes are in `file`, which is not looked at when it was given before, and durable.
  void settle(const Ref<const SegmentFile>& file) const noexcept;
  /// Its transaction is no more. What is in memory stays; what is in the file is stale for whoever still has it. True
  /// when it was in the file.
  bool drop() const noexcept;

  /// Errors: stale (gone).
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) const override;
  /// Errors: not_supported also while its place may be taken.
  [[nodiscard]] Result<std::span<const std::byte>> borrow() const override;

 private:
  static constexpr std::uint32_t kInFile = std::uint32_t{1} << 31;
  static constexpr std::uint32_t kDurable = std::uint32_t{1} << 30;
  static constexpr std::uint32_t kGone = std::uint32_t{1} << 29;
  static constexpr std::uint32_t kBorrowed = std::uint32_t{1} << 28;
  static constexpr std::uint32_t kPins = kBorrowed - 1;

  bool pin() const noexcept;
  void unpin() const noexcept;
  void release_memory() const noexcept { memory_ = {}; }
  Result<void> present() const;

  mutable Ref<const content::Content>
      memory_;                           // given up by whoever takes the last pin, or finds none, once in the file
  mutable Ref<const SegmentFile> file_;  // set before kInFile
  mutable std::atomic<std::uint32_t> state_{0};  // flags, and how many read from memory or have borrowed it
};

}  // namespace packfs::store
