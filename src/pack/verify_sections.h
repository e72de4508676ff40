#pragma once

#include <cstdint>
#include <vector>

#include "pack/reader.h"
#include "pack/verify_report.h"

namespace packfs::pack {

/// Checks the sections of a pack's index one by one: every page, and what can be told of a section without the others.
/// Borrows both. Memory: one bit for every 8 bytes of extended attributes. One thread at a time.
class SectionVerifier {
 public:
  SectionVerifier(const Reader& reader, VerifyLog& log) : reader_(reader), log_(log) {}
  void run();

  /// After run(): whether a sound list of extended attributes begins at `offset` of section 5.
  [[nodiscard]] bool is_xattr_list(std::uint64_t offset) const noexcept {
    return offset % kXattrListAlignment == 0 && offset / kXattrListAlignment < lists_.size() &&
           lists_[offset / kXattrListAlignment];
  }

 private:
  void check_pages();
  void check_hash();
  void check_attribute_sets();
  void check_xattrs();
  [[nodiscard]] std::uint64_t check_list(std::uint64_t offset, std::uint64_t left) const;

  const Reader& reader_;
  VerifyLog& log_;
  std::vector<bool> lists_;  // where lists begin, in units of their alignment
};

}  // namespace packfs::pack
