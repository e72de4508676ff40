#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "packfs/entry.h"
#include "packfs/error.h"
#include "packfs/ref.h"
#include "packfs/view.h"

namespace packfs::cli {

/// Everything below a directory, each directory before what is in it, otherwise in byte order. Any depth: no
/// recursion, and only the innermost kOpenListings directories are held open; others are found again by name.
/// Damage is yielded with the path of the directory it was met in; what is left of that directory is passed over, and
/// the walk goes on. One thread at a time.
class Walk {
 public:
  Walk(Ref<const tree::Table> table, const Node& directory);
  Walk(Walk&&) = delete;
  ~Walk();

  /// Goes to the next entry; false at the end.
  [[nodiscard]] bool advance();
  /// The entry, or the damage; valid until the next advance().
  [[nodiscard]] const Result<Entry>& current() const noexcept { return current_; }
  /// Its path relative to the directory the walk began at (empty: that directory itself).
  [[nodiscard]] std::string_view path() const noexcept { return path_; }

 private:
  static constexpr std::size_t kOpenListings = 64;
  struct OpenListing;
  struct Level {
    Node directory;
    std::size_t path_length;               // of this directory's own path, in path_
    std::unique_ptr<OpenListing> listing;  // null: not open; a child's name in path_ says where to go on
  };

  void enter(const Node& directory);
  bool advance_in(Level& level);
  void reopen(Level& level);
  void name_current(const Level& level);

  Ref<const tree::Table> table_;
  std::vector<Level> levels_;
  std::string path_;
  Result<Entry> current_;
};

}  // namespace packfs::cli
