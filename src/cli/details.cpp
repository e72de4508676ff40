#include "cli/details.h"

#include <utility>

#include "tree/table.h"

namespace packfs::cli {

Result<Details> read_details(const tree::Table& table, const Node& node, std::string path) {
  Details details{.path = std::move(path), .stat = {}, .target = {}, .xattrs = {}};
  const auto stat = table.stat(node);
  if (!stat) return std::unexpected(stat.error());
  details.stat = *stat;
  if (node.type == FileType::symlink) {
    auto target = table.readlink(node);
    if (!target) return std::unexpected(target.error());
    details.target = *std::move(target);
  }
  return details;
}

Result<Details> read_details(const View& view, const std::string& path) {
  Details details{.path = path, .stat = {}, .target = {}, .xattrs = {}};
  const auto stat = view.lstat(path);
  if (!stat) return std::unexpected(stat.error());
  details.stat = *stat;
  if (stat->type == FileType::symlink) {
    auto target = view.readlink(path);
    if (!target) return std::unexpected(target.error());
    details.target = *std::move(target);
  }
  return details;
}

}  // namespace packfs::cli
