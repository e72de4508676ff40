#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "content/stored.h"
#include "log/record.h"
#include "pack/reader.h"
#include "pack/verify_report.h"

namespace packfs::pack {

/// Checks that each name the log holds stands in the index, once, with the same attributes and content. Borrows both.
/// Memory: one bit for every 4 bytes of entries. One thread at a time.
class NameVerifier {
 public:
  NameVerifier(const Reader& reader, VerifyLog& log) : reader_(reader), log_(log) {}

  /// A mkdir, put, symlink, special or link at `offset`; `stored` is where its content was found in the log.
  void check(const log::Record& record, std::uint64_t offset, const content::Stored& stored);
  /// After all: that there was a record for every name.
  void finish();

  void fail(const log::Record& record, std::uint64_t offset, std::string_view what);

 private:
  [[nodiscard]] Result<Node> find(const log::Record& record);
  [[nodiscard]] bool is_new(std::uint64_t entry);
  [[nodiscard]] const char* difference(const log::Record& record, const Node& node,
                                       const content::Stored& stored) const;
  [[nodiscard]] const char* attribute_difference(const log::Record& record, const Node& node, const Stat& stat) const;
  [[nodiscard]] const char* content_difference(const log::Record& record, const Node& node,
                                               const content::Stored& stored) const;
  [[nodiscard]] Result<bool> same_xattrs(const log::Record& record, const Node& node) const;

  const Reader& reader_;
  VerifyLog& log_;
  std::vector<bool> seen_;  // entries that records were found for, by their offset
  std::uint64_t names_ = 0;
  std::uint64_t links_ = 0;  // names after a file's first
};

}  // namespace packfs::pack
