#include "content/encode.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/hash.h"

namespace packfs::content {
namespace {

void append(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void append_u64(std::vector<std::byte>& out, std::uint64_t value) {
  std::byte bytes[8];
  base::store_le(bytes, value);
  append(out, bytes);
}

// Appends one block and fills its table element. True when it was compressed.
Result<bool> encode_block(std::span<const std::byte> raw, int level, unsigned block_log2, Compressor& compressor,
                          std::size_t element_at, std::vector<std::byte>& out) {
  const auto frame = compressor.compress(raw, level);
  if (!frame) return std::unexpected(frame.error());
  const bool compressed = !frame->empty();
  const auto stored = compressed ? *frame : raw;
  const auto codec = static_cast<std::uint32_t>(compressed ? BlockCodec::zstd : BlockCodec::none);
  PackedBlock element;
  const std::uint32_t codec_and_length = (codec << 28) | static_cast<std::uint32_t>(stored.size());
  element.codec_and_length.set(codec_and_length);
  element.checksum.set(base::xxh3(stored, packed_block_seed(codec_and_length, block_log2, raw.size())));
  append(out, stored);
  std::memcpy(out.data() + element_at, &element, sizeof element);
  return compressed;
}

bool is_zero(const std::byte* block) noexcept {
  // Most data shows itself in the first word; the rest is compared with itself shifted by that word.
  return base::load_le<std::uint64_t>(block) == 0 && std::memcmp(block, block + 8, kHoleBytes - 8) == 0;
}

}  // namespace

Result<bool> encode_packed(std::span<const std::byte> raw, int level, unsigned block_log2, Compressor& compressor,
                           std::vector<std::byte>& out) {
  if (raw.empty() || raw.size() > kMaxExtentBytes || block_log2 < kMinBlockLog2 || block_log2 > kMaxBlockLog2) {
    return std::unexpected(ErrorCode::invalid);
  }
  const std::size_t begin = out.size();
  const std::size_t block_bytes = std::size_t{1} << block_log2;
  const std::size_t blocks = (raw.size() - 1) / block_bytes + 1;
  out.resize(begin + sizeof(PackedHeader) + blocks * sizeof(PackedBlock));
  PackedHeader header{};
  header.block_log2.set(static_cast<std::uint8_t>(block_log2));
  std::memcpy(out.data() + begin, &header, sizeof header);
  bool any_compressed = false;
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto block = raw.subspan(i * block_bytes, std::min(block_bytes, raw.size() - i * block_bytes));
    const std::size_t element_at = begin + sizeof(PackedHeader) + i * sizeof(PackedBlock);
    const auto compressed = encode_block(block, level, block_log2, compressor, element_at, out);
    if (!compressed) {
      out.resize(begin);
      return compressed;
    }
    any_compressed = any_compressed || *compressed;
  }
  return any_compressed;
}

void RunTrailer::update(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t held = length_ % kBlockBytes;
    const std::size_t part = std::min<std::size_t>(bytes.size(), kBlockBytes - held);
    if (part == kBlockBytes) {
      checksums_.push_back(base::xxh3(bytes.first(part)));
    } else {
      if (!partial_) partial_ = base::Buffer(kBlockBytes);
      std::memcpy(partial_.data() + held, bytes.data(), part);
      if (held + part == kBlockBytes) checksums_.push_back(base::xxh3(partial_.span()));
    }
    length_ += part;
    bytes = bytes.subspan(part);
  }
}

void RunTrailer::finish(std::uint64_t source_length, std::vector<std::byte>& out) {
  if (const std::size_t held = length_ % kBlockBytes; held != 0) {
    checksums_.push_back(base::xxh3(partial_.span().first(held)));
  }
  for (const std::uint64_t checksum : checksums_) append_u64(out, checksum);
  if (length_ > kSourceLengthAbove) append_u64(out, source_length);
  checksums_.clear();
  length_ = 0;
}

void append_run_trailer(std::span<const std::byte> run, std::vector<std::byte>& out) {
  for (std::size_t begin = 0; begin < run.size(); begin += kBlockBytes) {
    append_u64(out, base::xxh3(run.subspan(begin, std::min<std::size_t>(kBlockBytes, run.size() - begin))));
  }
  if (run.size() > kSourceLengthAbove) append_u64(out, run.size());
}

std::size_t leading_hole(std::span<const std::byte> bytes) noexcept {
  std::size_t at = 0;
  while (bytes.size() - at >= kHoleBytes && is_zero(bytes.data() + at)) at += kHoleBytes;
  return at;
}

std::size_t leading_data(std::span<const std::byte> bytes) noexcept {
  std::size_t at = 0;
  while (bytes.size() - at >= kHoleBytes && !is_zero(bytes.data() + at)) at += kHoleBytes;
  return bytes.size() - at < kHoleBytes ? bytes.size() : at;
}

}  // namespace packfs::content
