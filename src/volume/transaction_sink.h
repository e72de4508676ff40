#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/alloc.h"
#include "pack/content_feed.h"
#include "packfs/volume.h"
#include "tree/operation.h"
#include "tree/sink.h"

namespace packfs::volume {

/// Takes a tree into a directory of a volume, within an open transaction, every entry with all that was given for it.
///
/// What is there already: directories merge, and get the attributes of what comes; anything else is replaced by what is
/// no directory either (other names of a replaced file keep what they had); a directory where there is none in the
/// other is refused (exists), and stays. A symlink to a directory is none. Contents get a hole for every whole, aligned
/// block of 4096 zeros.
///
/// Errors, besides Sink's: those of the transaction. After one of them the transaction is good for nothing but being
/// dropped, unless it is exists, invalid or name_too_long, or the content's: then nothing of that entry is there, and
/// what was there before is. Memory: some 30 bytes and the name for each entry, and 1 MiB. Borrows the transaction. One
/// thread at a time.
class TransactionSink final : public tree::Sink {
 public:
  /// `directory` is a path in the volume of a directory that is there; symlinks in it are followed. Errors: those of
  /// View for paths; those of the transaction.
  [[nodiscard]] static Result<TransactionSink> at(Transaction& transaction, std::string_view directory);

  /// set_root() does nothing: the directory keeps its attributes.
  void keep_root() noexcept { keeps_root_ = true; }

  Result<void> set_root(const Attributes& attributes) override;
  Result<DirectoryId> add_directory(DirectoryId parent, std::string_view name, const Attributes& attributes) override;
  Result<Added> add_file(DirectoryId parent, std::string_view name, const Attributes& attributes,
                         tree::ContentSource& content) override;
  Result<EntryId> add_symlink(DirectoryId parent, std::string_view name, const Attributes& attributes,
                              std::string_view target) override;
  Result<EntryId> add_special(DirectoryId parent, std::string_view name, const Attributes& attributes, FileType type,
                              std::uint32_t major, std::uint32_t minor) override;
  Result<void> add_link(DirectoryId parent, std::string_view name, EntryId existing) override;

  /// Once, when all is there: the times of directories, which changed with what came into them. Errors: also that of an
  /// earlier call that could not take back what had failed.
  Result<void> finish();

 private:
  TransactionSink(Transaction& transaction, std::string plain_path);

  /// A name that was added.
  struct Known {
    std::uint32_t parent = 0;  // of directories_
    std::uint32_t name_length = 0;
    std::uint64_t name = 0;  // where in names_
  };
  struct Directory {
    Known known;
    Time mtime;
  };

  Known remember(DirectoryId parent, std::string_view name);
  Result<EntryId> added(DirectoryId parent, std::string_view name);
  [[nodiscard]] std::string_view name_of(const Known& known) const noexcept;
  const std::string& path_of(DirectoryId directory);
  Result<std::string> path_of(DirectoryId parent, std::string_view name);
  Result<void> run(const tree::Operation& operation) const;
  Result<void> make(const tree::Operation& operation);
  Result<std::string> move_aside(std::string_view path) const;
  Result<void> undone(Result<void> done, const Result<void>& failure);
  template <class Make>
  Result<void> in_place_of(std::string_view path, Make make);
  Result<std::uint64_t> stream(const std::string& path, const Attributes& attributes, pack::ContentFeed& feed);
  Result<void> append(const std::string& path, std::uint64_t offset, std::span<const std::byte> window,
                      std::uint64_t& written) const;

  Transaction& transaction_;
  std::string root_path_;
  std::vector<Directory> directories_;
  std::vector<Known> entries_;
  std::string names_;
  std::string path_;  // of the directory asked for last
  std::uint32_t path_is_of_ = 0;
  bool has_root_ = false;
  bool keeps_root_ = false;
  Result<void> whole_;
  Attributes root_;
  base::Buffer buffer_;
};

}  // namespace packfs::volume
