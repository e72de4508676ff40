#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "packfs/view.h"
#include "tree/sink.h"
#include "tree/table.h"

namespace packfs::testing {

/// A tree in memory, the simplest thing that can be imported into and exported from. Keeps a line of text for each call
/// it got, in order, with everything that was in the call, content included (as a hash).
class MemoryTree final : public tree::Sink {
 public:
  /// A file, directory, symlink or special; linked names share one.
  struct Inode {
    FileType type = FileType::directory;
    Attributes attributes;
    std::uint64_t size = 0;
    std::map<std::uint64_t, std::vector<std::byte>> pieces;  // content that is not a hole, by offset
    std::string target;
    std::uint32_t major = 0;
    std::uint32_t minor = 0;
    std::uint64_t link_id = 0;
    std::uint64_t names = 0;
    std::map<std::string, std::size_t, std::less<>> entries;  // of a directory: name to inode
  };

  MemoryTree();

  Result<void> set_root(const Attributes& attributes) override;
  Result<DirectoryId> add_directory(DirectoryId parent, std::string_view name, const Attributes& attributes) override;
  Result<Added> add_file(DirectoryId parent, std::string_view name, const Attributes& attributes,
                         tree::ContentSource& content) override;
  Result<EntryId> add_symlink(DirectoryId parent, std::string_view name, const Attributes& attributes,
                              std::string_view target) override;
  Result<EntryId> add_special(DirectoryId parent, std::string_view name, const Attributes& attributes, FileType type,
                              std::uint32_t major, std::uint32_t minor) override;
  Result<void> add_link(DirectoryId parent, std::string_view name, EntryId existing) override;

  /// Asked before each call; an error is returned from it.
  std::function<Result<void>(std::string_view name)> refuse;

  [[nodiscard]] const std::vector<std::string>& calls() const { return calls_; }
  /// By path from the root; null when there is none.
  [[nodiscard]] const Inode* find(std::string_view path) const;
  [[nodiscard]] std::string content(std::string_view path) const;

  /// What was taken in so far, to be read. Names are not checked: put in by hand, they may be hostile.
  [[nodiscard]] View view() const;
  /// Adds a name as it is.
  void add_unchecked(std::string_view name, Inode inode);

 private:
  struct State {
    std::vector<Inode> inodes;
    std::uint64_t next_link_id = 1;
  };
  class Table;
  class Cursor;
  Result<std::size_t> add(DirectoryId parent, std::string_view name, Inode inode, const std::string& detail);
  [[nodiscard]] Result<void> may_add(std::string_view name) const;

  std::shared_ptr<State> state_;
  std::vector<std::string> calls_;
};

}  // namespace packfs::testing
