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
#include "pack/verify_report.h"

namespace packfs::pack {

/// Reads a pack's records, log and index alike: heads, contents, the pack id, and that each name in the log stands in
/// the index with the same attributes and content. Borrows both. One thread at a time.
class RecordVerifier {
 public:
  RecordVerifier(const Reader& reader, VerifyLog& log) : reader_(reader), log_(log) {}
  void run();

 private:
  /// A put whose extents are being read.
  struct Chain {
    log::Record put;  // its views are dead until they are set to the copies below
    std::string name;
    std::vector<Xattr> xattrs;
    std::uint64_t offset = 0;
    std::vector<content::ExtentMapElement> extents;
  };

  void scan(std::uint64_t begin, std::uint64_t end, bool is_log);
  void check_log_record(const log::ScannedRecord& scanned);
  void check_content(const log::ScannedRecord& scanned);
  void begin_chain(const log::ScannedRecord& scanned);
  void check_extent(const log::ScannedRecord& scanned);
  void end_chain(const log::ScannedRecord& scanned);
  void check_name(const log::Record& record, std::uint64_t offset, const content::Stored& stored);
  void check_commit(const log::ScannedRecord& scanned);
  void check_index_record(const log::ScannedRecord& scanned);
  [[nodiscard]] const char* difference(const log::Record& record, const Node& node,
                                       const content::Stored& stored) const;
  [[nodiscard]] Result<bool> same_xattrs(const log::Record& record, const Node& node) const;
  void fail(const log::Record& record, std::uint64_t offset, std::string_view what);

  const Reader& reader_;
  VerifyLog& log_;
  std::unique_ptr<content::StoredReader> contents_;  // of the whole file
  base::Xxh3Stream128 checksums_;
  std::optional<Chain> chain_;
  std::uint64_t records_ = 0;
  std::uint64_t names_ = 0;
  bool committed_ = false;
  bool complete_ = true;  // every record could be read
};

}  // namespace packfs::pack
