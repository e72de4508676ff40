#include "tree/open_file.h"

#include <utility>

namespace packfs::tree {

Result<void> require_regular(const Node& node) {
  if (node.type == FileType::regular) [[likely]] {
    return {};
  }
  return std::unexpected(Error(node.type == FileType::directory ? ErrorCode::is_a_directory : ErrorCode::invalid));
}

Result<File> open_file(const Ref<const Table>& table, const Node& node) {
  if (auto regular = require_regular(node); !regular) return std::unexpected(std::move(regular.error()));
  return table->open(node);
}

Result<File> Table::open(const Node& file) const {
  const auto bytes = size(file);
  if (!bytes) return std::unexpected(bytes.error());
  return File(Ref<const Table>(this), file, *bytes);
}

}  // namespace packfs::tree
