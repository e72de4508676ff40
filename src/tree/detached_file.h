#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "content/content.h"
#include "tree/table.h"

namespace packfs::tree {

/// One file alone, as it was when it was opened: what a File of a volume holds, so that it keeps nothing else alive.
class DetachedFile final : public Table {
 public:
  /// `content` null: an empty file.
  DetachedFile(Stat stat, std::vector<Xattr> xattrs, Ref<const content::Content> content) noexcept
      : stat_(stat), xattrs_(std::move(xattrs)), content_(std::move(content)) {}

  [[nodiscard]] Result<Node> root() const override { return std::unexpected(Error(ErrorCode::not_a_directory)); }
  [[nodiscard]] Result<Node> find(const Node&, std::string_view) const override {
    return std::unexpected(Error(ErrorCode::not_a_directory));
  }
  [[nodiscard]] Result<std::unique_ptr<Cursor>> list(const Node&, std::string_view) const override {
    return std::unexpected(Error(ErrorCode::not_a_directory));
  }
  [[nodiscard]] Result<Totals> totals(const Node&) const override {
    return std::unexpected(Error(ErrorCode::not_a_directory));
  }
  [[nodiscard]] Result<std::string> readlink(const Node&) const override {
    return std::unexpected(Error(ErrorCode::invalid));
  }
  [[nodiscard]] Result<Stat> stat(const Node&) const override { return stat_; }
  [[nodiscard]] Result<std::vector<Xattr>> xattrs(const Node&) const override { return xattrs_; }
  [[nodiscard]] Result<std::uint64_t> size(const Node&) const override { return stat_.size; }
  [[nodiscard]] Result<std::size_t> read(const Node&, std::uint64_t offset,
                                         std::span<std::byte> buffer) const override {
    return content_ ? content_->read(offset, buffer) : Result<std::size_t>(0);
  }
  [[nodiscard]] Result<std::span<const std::byte>> borrow(const Node&) const override {
    return content_ ? content_->borrow() : Result<std::span<const std::byte>>();
  }
  [[nodiscard]] Result<Range> next_data(const Node&, std::uint64_t offset) const override {
    if (!content_) return Range{};
    const auto range = content_->next_data(offset);
    if (!range) return std::unexpected(range.error());
    return Range{range->begin, range->end};
  }

 private:
  Stat stat_;
  std::vector<Xattr> xattrs_;
  Ref<const content::Content> content_;
};

}  // namespace packfs::tree
