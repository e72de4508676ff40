#include "cli/walk.h"

#include <utility>

#include "tree/table.h"

namespace packfs::cli {

/// A Listing and the place in it, at an address that stays.
struct Walk::OpenListing {
  explicit OpenListing(Listing&& opened) : listing(std::move(opened)), at(listing.begin()) {}
  [[nodiscard]] bool ended() const { return at == listing.end(); }
  void step() {
    if (std::exchange(started, true)) ++at;
  }

  Listing listing;
  Listing::iterator at;
  bool started = false;  // the first step only arrives where `at` stands already
};

namespace {

Listing list_from(const Ref<const tree::Table>& table, const Node& directory, std::string_view from) {
  auto cursor = table->list(directory, from);
  if (!cursor) return Listing(cursor.error());
  return {table, *std::move(cursor)};
}

}  // namespace

Walk::Walk(Ref<const tree::Table> table, const Node& directory) : table_(std::move(table)) { enter(directory); }
Walk::~Walk() = default;

void Walk::enter(const Node& directory) {
  levels_.push_back({.directory = directory,
                     .path_length = path_.size(),
                     .listing = std::make_unique<OpenListing>(list_from(table_, directory, ""))});
  if (levels_.size() > kOpenListings) levels_[levels_.size() - 1 - kOpenListings].listing.reset();
}

bool Walk::advance() {
  if (const auto last = std::exchange(current_, Entry()); last && last->type() == FileType::directory) {
    enter(last->node());
  }
  while (!levels_.empty()) {
    if (advance_in(levels_.back())) return true;
    path_.resize(levels_.back().path_length);
    levels_.pop_back();
  }
  return false;
}

bool Walk::advance_in(Level& level) {
  if (level.listing == nullptr) {
    reopen(level);
  } else {
    level.listing->step();
  }
  if (level.listing->ended()) return false;
  name_current(level);
  return true;
}

/// Opens a level behind the entry that path_ ends with: the one whose directory the walk comes back from.
void Walk::reopen(Level& level) {
  const std::string last_name = path_.substr(level.path_length + (level.path_length == 0 ? 0 : 1));
  level.listing = std::make_unique<OpenListing>(list_from(table_, level.directory, last_name));
  level.listing->step();
  if (level.listing->ended()) return;
  const Result<Entry>& first = *level.listing->at;
  if (first && first->name() == last_name) level.listing->step();
}

void Walk::name_current(const Level& level) {
  current_ = *level.listing->at;
  path_.resize(level.path_length);
  if (!current_) return;
  if (!path_.empty()) path_ += '/';
  path_ += current_->name();
}

}  // namespace packfs::cli
