#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/io.h"
#include "log/record.h"
#include "pack/content_writer.h"
#include "pack/interned.h"
#include "pack/item_table.h"
#include "pack/log_writer.h"
#include "pack/output.h"
#include "packfs/error.h"
#include "packfs/pack.h"
#include "packfs/pack_builder.h"
#include "tree/sink.h"

namespace packfs::pack {

/// Writes one pack to a descriptor, front to back, in one pass (docs/format.md). The same calls give the same bytes.
/// Numbers count up in order of the calls: what the format says of a host tree's order is the caller's to keep.
/// Borrows the descriptor and `io`. One thread at a time.
///
/// Errors of every add, beside those of tree::Sink: invalid (an unknown directory; a value that the format does not
/// allow), too_large (2^31 directories). After an error of the output every call returns it; after an exception every
/// call returns poisoned. After any other error nothing was added, and adding goes on.
class Writer final : public tree::Sink {
 public:
  /// The descriptor's current position counts as offset 0. Errors: invalid (a codec level); no_memory.
  static Result<std::unique_ptr<Writer>> create(base::Io& io, int fd, const BuildOptions& options);

  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Without it the root has the attributes of the options.
  Result<void> set_root(const Attributes& attributes) override;
  Result<DirectoryId> add_directory(DirectoryId parent, std::string_view name, const Attributes& attributes) override;
  Result<Added> add_file(DirectoryId parent, std::string_view name, const Attributes& attributes,
                         tree::ContentSource& content) override;
  Result<EntryId> add_symlink(DirectoryId parent, std::string_view name, const Attributes& attributes,
                              std::string_view target) override;
  Result<EntryId> add_special(DirectoryId parent, std::string_view name, const Attributes& attributes, FileType type,
                              std::uint32_t major, std::uint32_t minor) override;
  Result<void> add_link(DirectoryId parent, std::string_view name, EntryId existing) override;

  /// What has a name already. The first call of each makes a table of all names, or of all directories.
  struct Found {
    EntryId entry{};
    FileType type = FileType::none;
  };
  [[nodiscard]] std::optional<Found> find(DirectoryId parent, std::string_view name);
  [[nodiscard]] std::optional<DirectoryId> find_directory(DirectoryId parent, std::string_view name);

  /// Writes index and footer and hands everything to the kernel; it does not sync. Once: afterwards every call is
  /// invalid.
  [[nodiscard]] Result<PackInfo> finish();

 private:
  Writer(base::Io& io, int fd, const BuildOptions& options, std::uint64_t seed);

  template <class Operation>
  auto guarded(Operation operation) -> decltype(operation());
  Result<void> begin(DirectoryId parent, std::string_view name);
  Result<void> write_root(const Attributes& attributes);
  log::Record node_record(log::RecordType type, DirectoryId parent, std::string_view name,
                          const Attributes& attributes) const;
  Item node_item(FileType type, const log::Record& record);
  ItemRef keep(const Item& item);
  Result<void> write_commit();
  Result<PackInfo> write_index_and_footer();

  Output output_;
  LogWriter log_;
  std::optional<ContentWriter> contents_;
  Interned interned_;
  ItemTable items_;
  Attributes root_;
  bool has_root_ = false;
  std::uint64_t next_inode_ = 1;
  std::optional<Error> closed_;  // why nothing more is taken
};

}  // namespace packfs::pack
