#include "tree/resolve.h"

#include <memory>
#include <string>
#include <utility>

#include "path/path.h"

namespace packfs::tree {
namespace {

using path::DotDot;
using path::Splitter;

/// Resolution that keeps the directories it came through, so that it can follow symlinks and go back up.
class Resolver {
 public:
  Resolver(const Table& table, const Node& start, const DirectoryChain* above) : table_(table) {
    if (above != nullptr) trail_ = above->directories;
    trail_.push_back(start);
  }

  Result<Node> run(std::string_view path, LastSymlink last) {
    pending_.push_back({nullptr, Splitter(path)});
    if (const auto error = pending_.back().splitter.error_ahead()) return std::unexpected(Error(*error));
    Node node = trail_.back();
    while (!pending_.empty()) {
      Splitter& splitter = pending_.back().splitter;
      if (!splitter.next()) {
        // The caller's path was checked at the start: this is a symlink's target.
        if (const auto error = splitter.error()) return std::unexpected(Error(*error));
        pending_.pop_back();
        continue;
      }
      auto stepped = step(splitter.component(), last);
      if (!stepped) return stepped;
      node = *stepped;
    }
    return node;
  }

  /// After run() that ended at a directory: its ancestors.
  Ref<const DirectoryChain> ancestors() && {
    trail_.pop_back();
    if (trail_.empty()) return {};
    Ref<DirectoryChain> chain(new DirectoryChain);
    chain->directories = std::move(trail_);
    return chain;
  }

 private:
  // A target's text lives on the heap, because splitters point into it while the stack they stand on grows.
  struct Pending {
    std::unique_ptr<const std::string> target;
    Splitter splitter;
  };

  Result<Node> step(std::string_view component, LastSymlink last) {
    if (component == "..") {
      if (trail_.size() > 1) trail_.pop_back();
      return trail_.back();
    }
    auto found = table_.find(trail_.back(), component);
    if (!found) return found;
    const Node node = *found;
    if (node.type == FileType::directory) {
      trail_.push_back(node);
      return node;
    }
    const bool ends = at_end();
    const bool needs_directory = !ends || directory_asked();
    if (node.type == FileType::symlink && (needs_directory || last == LastSymlink::followed)) return follow(node);
    if (needs_directory) return std::unexpected(Error(ErrorCode::not_a_directory));
    return node;
  }

  Result<Node> follow(const Node& symlink) {
    if (++followed_ > kMaxSymlinks) return std::unexpected(Error(ErrorCode::symlink_loop));
    auto target = table_.readlink(symlink);
    if (!target) return std::unexpected(std::move(target.error()));
    if (target->empty()) return std::unexpected(Error(ErrorCode::no_entry));
    auto text = std::make_unique<const std::string>(std::move(*target));
    const Splitter splitter(*text, DotDot::parent);
    if (splitter.is_absolute()) trail_.resize(1);
    pending_.push_back({std::move(text), splitter});
    return trail_.back();
  }

  [[nodiscard]] bool at_end() const {
    for (const Pending& pending : pending_) {
      if (!pending.splitter.is_last()) return false;
    }
    return true;
  }

  /// A '/' behind the component at hand: in the path, or in a target that stands in the path's last place.
  [[nodiscard]] bool directory_asked() const {
    for (const Pending& pending : pending_) {
      if (pending.splitter.requires_directory()) return true;
    }
    return false;
  }

  const Table& table_;
  std::vector<Node> trail_;       // from the root to the directory at hand
  std::vector<Pending> pending_;  // what is still to be walked, innermost target last
  int followed_ = 0;
};

}  // namespace

Result<Node> resolve(const Table& table, const Node& start, const DirectoryChain* above, std::string_view path,
                     LastSymlink last) {
  Node node = start;
  Splitter splitter(path);
  while (splitter.next()) {
    auto found = table.find(node, splitter.component());
    if (!found) [[unlikely]] {
      if (found.error().code() == ErrorCode::no_entry) {
        if (const auto error = splitter.error_ahead()) return std::unexpected(Error(*error));
      }
      return found;
    }
    node = *found;
    if (node.type == FileType::directory || (splitter.is_last() && !splitter.requires_directory() &&
                                             (node.type != FileType::symlink || last == LastSymlink::kept))) {
      continue;
    }
    if (node.type == FileType::symlink) return Resolver(table, start, above).run(path, last);
    if (const auto error = splitter.error_ahead()) return std::unexpected(Error(*error));
    return std::unexpected(Error(ErrorCode::not_a_directory));
  }
  if (const auto error = splitter.error()) return std::unexpected(Error(*error));
  return node;
}

Result<ResolvedDirectory> resolve_directory(const Table& table, const Node& start, const DirectoryChain* above,
                                            std::string_view path) {
  Resolver resolver(table, start, above);
  auto node = resolver.run(path, LastSymlink::followed);
  if (!node) return std::unexpected(std::move(node.error()));
  if (node->type != FileType::directory) return std::unexpected(Error(ErrorCode::not_a_directory));
  return ResolvedDirectory{*node, std::move(resolver).ancestors()};
}

}  // namespace packfs::tree
