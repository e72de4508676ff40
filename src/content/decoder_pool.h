#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/alloc.h"
#include "content/codec.h"
#include "packfs/error.h"

namespace packfs::content {

/// A decompressor and the block it decoded last, so that the next small read of that block decodes nothing.
struct Decoder {
  explicit Decoder(Decompressor made) noexcept : decompressor(std::move(made)) {}

  static constexpr std::uint64_t kNothing = UINT64_MAX;
  Decompressor decompressor;
  base::Buffer scratch;            ///< for stored bytes of a source that is not mapped
  base::Buffer raw;                ///< the decoded block
  std::uint64_t raw_length = 0;    ///< its bytes
  std::uint64_t holds = kNothing;  ///< which block `raw` holds: its checksum's offset
};

/// Idle decoders, last used first out. As many are made as threads decode at once; a few are kept.
/// Threads: all calls from any.
class DecoderPool {
 public:
  DecoderPool();

  /// A decoder for one thread's use, given back at its end. Borrows the pool.
  class Lease {
   public:
    Lease(DecoderPool& pool, std::unique_ptr<Decoder> decoder) noexcept : pool_(pool), decoder_(std::move(decoder)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (decoder_) pool_.give_back(std::move(decoder_));
    }
    Decoder& operator*() const noexcept { return *decoder_; }
    Decoder* operator->() const noexcept { return decoder_.get(); }

   private:
    DecoderPool& pool_;
    std::unique_ptr<Decoder> decoder_;
  };

  /// Preferably the decoder that holds the block `wanted`. Errors: no_memory.
  [[nodiscard]] Result<Lease> take(std::uint64_t wanted);

 private:
  static constexpr std::size_t kMostIdle = 16;
  void give_back(std::unique_ptr<Decoder> decoder) noexcept;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Decoder>> idle_;
};

}  // namespace packfs::content
