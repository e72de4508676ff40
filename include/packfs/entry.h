#pragma once

#include <cstdint>
#include <string_view>

#include "packfs/error.h"
#include "packfs/file.h"
#include "packfs/node.h"
#include "packfs/types.h"

namespace packfs {

/// One name in a directory, as a Listing yields it. Cheap to copy. Valid as long as the Listing it came from.
class Entry {
 public:
  Entry() = default;
  Entry(const tree::Table* table, std::string_view name, const Node& node) noexcept
      : name_(name), table_(table), node_(node) {}

  /// The last component: 1 to 255 bytes, any but '/' and NUL, not necessarily UTF-8.
  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  [[nodiscard]] FileType type() const noexcept { return node_.type; }
  /// Attributes of the entry itself: a symlink is not followed. Errors: corrupt; an errno from the host.
  [[nodiscard]] Result<Stat> stat() const;
  /// Errors: is_a_directory; invalid (not a regular file; a symlink is not followed); as stat().
  [[nodiscard]] Result<File> open() const;
  [[nodiscard]] const Node& node() const noexcept { return node_; }

 private:
  std::string_view name_;
  const tree::Table* table_ = nullptr;
  Node node_;
};

}  // namespace packfs
