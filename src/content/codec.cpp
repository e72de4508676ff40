#include "content/codec.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>

#include "base/bytes.h"
#include "content/format.h"

namespace packfs::content {
namespace {

constexpr int kSampleLevel = 1;

std::size_t worthwhile_limit(std::size_t raw_bytes) noexcept { return raw_bytes - (raw_bytes + 15) / 16; }

}  // namespace

int min_compression_level() noexcept { return ZSTD_minCLevel(); }
int max_compression_level() noexcept { return ZSTD_maxCLevel(); }

void Compressor::Free::operator()(ZSTD_CCtx_s* context) const noexcept { ZSTD_freeCCtx(context); }
Compressor::Compressor(Compressor&& other) noexcept = default;
Compressor& Compressor::operator=(Compressor&& other) noexcept = default;
Compressor::~Compressor() = default;

Result<Compressor> Compressor::make() {
  Compressor compressor;
  compressor.context_.reset(ZSTD_createCCtx());
  compressor.frame_ = base::Buffer::try_make(ZSTD_compressBound(kBlockBytes));
  if (!compressor.context_ || !compressor.frame_) return std::unexpected(ErrorCode::no_memory);
  ZSTD_CCtx_setParameter(compressor.context_.get(), ZSTD_c_contentSizeFlag, 1);
  ZSTD_CCtx_setParameter(compressor.context_.get(), ZSTD_c_checksumFlag, 0);
  ZSTD_CCtx_setParameter(compressor.context_.get(), ZSTD_c_dictIDFlag, 0);
  return compressor;
}

Result<std::span<const std::byte>> Compressor::compress(std::span<const std::byte> raw, int level) {
  if (raw.size() > kBlockBytes || level < ZSTD_minCLevel() || level > ZSTD_maxCLevel()) {
    return std::unexpected(ErrorCode::invalid);
  }
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
  // Into a buffer that takes any outcome: a tight one would make the frame depend on its size.
  const std::size_t bytes = ZSTD_compress2(context_.get(), frame_.data(), frame_.size(), raw.data(), raw.size());
  if (ZSTD_isError(bytes) != 0) return std::unexpected(ErrorCode::no_memory);
  if (bytes > worthwhile_limit(raw.size())) return std::span<const std::byte>();
  return std::span<const std::byte>(frame_.data(), bytes);
}

Result<bool> Compressor::looks_compressible(std::span<const std::byte> sample) {
  const auto frame = compress(sample.first(std::min(sample.size(), kSampleBytes)), kSampleLevel);
  if (!frame) return std::unexpected(frame.error());
  return !frame->empty();
}

void Decompressor::Free::operator()(ZSTD_DCtx_s* context) const noexcept { ZSTD_freeDCtx(context); }
Decompressor::Decompressor(Decompressor&& other) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&& other) noexcept = default;
Decompressor::~Decompressor() = default;

Result<Decompressor> Decompressor::make() {
  Decompressor decompressor;
  decompressor.context_.reset(ZSTD_createDCtx());
  if (!decompressor.context_) return std::unexpected(ErrorCode::no_memory);
  return decompressor;
}

bool Decompressor::decompress(std::span<const std::byte> frame, std::span<std::byte> raw) noexcept {
  // The library also takes skippable frames, rows of frames, and the formats before 1.0: none of them is ours.
  if (frame.size() < 4 || base::load_le<std::uint32_t>(frame.data()) != ZSTD_MAGICNUMBER) return false;
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != raw.size()) return false;
  if (ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size()) return false;
  return ZSTD_decompressDCtx(context_.get(), raw.data(), raw.size(), frame.data(), frame.size()) == raw.size();
}

}  // namespace packfs::content
