#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packfs/error.h"
#include "packfs/node.h"
#include "packfs/ref.h"
#include "tree/dentry.h"
#include "tree/table.h"
#include "tree/treap.h"

namespace packfs::tree {

class PartHeap;

/// What a volume is at one moment: the root directory, and the inodes that have several names. Both are counted.
struct State {
  Dentry* root = nullptr;
  TreapNode* links = nullptr;  ///< Dentries of type and attributes of an inode, named by their link id (link_key())
};

/// The name of a link id in the link table: its eight bytes, most significant first. Beside an inode that the lower has
/// too stands, under its key with one byte more, a Dentry whose size is the file's size there.
class LinkKey {
 public:
  explicit LinkKey(std::uint64_t id) noexcept;
  [[nodiscard]] std::string_view name() const noexcept { return {bytes_.data(), 8}; }
  [[nodiscard]] std::string_view lower_name() const noexcept { return {bytes_.data(), 9}; }
  static std::uint64_t id_of(const Dentry& inode) noexcept;

 private:
  std::array<char, 9> bytes_;
};

/// Reads a State over a lower table (or none) as one tree. A Node's layer is 0 for what lies in the state, `entry` then
/// being the address of its Dentry; 1 for what lies in the lower. Threads: as the state allows.
class StateTable : public Table {
 public:
  [[nodiscard]] Result<Node> root() const override;
  [[nodiscard]] Result<Node> find(const Node& directory, std::string_view name) const override;
  [[nodiscard]] Result<std::unique_ptr<Cursor>> list(const Node& directory, std::string_view from) const override;
  [[nodiscard]] Result<Stat> stat(const Node& node) const override;
  [[nodiscard]] Result<Totals> totals(const Node& directory) const override;
  [[nodiscard]] Result<std::vector<Xattr>> xattrs(const Node& node) const override;
  [[nodiscard]] Result<std::string> readlink(const Node& symlink) const override;
  [[nodiscard]] Result<std::uint64_t> size(const Node& file) const override;
  [[nodiscard]] Result<std::size_t> read(const Node& file, std::uint64_t offset,
                                         std::span<std::byte> buffer) const override;
  [[nodiscard]] Result<std::span<const std::byte>> borrow(const Node& file) const override;
  [[nodiscard]] Result<Range> next_data(const Node& file, std::uint64_t offset) const override;
  [[nodiscard]] Result<File> open(const Node& file) const override;
  [[nodiscard]] std::uint64_t origin() const noexcept override;

  [[nodiscard]] const State& state() const noexcept { return state_; }
  [[nodiscard]] const Ref<const Table>& lower() const noexcept { return lower_; }
  [[nodiscard]] const PartHeap& heap() const noexcept { return heap_; }

  // NOLINTNEXTLINE(performance-no-int-to-ptr): node_of() made it of a pointer
  static const Dentry& dentry_of(const Node& node) noexcept { return *reinterpret_cast<const Dentry*>(node.entry); }
  static Node node_of(const Dentry& dentry) noexcept {
    return {.type = dentry.type, .entry = reinterpret_cast<std::uintptr_t>(&dentry)};
  }
  /// The inode behind a name of the state: the Dentry itself, or that of the link table. Errors: corrupt (the lower
  /// says that a file has fewer names than it has, and so many are gone).
  [[nodiscard]] Result<Node> inode_of(const Dentry& name) const;
  /// The inode's Dentry in the link table; null when there is none (it is as the lower has it).
  [[nodiscard]] const Dentry* find_link(std::uint64_t link_id) const noexcept;
  /// An entry that a directory of the state has itself, whiteouts and linked names as they are; null when it has none.
  [[nodiscard]] const Dentry* find_own(const Dentry& directory, std::string_view name,
                                       std::uint64_t hash) const noexcept;
  /// The lower's entry of a directory that has a lower. Errors: no_entry.
  [[nodiscard]] Result<Node> find_lower(const Node& lower_directory, std::string_view name) const;
  /// Of a node in the lower: the link id, 0 when it has one name.
  [[nodiscard]] Result<std::uint64_t> lower_link_id(const Node& node) const;
  /// The lower's node, or the link table's that has taken its place.
  [[nodiscard]] Result<Node> through_links(Node lower_node) const;

 protected:
  StateTable(const PartHeap& heap, Ref<const Table> lower, const State& state) noexcept;
  State state_;  // held by the derived class

 private:
  const PartHeap& heap_;
  Ref<const Table> lower_;
};

/// The stored sums of a directory of either layer: linked names' bytes are those that the lower had.
[[nodiscard]] Result<Totals> stored_totals(const StateTable& table, const Node& directory);

/// Attributes as stat gives them.
[[nodiscard]] Stat stat_of(const Dentry& inode) noexcept;

}  // namespace packfs::tree
