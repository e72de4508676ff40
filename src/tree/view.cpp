#include "packfs/view.h"

#include <utility>

#include "tree/open_file.h"
#include "tree/resolve.h"
#include "tree/table.h"

namespace packfs {

using tree::LastSymlink;

View::View(Ref<const tree::Table> table, const Node& directory, Ref<const tree::DirectoryChain> above) noexcept
    : table_(std::move(table)), directory_(directory), above_(std::move(above)) {}
View::View(const View&) noexcept = default;
View::View(View&&) noexcept = default;
View& View::operator=(const View&) noexcept = default;
View& View::operator=(View&&) noexcept = default;
View::~View() = default;

Result<File> View::open(std::string_view path) const {
  auto node = tree::resolve(*table_, directory_, above_.get(), path, LastSymlink::followed);
  if (!node) return std::unexpected(std::move(node.error()));
  return tree::open_file(table_, *node);
}

Result<std::size_t> View::read(std::string_view path, std::span<std::byte> buffer, std::uint64_t offset) const {
  auto node = tree::resolve(*table_, directory_, above_.get(), path, LastSymlink::followed);
  if (!node) return std::unexpected(std::move(node.error()));
  if (auto regular = tree::require_regular(*node); !regular) return std::unexpected(std::move(regular.error()));
  return table_->read(*node, offset, buffer);
}

Result<Stat> View::stat(std::string_view path) const {
  auto node = tree::resolve(*table_, directory_, above_.get(), path, LastSymlink::followed);
  if (!node) return std::unexpected(std::move(node.error()));
  return table_->stat(*node);
}

Result<Stat> View::lstat(std::string_view path) const {
  auto node = tree::resolve(*table_, directory_, above_.get(), path, LastSymlink::kept);
  if (!node) return std::unexpected(std::move(node.error()));
  return table_->stat(*node);
}

Result<std::string> View::readlink(std::string_view path) const {
  auto node = tree::resolve(*table_, directory_, above_.get(), path, LastSymlink::kept);
  if (!node) return std::unexpected(std::move(node.error()));
  if (node->type != FileType::symlink) return std::unexpected(Error(ErrorCode::invalid));
  return table_->readlink(*node);
}

Result<std::vector<Xattr>> View::xattrs(std::string_view path) const {
  auto node = tree::resolve(*table_, directory_, above_.get(), path, LastSymlink::kept);
  if (!node) return std::unexpected(std::move(node.error()));
  return table_->xattrs(*node);
}

Listing View::list(std::string_view path, std::string_view from) const {
  auto node = tree::resolve(*table_, directory_, above_.get(), path, LastSymlink::followed);
  if (!node) return Listing(std::move(node.error()));
  if (node->type != FileType::directory) return Listing(Error(ErrorCode::not_a_directory));
  auto cursor = table_->list(*node, from);
  if (!cursor) return Listing(std::move(cursor.error()));
  return {table_, std::move(*cursor)};
}

Result<View> View::directory(std::string_view path) const {
  auto found = tree::resolve_directory(*table_, directory_, above_.get(), path);
  if (!found) return std::unexpected(std::move(found.error()));
  return View(table_, found->node, std::move(found->above));
}

Result<Totals> View::totals(std::string_view path) const {
  auto node = tree::resolve(*table_, directory_, above_.get(), path, LastSymlink::followed);
  if (!node) return std::unexpected(std::move(node.error()));
  if (node->type != FileType::directory) return std::unexpected(Error(ErrorCode::not_a_directory));
  return table_->totals(*node);
}

}  // namespace packfs
