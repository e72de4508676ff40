#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/alloc.h"
#include "packfs/error.h"
#include "tree/sink.h"

namespace packfs::pack {

/// Gives a ContentSource's bytes in windows, whatever kind of source it is. Borrows source and buffer, which is made
/// kWindowBytes long when first needed. One thread at a time. Errors of all calls: those of the source.
class ContentFeed {
 public:
  static constexpr std::size_t kWindowBytes = std::size_t{1} << 20;

  ContentFeed(tree::ContentSource& source, base::Buffer& buffer) noexcept;

  /// The first window; is_whole() then says whether it is all there is. A stream is read no further than that needs.
  [[nodiscard]] Result<std::span<const std::byte>> first();
  [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }

  /// `length` (at most kWindowBytes) bytes from `offset` on, fewer only at the end: valid until the next call. Offsets
  /// of a stream follow one another, from 0 on once more after first().
  [[nodiscard]] Result<std::span<const std::byte>> read(std::uint64_t offset, std::size_t length);

  /// The first offset from `offset` on, at most limit(), that may hold data.
  [[nodiscard]] Result<std::uint64_t> next_data(std::uint64_t offset);

  /// Offsets may be read again.
  [[nodiscard]] bool is_rewindable() const noexcept { return is_rewindable_; }
  /// Where the content ends at the latest; what a source grew beyond it is left out.
  [[nodiscard]] std::uint64_t limit() const noexcept { return limit_; }
  /// The source has turned out to be shorter. At most limit().
  void shorten(std::uint64_t limit) noexcept { limit_ = limit; }

 private:
  Result<std::size_t> fill(std::uint64_t offset, std::span<std::byte> buffer);

  tree::ContentSource& source_;
  base::Buffer& buffer_;
  std::uint64_t limit_;
  bool is_rewindable_;
  bool is_whole_ = false;
  std::size_t held_ = 0;  // a stream's first window, not yet read again
  std::byte ahead_{};     // the byte behind it, which told that there is more
  bool has_ahead_ = false;
};

}  // namespace packfs::pack
