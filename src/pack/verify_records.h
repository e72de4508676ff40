#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "content/format.h"
#include "log/scanner.h"
#include "pack/reader.h"
#include "pack/verify_names.h"
#include "pack/verify_report.h"

namespace packfs::pack {

/// Reads a pack from its header to its footer: records of log and index alike, heads, contents, the pack id, and that
/// log and index say the same. Borrows both. One thread at a time.
class RecordVerifier {
 public:
  RecordVerifier(const Reader& reader, VerifyLog& log) : reader_(reader), log_(log), names_(reader, log) {}
  void run();

 private:
  /// A put whose extents are being read.
  struct Chain {
    log::Record put;  // its views are dead until they are set to the copies below
    std::string name;
    std::vector<Xattr> xattrs;
    std::uint64_t offset = 0;
    std::uint64_t end = 0;  // of the last extent, in the file
    std::vector<content::ExtentMapElement> extents;
  };

  void check_header();
  void check_footer();
  void scan(std::uint64_t begin, std::uint64_t end, bool is_log);
  void check_log_record(const log::ScannedRecord& scanned);
  void check_content(const log::ScannedRecord& scanned);
  void begin_chain(const log::ScannedRecord& scanned);
  void check_extent(const log::ScannedRecord& scanned);
  void end_chain(const log::ScannedRecord& scanned);
  [[nodiscard]] Result<content::Stored> check_map(const log::ScannedRecord& scanned, const Chain& chain) const;
  void check_commit(const log::ScannedRecord& scanned);
  void check_index_record(const log::ScannedRecord& scanned);
  void damage_of(Error error, const log::Record& named);

  const Reader& reader_;
  VerifyLog& log_;
  NameVerifier names_;
  std::unique_ptr<content::StoredReader> contents_;  // of the whole file
  base::Xxh3Stream128 checksums_;
  std::optional<Chain> chain_;
  std::uint64_t records_ = 0;
  std::uint64_t last_commit_ = 0;
  bool committed_ = false;
  bool complete_ = true;  // every record could be read
};

}  // namespace packfs::pack
