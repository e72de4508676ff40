#pragma once

#include <string>

namespace packfs::testing {

/// Fills the empty directory `directory` with everything odd that a host tree can hold: names of any bytes and of 255,
/// empty and sparse files (one of 1 TiB), hard links of every kind across directories, symlinks, FIFOs, sockets,
/// extreme times and modes, extended attributes, ACLs, and depths beyond PATH_MAX and 1,100 levels. As root also
/// devices, foreign owners up to 2^32 - 2, setid bits and trusted.* attributes, those of symlinks included.
/// Meant for tmpfs, which keeps all of it. Throws std::runtime_error.
void make_odd_tree(const std::string& directory);

/// A chain of `levels` directories with names of `name_bytes` each below `directory`, a file at the bottom.
void make_deep_tree(const std::string& directory, unsigned levels, unsigned name_bytes);

}  // namespace packfs::testing
