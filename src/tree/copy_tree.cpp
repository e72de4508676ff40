#include "tree/copy_tree.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tree/table.h"

namespace packfs::tree {
namespace {

/// A file of a table as a sink takes it.
class FileSource final : public ContentSource {
 public:
  FileSource(const Table& table, const Node& file, std::uint64_t size) : table_(table), file_(file), size_(size) {
    const auto all = table.borrow(file);
    if (all) bytes_ = *all;
    in_memory_ = all.has_value();
  }
  [[nodiscard]] bool in_memory() const override { return in_memory_; }
  [[nodiscard]] std::span<const std::byte> bytes() const override { return bytes_; }
  [[nodiscard]] bool rereadable() const override { return true; }
  [[nodiscard]] std::uint64_t expected_size() const override { return size_; }
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) override {
    return table_.read(file_, offset, buffer);
  }
  [[nodiscard]] Result<std::uint64_t> next_data(std::uint64_t offset) override {
    const auto range = table_.next_data(file_, offset);
    if (!range) return std::unexpected(range.error());
    return range->begin;
  }

 private:
  const Table& table_;
  Node file_;
  std::uint64_t size_;
  std::span<const std::byte> bytes_;
  bool in_memory_ = false;
};

class Copy {
 public:
  Copy(const Table& table, Sink& sink) noexcept : table_(table), sink_(sink) {}

  Result<void> run(const Node& root) {
    const auto attributes = attributes_of(root);
    if (!attributes) return std::unexpected(attributes.error());
    if (auto set = sink_.set_root(attributes->second); !set) return set;
    if (auto entered = enter(root, Sink::kRoot, ""); !entered) return entered;
    while (!open_.empty()) {
      Entry entry;
      const auto count = open_.back().cursor->next({&entry, 1});
      if (!count) return std::unexpected(count.error().with_path(path_));
      if (*count == 0) {
        path_.resize(open_.back().above);
        open_.pop_back();
        continue;
      }
      if (auto copied = copy(entry); !copied) return std::unexpected(copied.error().with_path(path_of(entry.name())));
    }
    return {};
  }

 private:
  struct Open {
    std::unique_ptr<Cursor> cursor;
    Sink::DirectoryId id{};
    std::size_t above = 0;  // how much of path_ is its parent's
  };

  Result<std::pair<Stat, Attributes>> attributes_of(const Node& node) const {
    const auto stat = table_.stat(node);
    if (!stat) return std::unexpected(stat.error());
    Attributes attributes{.mode = stat->mode, .uid = stat->uid, .gid = stat->gid, .mtime = stat->mtime, .xattrs = {}};
    if (stat->has_xattrs) {
      auto xattrs = table_.xattrs(node);
      if (!xattrs) return std::unexpected(std::move(xattrs.error()));
      attributes.xattrs = std::move(*xattrs);
    }
    return std::pair(*stat, std::move(attributes));
  }

  [[nodiscard]] std::string path_of(std::string_view name) const {
    return path_.empty() ? std::string(name) : path_ + "/" + std::string(name);
  }

  Result<void> enter(const Node& directory, Sink::DirectoryId id, std::string_view name) {
    auto cursor = table_.list(directory, "");
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    open_.push_back({std::move(*cursor), id, path_.size()});
    if (!path_.empty()) path_ += '/';
    path_ += name;
    return {};
  }

  Result<void> copy(const Entry& entry) {
    const Node& node = entry.node();
    const auto found = attributes_of(node);
    if (!found) return std::unexpected(found.error());
    const auto& [stat, attributes] = *found;
    const Sink::DirectoryId parent = open_.back().id;
    if (stat.type == FileType::directory) {
      const auto added = sink_.add_directory(parent, entry.name(), attributes);
      if (!added) return std::unexpected(added.error());
      return enter(node, *added, entry.name());
    }
    if (const auto known = linked_.find(stat.link_id); stat.link_id != 0 && known != linked_.end()) {
      return sink_.add_link(parent, entry.name(), known->second);
    }
    const auto added = add(entry, stat, attributes);
    if (!added) return std::unexpected(added.error());
    if (stat.link_id != 0) linked_.emplace(stat.link_id, *added);
    return {};
  }

  Result<Sink::EntryId> add(const Entry& entry, const Stat& stat, const Attributes& attributes) {
    const Sink::DirectoryId parent = open_.back().id;
    if (stat.type == FileType::regular) {
      FileSource source(table_, entry.node(), stat.size);
      const auto added = sink_.add_file(parent, entry.name(), attributes, source);
      if (!added) return std::unexpected(added.error());
      return added->entry;
    }
    if (stat.type == FileType::symlink) {
      const auto target = table_.readlink(entry.node());
      if (!target) return std::unexpected(target.error());
      return sink_.add_symlink(parent, entry.name(), attributes, *target);
    }
    return sink_.add_special(parent, entry.name(), attributes, stat.type, stat.device_major, stat.device_minor);
  }

  const Table& table_;
  Sink& sink_;
  std::vector<Open> open_;
  std::string path_;  // of the last of them, for errors: one for all, or a deep tree would cost its depth squared
  std::map<std::uint64_t, Sink::EntryId> linked_;
};

}  // namespace

Result<void> copy_tree(const View& from, Sink& to) { return Copy(*from.table(), to).run(from.node()); }

}  // namespace packfs::tree
