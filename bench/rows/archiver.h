#pragma once

#include <string>
#include <vector>

namespace packfs::bench {

/// A program that makes one file of a host tree, uncompressed: a peer of building a pack.
struct Archiver {
  std::string arm;
  std::string output;                ///< the file it makes
  std::vector<std::string> make;     ///< the command; `output` is not there before
  std::vector<std::string> extract;  ///< the command that gets the tree back, less its last word: the target directory
  bool has_times = false;            ///< modification times are kept, to the second
};

/// Those whose programs are there. Files lie in `directory`.
[[nodiscard]] std::vector<Archiver> archivers(const std::string& tree, const std::string& directory);

}  // namespace packfs::bench
