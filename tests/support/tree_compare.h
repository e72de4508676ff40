#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace packfs::testing {

struct CompareOptions {
  bool owners = true;
  bool root_attributes = true;  ///< those of the two directories themselves
  /// The second tree must have a hole for every whole, aligned, all-zero block of 4096 bytes. For filesystems that
  /// report holes of that size.
  bool holes = true;
  std::size_t max_differences = 200;
};

/// Compares two host trees: names, types, modes, owners, mtimes, device numbers, which names are one file, extended
/// attributes, targets, contents, holes. One line of text for each difference, none when they are alike. Any depth.
/// Throws std::runtime_error when a tree cannot be read.
std::vector<std::string> compare_trees(const std::string& first, const std::string& second,
                                       const CompareOptions& options = {});

}  // namespace packfs::testing
