#pragma once

#include <algorithm>
#include <cstdint>

#include "content/backing.h"
#include "content/stored.h"

namespace packfs::store {

/// The backing that is one run of a segment: all of it is data. Threads: any.
class RunBacking : public content::Backing {
 public:
  [[nodiscard]] std::uint64_t size() const final { return run_.size; }
  [[nodiscard]] Result<Range> next_data(std::uint64_t offset) const final {
    return Range{std::min(offset, run_.size), run_.size};
  }

 protected:
  explicit RunBacking(const content::Stored& run) noexcept : run_(run) {}
  [[nodiscard]] const content::Stored& run() const noexcept { return run_; }

 private:
  content::Stored run_;
};

}  // namespace packfs::store
