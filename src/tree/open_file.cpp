#include "tree/open_file.h"

#include <utility>

namespace packfs::tree {

Result<void> require_regular(const Node& node) {
  if (node.type == FileType::regular) [[likely]] {
    return {};
  }
  return std::unexpected(Error(node.type == FileType::directory ? ErrorCode::is_a_directory : ErrorCode::invalid));
}

Result<File> open_file(Ref<const Table> table, const Node& node) {
  if (auto regular = require_regular(node); !regular) return std::unexpected(std::move(regular.error()));
  const auto size = table->size(node);
  if (!size) return std::unexpected(size.error());
  return File(std::move(table), node, *size);
}

}  // namespace packfs::tree
