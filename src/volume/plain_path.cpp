#include "volume/plain_path.h"

#include <memory>
#include <utility>
#include <vector>

#include "path/path.h"
#include "tree/resolve.h"
#include "tree/table.h"

namespace packfs::volume {
namespace {

using path::DotDot;
using path::Splitter;

struct Step {
  Node directory;
  std::size_t path_end = 0;  // of its own path
};

}  // namespace

Result<std::string> plain_path(const View& tree, std::string_view path) {
  const tree::Table& table = *tree.table();
  std::string plain;
  std::vector<Step> steps{{tree.node(), 0}};
  std::vector<Splitter> open{Splitter(path)};  // what is left of the path, and of the targets that interrupted it
  std::vector<std::unique_ptr<const std::string>> targets;
  while (!open.empty()) {
    if (!open.back().next()) {
      if (const auto error = open.back().error()) return std::unexpected(Error(*error));
      open.pop_back();
      continue;
    }
    const std::string_view name = open.back().component();
    if (name == "..") {
      if (steps.size() > 1) steps.pop_back();
      plain.resize(steps.back().path_end);
      continue;
    }
    const auto node = table.find(steps.back().directory, name);
    if (!node) return std::unexpected(node.error());
    if (node->type == FileType::directory) {
      if (!plain.empty()) plain += '/';
      plain += name;
      steps.push_back({*node, plain.size()});
      continue;
    }
    if (node->type != FileType::symlink) return std::unexpected(Error(ErrorCode::not_a_directory));
    if (targets.size() == tree::kMaxSymlinks) return std::unexpected(Error(ErrorCode::symlink_loop));
    auto target = table.readlink(*node);
    if (!target) return std::unexpected(std::move(target.error()));
    targets.push_back(std::make_unique<const std::string>(std::move(*target)));
    open.emplace_back(*targets.back(), DotDot::parent);
    if (!open.back().is_absolute()) continue;
    steps.resize(1);
    plain.clear();
  }
  return plain;
}

}  // namespace packfs::volume
