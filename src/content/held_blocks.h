#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/alloc.h"
#include "content/checked_block.h"

namespace packfs::content {

/// A block's bytes in memory, found good when they were read.
struct HeldBlock {
  CheckedBlock block;  ///< which; of length 0: none
  base::Buffer bytes;
};

/// The blocks that were read last of a source that is not mapped: reading one piece by piece reads and hashes it once,
/// and what is given out is what was hashed, whatever becomes of the file. Memory: kMostIdle blocks, and one for each
/// thread that reads. Threads: all calls from any.
class HeldBlocks {
 public:
  HeldBlocks() { idle_.reserve(kMostIdle); }

  /// One for one thread's use, given back at its end; preferably that which holds `wanted`. Borrows this.
  class Lease {
   public:
    Lease(HeldBlocks& all, std::unique_ptr<HeldBlock> held) noexcept : all_(all), held_(std::move(held)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { all_.give_back(std::move(held_)); }
    HeldBlock* operator->() const noexcept { return held_.get(); }

   private:
    HeldBlocks& all_;
    std::unique_ptr<HeldBlock> held_;
  };
  [[nodiscard]] Lease take(const CheckedBlock& wanted);

 private:
  static constexpr std::size_t kMostIdle = 8;
  void give_back(std::unique_ptr<HeldBlock> held) noexcept;

  std::mutex mutex_;
  std::vector<std::unique_ptr<HeldBlock>> idle_;  // last used last
};

}  // namespace packfs::content
