#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/corpus.h"

namespace packfs::bench {

/// Paths one after another in memory, each with a NUL behind it, so that going through them in order costs every arm
/// the same and next to nothing.
class PathList {
 public:
  void add(std::string_view path);
  [[nodiscard]] std::size_t size() const noexcept { return starts_.size() - 1; }
  [[nodiscard]] std::string_view operator[](std::size_t i) const noexcept {
    return {text_.data() + starts_[i], starts_[i + 1] - starts_[i] - 1};
  }

 private:
  std::string text_;
  std::vector<std::uint32_t> starts_{0};
};

/// What all arms look up, in the same random order.
struct Lookups {
  std::vector<std::uint32_t> files;  ///< which file of the corpus each hit is
  PathList hits;                     ///< every file once
  PathList misses;                   ///< a name beside each that is not there
  std::uint64_t bytes = 0;           ///< in all files

  explicit Lookups(const Corpus& corpus);
};

}  // namespace packfs::bench
