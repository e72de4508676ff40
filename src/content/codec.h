#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/alloc.h"
#include "packfs/error.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace packfs::content {

/// Levels of zstd (https://facebook.github.io/zstd/zstd_manual.html): negative ones are faster, 0 means 3.
[[nodiscard]] int min_compression_level() noexcept;
[[nodiscard]] int max_compression_level() noexcept;

/// Makes zstd frames of blocks of at most kBlockBytes, and says whether that is worth it. The same bytes and level give
/// the same frame, whatever was compressed before. Owns its context and buffer. One thread at a time.
class Compressor {
 public:
  /// Errors: no_memory.
  static Result<Compressor> make();
  Compressor(Compressor&& other) noexcept;
  Compressor& operator=(Compressor&& other) noexcept;
  ~Compressor();

  /// One frame: content size in its header, no checksum, no dictionary. Valid until the next call. Empty when it would
  /// not save at least 1/16 of `raw`. Errors: invalid (a level zstd does not have, too long a block); no_memory.
  [[nodiscard]] Result<std::span<const std::byte>> compress(std::span<const std::byte> raw, int level);

  /// Whether level 1 saves at least 1/16 of the sample, of which kSampleBytes count. Errors: no_memory.
  [[nodiscard]] Result<bool> looks_compressible(std::span<const std::byte> sample);
  static constexpr std::size_t kSampleBytes = 16384;

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const noexcept;
  };
  Compressor() = default;
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
  base::Buffer frame_;
};

/// Decodes zstd frames that nothing is known of. Owns its context. One thread at a time.
class Decompressor {
 public:
  /// Errors: no_memory.
  static Result<Decompressor> make();
  Decompressor(Decompressor&& other) noexcept;
  Decompressor& operator=(Decompressor&& other) noexcept;
  ~Decompressor();

  /// True when `frame` is exactly one zstd frame that says it holds raw.size() bytes, and does: they are in `raw` then.
  /// Otherwise what is in `raw` means nothing. Needs no memory that depends on the frame: one-shot decoding has no
  /// window but its output.
  [[nodiscard]] bool decompress(std::span<const std::byte> frame, std::span<std::byte> raw) noexcept;

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const noexcept;
  };
  Decompressor() = default;
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

}  // namespace packfs::content
