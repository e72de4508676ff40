#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/io.h"
#include "base/unique_fd.h"
#include "host/entry_loader.h"
#include "host/import.h"
#include "host/import_links.h"
#include "host/walk.h"
#include "packfs/error.h"
#include "tree/sink.h"

namespace packfs::host {

/// One import while it goes on: hands to the sink what walks and loads found, and keeps the report.
/// One thread. Borrows all it is given. Errors of all calls: those that end the import.
class ImportRun {
 public:
  ImportRun(base::Io& io, tree::Sink& sink, const ImportOptions& options, ImportReport& report)
      : io_(io), sink_(sink), options_(options), report_(report), loader_(io, options.exclude) {}

  enum class As : bool { root, entry };
  /// A directory and all below it: as the sink's root, or as its entry `name`. `shown` is its path in reports.
  [[nodiscard]] Result<void> add_directory(base::unique_fd directory, As as, std::string_view name,
                                           std::string_view shown);

  /// What is not a directory, as an entry of the sink's root.
  [[nodiscard]] Result<void> add_other(int directory, const std::string& name, std::string_view shown);

  /// Names something that was left out for `error`.
  void skip(std::string path, Error error);

 private:
  struct Level {
    tree::Sink::DirectoryId id;
    std::size_t path_end;
    bool refused;  // by the sink, so that nothing below it is added either
  };
  [[nodiscard]] Result<void> enter(const WalkStep& step, As as, std::string_view name, std::string_view shown);
  [[nodiscard]] Result<void> add_entry(int directory, const char* name, LoadedEntry entry);
  [[nodiscard]] Result<bool> add_known_link(std::string_view name, const struct statx& status);
  [[nodiscard]] Result<void> add_loaded(std::string_view name, LoadedEntry& entry);
  [[nodiscard]] Result<tree::Sink::EntryId> hand_over(std::string_view name, const LoadedEntry& entry);
  [[nodiscard]] Result<tree::Sink::EntryId> hand_over_file(std::string_view name, const LoadedEntry& entry);
  [[nodiscard]] Result<void> judge(std::string_view name, Error error);
  [[nodiscard]] Result<void> count_entry();
  [[nodiscard]] bool tell_progress(std::uint64_t streamed);
  [[nodiscard]] std::string path_of(std::string_view name) const;

  base::Io& io_;
  tree::Sink& sink_;
  const ImportOptions& options_;
  ImportReport& report_;
  EntryLoader loader_;
  ImportLinks links_;
  std::vector<Level> levels_;
  std::string path_;  // of the current directory, as reports show it; empty: names stand alone
  std::uint64_t told_entries_ = 0;
  std::uint64_t told_bytes_ = 0;
  bool source_failed_ = false;  // the last error came from the file that was read, not from the sink
};

}  // namespace packfs::host
