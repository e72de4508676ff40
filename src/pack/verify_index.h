#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pack/reader.h"
#include "pack/verify_report.h"

namespace packfs::pack {

/// Checks a pack's index by itself: every page, every directory's table, that each entry is found by its name, that
/// counts and totals are sums of what is there. Borrows both. One thread at a time.
class IndexVerifier {
 public:
  IndexVerifier(const Reader& reader, VerifyLog& log) : reader_(reader), log_(log) {}
  void run();

 private:
  void check_pages();
  void check_directory(std::uint64_t number);
  void check_entry(const Entry& entry, const Reader::Directory& directory);
  void add_totals(const EntryRef& entry, std::uint64_t directory);
  void check_totals();
  void check_counts();
  void check_links();

  struct Group {
    std::uint64_t names = 0;
    std::uint64_t inode = 0;
  };
  const Reader& reader_;
  VerifyLog& log_;
  std::vector<Totals> totals_;
  std::uint64_t subdirectories_ = 0;  // of the directory at hand
  std::uint64_t directories_ = 1;
  std::map<std::uint64_t, Group> groups_;  // by link id
};

/// The path of a name in a directory, from the root, for messages; as much of it as can be read.
[[nodiscard]] std::string path_in_pack(const Reader& reader, std::uint64_t directory, std::string_view name);

}  // namespace packfs::pack
