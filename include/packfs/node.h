#pragma once

#include <cstdint>

#include "packfs/types.h"

namespace packfs {

namespace tree {
class Table;
class Cursor;
struct DirectoryChain;
}  // namespace tree

/// Where an entry stands in the table it was found in. Opaque to callers; only that table can read it.
struct Node {
  FileType type = FileType::none;
  std::uint32_t layer = 0;      ///< of a volume's state: 0 what was changed, 1 the base below
  std::uint64_t entry = 0;      ///< which entry
  std::uint64_t directory = 0;  ///< for a directory: which one
};

}  // namespace packfs
