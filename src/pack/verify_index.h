#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "pack/reader.h"
#include "pack/verify_report.h"
#include "pack/verify_sections.h"

namespace packfs::pack {

/// Checks a pack's index by itself: every page, every directory's table, that the tables fill their section, that each
/// entry is found by its name and nothing else is, that names of one file tell the same, that counts and totals are
/// sums of what is there. Its work grows with the index, whatever that holds. Borrows both. One thread at a time.
class IndexVerifier {
 public:
  IndexVerifier(const Reader& reader, VerifyLog& log) : reader_(reader), log_(log), sections_(reader, log) {}
  void run();

 private:
  void check_root();
  void check_directory(std::uint64_t number);
  [[nodiscard]] bool check_place(const Reader::Directory& directory);
  void check_table(const Reader::Directory& directory);
  void check_entry(const Entry& entry, const Reader::Directory& directory);
  [[nodiscard]] Result<void> find_again(const Entry& entry, const Reader::Directory& directory) const;
  [[nodiscard]] Result<void> check_attributes(const Node& node);
  [[nodiscard]] Result<void> add_totals(const EntryRef& entry, std::uint64_t offset, std::uint64_t directory);
  void check_totals();
  void check_counts();
  void check_links();
  void fail_footer(std::size_t field, std::string_view what);
  void fail_directory(std::uint64_t number, const char* what);

  struct Group {
    std::uint64_t names = 0;
    std::uint64_t first = 0;  // an entry
  };
  const Reader& reader_;
  VerifyLog& log_;
  SectionVerifier sections_;
  std::vector<Totals> totals_;
  std::uint64_t tables_end_ = 0;      // of the tables that were looked at
  std::uint64_t subdirectories_ = 0;  // of the directory at hand
  std::uint64_t directories_ = 1;
  std::uint64_t greatest_inode_ = 0;
  std::uint64_t attribute_sets_ = 0;       // one more than the greatest that is used
  std::map<std::uint64_t, Group> groups_;  // by link id
};

}  // namespace packfs::pack
