#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/alloc.h"
#include "packfs/volume.h"
#include "tree/diff_sides.h"
#include "tree/path_order.h"
#include "tree/treap_diff.h"

namespace packfs {
namespace tree {
namespace {

/// Whether two files have the same bytes.
Result<bool> same_bytes(const Table& a, const Node& one, const Table& b, const Node& other, std::uint64_t size) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  if (one.layer == 0 && other.layer == 0 && dynamic_cast<const StateTable*>(&a) != nullptr &&
      dynamic_cast<const StateTable*>(&b) != nullptr) {
    const auto& left = StateTable::dentry_of(one).content;
    if (left && left.get() == StateTable::dentry_of(other).content.get()) return true;
  }
  const std::size_t length = std::min<std::uint64_t>(size, kPiece);
  std::vector<std::byte> left(length);
  std::vector<std::byte> right(length);
  for (std::uint64_t offset = 0; offset < size;) {
    const auto data = a.next_data(one, offset);
    if (!data) return std::unexpected(data.error());
    const auto other_data = b.next_data(other, offset);
    if (!other_data) return std::unexpected(other_data.error());
    // What both have as a hole is not read: a file may be far larger than what was ever written to it.
    if (const std::uint64_t begin = std::min(data->begin, other_data->begin); begin > offset) {
      offset = begin;
      continue;
    }
    const auto read = a.read(one, offset, left);
    if (!read) return std::unexpected(read.error());
    const auto compared = b.read(other, offset, right);
    if (!compared) return std::unexpected(compared.error());
    if (*read != *compared || *read == 0 ||
        !std::ranges::equal(std::span(left).first(*read), std::span(right).first(*read))) {
      return false;
    }
    offset += *read;
  }
  return true;
}

std::string joined(const std::string& directory, std::string_view name) {
  return directory.empty() ? std::string(name) : directory + "/" + std::string(name);
}

/// Finds the differences: pairs of directories are compared, entries that only one side has are matched by their inode
/// numbers with those that only the other has, and what remains is opened further.
class Diff {
 public:
  explicit Diff(const Sides& sides) : sides_(sides) {}

  Result<std::vector<Change>> run(const Node& a, const Node& b) {
    if (auto compared = compare_entries(a, b, "", ""); !compared) {
      return std::unexpected(std::move(compared.error()));
    }
    for (;;) {
      if (!pairs_.empty()) {
        const Pair pair = std::move(pairs_.back());
        pairs_.pop_back();
        if (auto compared = compare_directories(pair); !compared) {
          return std::unexpected(std::move(compared.error()));
        }
        continue;
      }
      if (opened_ < items_.size()) {
        const std::size_t next = opened_++;
        if (items_[next].has_twin) continue;
        if (auto opened = open(next); !opened) return std::unexpected(std::move(opened.error()));
        continue;
      }
      if (settled_ == twins_.size()) break;
      if (auto settled = settle(twins_[settled_++]); !settled) return std::unexpected(std::move(settled.error()));
    }
    // An entry of a directory whose match was found late may have come up twice, by itself and with the directory.
    std::set<std::string> listed_new;
    std::set<std::string> listed_old;
    for (const Change& change : changes_) {
      if (change.kind != Change::Kind::renamed) continue;
      listed_new.insert(change.path);
      listed_old.insert(change.from);
    }
    for (const Item& item : items_) {
      if (item.state != State::single) continue;
      if (!(item.is_new ? listed_new : listed_old).insert(item.path).second) continue;
      changes_.push_back({item.is_new ? Change::Kind::added : Change::Kind::removed, item.path, {}});
    }
    std::ranges::sort(changes_, [](const Change& x, const Change& y) {
      return x.path != y.path ? path_less(x.path, y.path) : x.kind < y.kind;
    });
    return std::move(changes_);
  }

 private:
  struct Pair {
    Node a;
    Node b;
    std::string old_path;
    std::string new_path;
  };
  enum class State : std::uint8_t { single, matched, withdrawn };
  using Identity = std::pair<FileType, std::uint64_t>;
  /// An entry that one side has and the other has not in its place.
  struct Item {
    bool is_new = false;
    Node node;
    std::string path;
    Identity identity;
    State state = State::single;
    bool has_twin = false;
    std::vector<std::size_t> children;  // those that came of opening it
  };
  /// Another entry of the same name and type in the same place. One of them may yet be found to have moved; if neither
  /// is, they are one entry that changed.
  struct Twins {
    std::size_t old_item = 0;
    std::size_t new_item = 0;
  };

  [[nodiscard]] const Table& table(bool is_new) const noexcept { return is_new ? sides_.b() : sides_.a(); }

  Result<void> compare_directories(const Pair& pair) {
    // Names in it that the tables may have alike, but that were found to have moved from or to there.
    std::set<std::string> moved = names_below(moved_away_, pair.old_path);
    moved.merge(names_below(arrived_, pair.new_path));
    const auto both = [&](std::string_view name, const std::optional<Node>& a,
                          const std::optional<Node>& b) -> Result<void> {
      const std::string old_path = joined(pair.old_path, name);
      const std::string new_path = joined(pair.new_path, name);
      moved.erase(std::string(name));
      // What was found to have moved is not looked at again from either of its places.
      const bool in_old = a && !moved_away_.contains(old_path);
      const bool in_new = b && !arrived_.contains(new_path);
      if (in_old && in_new && a->type == b->type) {
        const auto one = is_one(*a, *b);
        if (!one) return std::unexpected(one.error());
        return *one ? compare_entries(*a, *b, old_path, new_path) : add_twins(*a, *b, old_path, new_path);
      }
      if (in_old) {
        if (auto added = add_item(false, *a, old_path, std::nullopt); !added) return added;
      }
      if (in_new) return add_item(true, *b, new_path, std::nullopt);
      return {};
    };
    auto compared = sides_.differ_in_treaps(pair.a, pair.b) ? compare_treaps(pair, both) : compare_lists(pair, both);
    while (compared && !moved.empty()) {
      const std::string name = *moved.begin();
      moved.erase(moved.begin());
      const auto one = find(sides_.a(), pair.a, name);
      if (!one) return std::unexpected(one.error());
      const auto other = find(sides_.b(), pair.b, name);
      if (!other) return std::unexpected(other.error());
      if (*one || *other) compared = both(name, *one, *other);
    }
    return compared;
  }

  /// The first of these paths that is below a directory.
  static PathSet::const_iterator first_below(const PathSet& paths, const std::string& directory) {
    return directory.empty() ? paths.begin() : paths.upper_bound(directory);
  }
  static bool is_below(const PathSet& paths, PathSet::const_iterator at, const std::string& directory) {
    return at != paths.end() && (directory.empty() || PathOrder::is_in(*at, directory));
  }

  /// The names in a directory that lead to any of these paths: one search for each.
  static std::set<std::string> names_below(const PathSet& paths, const std::string& directory) {
    std::set<std::string> names;
    const std::size_t begin = directory.empty() ? 0 : directory.size() + 1;
    for (auto at = first_below(paths, directory); is_below(paths, at, directory);) {
      const std::size_t end = std::min(at->find('/', begin), at->size());
      names.insert(at->substr(begin, end - begin));
      at = paths.upper_bound(Below{std::string_view(*at).substr(0, end)});
    }
    return names;
  }
  static bool has_below(const PathSet& paths, const std::string& directory) {
    return is_below(paths, first_below(paths, directory), directory);
  }

  /// Whether two entries of one name and type are one. In trees that have nothing to do with each other they are.
  Result<bool> is_one(const Node& a, const Node& b) const {
    if (!sides_.numbers_agree()) return true;
    const auto one = sides_.a().stat(a);
    if (!one) return std::unexpected(one.error());
    const auto other = sides_.b().stat(b);
    if (!other) return std::unexpected(other.error());
    return one->inode == other->inode;
  }

  Result<void> add_twins(const Node& a, const Node& b, const std::string& old_path, const std::string& new_path) {
    const std::size_t old_item = items_.size();
    if (auto added = add_item(false, a, old_path, std::nullopt); !added) return added;
    const std::size_t new_item = items_.size();
    if (auto added = add_item(true, b, new_path, std::nullopt); !added) return added;
    items_[old_item].has_twin = items_[new_item].has_twin = true;
    twins_.push_back({old_item, new_item});
    return {};
  }

  Result<void> settle(const Twins& twins) {
    const auto is_single = [&](std::size_t item) { return items_[item].state == State::single; };
    if (!is_single(twins.old_item) || !is_single(twins.new_item)) {
      if (auto opened = open(twins.old_item); !opened) return opened;
      return open(twins.new_item);
    }
    for (const std::size_t item : {twins.old_item, twins.new_item}) {
      items_[item].state = State::withdrawn;
      forget(item);
    }
    const Item old_item = items_[twins.old_item];
    const Item new_item = items_[twins.new_item];
    return compare_entries(old_item.node, new_item.node, old_item.path, new_item.path);
  }

  void forget(std::size_t item) {
    auto& singles = items_[item].is_new ? added_ : removed_;
    const auto at = singles.find(items_[item].identity);
    if (at != singles.end() && at->second == item) singles.erase(at);
  }

  template <class Both>
  Result<void> compare_treaps(const Pair& pair, const Both& both) {
    Result<void> done;
    diff_treaps(Sides::body(pair.a).treap, Sides::body(pair.b).treap, [&](const Dentry* a, const Dentry* b) {
      if (!done) return;
      const std::string_view name = (a != nullptr ? a : b)->name();
      const auto one = find(sides_.a(), pair.a, name);
      const auto other = find(sides_.b(), pair.b, name);
      if (!one || !other) {
        done = std::unexpected(!one ? one.error() : other.error());
      } else if (*one || *other) {
        done = both(name, *one, *other);
      }
    });
    return done;
  }

  static Result<std::optional<Node>> find(const Table& table, const Node& directory, std::string_view name) {
    const auto found = table.find(directory, name);
    if (found) return *found;
    if (found.error().code() == ErrorCode::no_entry) return std::nullopt;
    return std::unexpected(found.error());
  }

  template <class Both>
  Result<void> compare_lists(const Pair& pair, const Both& both) {
    auto left = sides_.a().list(pair.a, "");
    if (!left) return std::unexpected(std::move(left.error()));
    auto right = sides_.b().list(pair.b, "");
    if (!right) return std::unexpected(std::move(right.error()));
    std::array<Entry, 2> next;
    std::array<bool, 2> has{};
    const std::array<Cursor*, 2> cursors{left->get(), right->get()};
    std::array<bool, 2> ended{};
    for (;;) {
      for (std::size_t i = 0; i < 2; ++i) {
        if (has[i] || ended[i]) continue;
        const auto count = cursors[i]->next({&next[i], 1});
        if (!count) return std::unexpected(count.error());
        has[i] = *count != 0;
        ended[i] = !has[i];
      }
      if (!has[0] && !has[1]) return {};
      const int order = !has[0] ? 1 : !has[1] ? -1 : next[0].name().compare(next[1].name());
      const std::string name((order <= 0 ? next[0] : next[1]).name());
      const auto a = order <= 0 ? std::optional(next[0].node()) : std::nullopt;
      const auto b = order >= 0 ? std::optional(next[1].node()) : std::nullopt;
      if (!(a && b && sides_.is_identical(*a, *b))) {
        if (auto compared = both(name, a, b); !compared) return compared;
      }
      if (order <= 0) has[0] = false;
      if (order >= 0) has[1] = false;
    }
  }

  /// Two entries that are one: `changed` when they differ; directories are compared later.
  Result<void> compare_entries(const Node& a, const Node& b, const std::string& old_path, const std::string& new_path) {
    if (sides_.is_identical(a, b)) {
      const bool looked_into =
          a.type == FileType::directory && (has_below(moved_away_, old_path) || has_below(arrived_, new_path));
      if (looked_into) pairs_.push_back({a, b, old_path, new_path});
      return {};
    }
    const auto differ = attributes_differ(a, b);
    if (!differ) return std::unexpected(differ.error());
    if (*differ) changes_.push_back({Change::Kind::changed, new_path, {}});
    if (a.type == FileType::directory) pairs_.push_back({a, b, old_path, new_path});
    return {};
  }

  Result<bool> attributes_differ(const Node& a, const Node& b) const {
    const auto one = sides_.a().stat(a);
    if (!one) return std::unexpected(one.error());
    const auto other = sides_.b().stat(b);
    if (!other) return std::unexpected(other.error());
    if (one->type != other->type || one->mode != other->mode || one->uid != other->uid || one->gid != other->gid ||
        one->mtime != other->mtime || one->size != other->size || one->device_major != other->device_major ||
        one->device_minor != other->device_minor || one->has_xattrs != other->has_xattrs) {
      return true;
    }
    if (one->has_xattrs) {
      const auto left = sides_.a().xattrs(a);
      if (!left) return std::unexpected(left.error());
      const auto right = sides_.b().xattrs(b);
      if (!right) return std::unexpected(right.error());
      if (*left != *right) return true;
    }
    if (one->type == FileType::symlink) {
      const auto left = sides_.a().readlink(a);
      if (!left) return std::unexpected(left.error());
      const auto right = sides_.b().readlink(b);
      if (!right) return std::unexpected(right.error());
      return *left != *right;
    }
    if (one->type != FileType::regular) return false;
    const auto same = same_bytes(sides_.a(), a, sides_.b(), b, one->size);
    if (!same) return std::unexpected(same.error());
    return !*same;
  }

  Result<void> add_item(bool is_new, const Node& node, std::string path, std::optional<std::size_t> parent) {
    const auto stat = table(is_new).stat(node);
    if (!stat) return std::unexpected(stat.error());
    const std::size_t index = items_.size();
    const Identity identity{stat->type, stat->inode};
    items_.push_back({is_new, node, std::move(path), identity, State::single, false, {}});
    if (parent) items_[*parent].children.push_back(index);
    if (!sides_.numbers_agree()) return {};
    auto& others = is_new ? removed_ : added_;
    const auto at = others.find(identity);
    if (at == others.end()) {
      (is_new ? added_ : removed_).emplace(identity, index);
      return {};
    }
    const std::size_t other = at->second;
    others.erase(at);
    return match(is_new ? other : index, is_new ? index : other);
  }

  /// The old entry has become the new one.
  Result<void> match(std::size_t old_item, std::size_t new_item) {
    items_[old_item].state = State::matched;
    items_[new_item].state = State::matched;
    withdraw_children(old_item);
    withdraw_children(new_item);
    const std::string old_path = items_[old_item].path;
    const std::string new_path = items_[new_item].path;
    moved_away_.insert(old_path);
    arrived_.insert(new_path);
    changes_.push_back({Change::Kind::renamed, new_path, old_path});
    return compare_entries(items_[old_item].node, items_[new_item].node, old_path, new_path);
  }

  /// What came of opening an entry whose match was found later is compared with the match's instead.
  void withdraw_children(std::size_t item) {
    std::vector<std::size_t> all = items_[item].children;
    while (!all.empty()) {
      const std::size_t one = all.back();
      all.pop_back();
      Item& child = items_[one];
      if (child.state != State::single) continue;
      child.state = State::withdrawn;
      forget(one);
      all.insert(all.end(), child.children.begin(), child.children.end());
    }
  }

  Result<void> open(std::size_t index) {
    if (items_[index].state != State::single || items_[index].node.type != FileType::directory) return {};
    const bool is_new = items_[index].is_new;
    const std::string path = items_[index].path;
    auto cursor = table(is_new).list(items_[index].node, "");
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    std::array<Entry, 32> batch;
    for (;;) {
      const auto count = (*cursor)->next(batch);
      if (!count) return std::unexpected(count.error());
      if (*count == 0) return {};
      for (const Entry& entry : std::span(batch).first(*count)) {
        if (items_[index].state != State::single) return {};
        std::string child = joined(path, entry.name());
        // Found to have moved before, by itself: it is accounted for, with all below it.
        if ((is_new ? arrived_ : moved_away_).contains(child)) continue;
        if (auto added = add_item(is_new, entry.node(), std::move(child), index); !added) return added;
      }
    }
  }

  const Sides& sides_;
  std::vector<Pair> pairs_;
  std::vector<Item> items_;
  std::size_t opened_ = 0;
  std::vector<Twins> twins_;
  std::size_t settled_ = 0;
  std::map<Identity, std::size_t> removed_;  // single items by what they are
  std::map<Identity, std::size_t> added_;
  PathSet moved_away_;  // old paths that were matched
  PathSet arrived_;     // new paths that were
  std::vector<Change> changes_;
};

}  // namespace
}  // namespace tree

Result<std::vector<Change>> diff(const View& before, const View& after) {
  try {
    const tree::Sides sides(*before.table(), *after.table());
    return tree::Diff(sides).run(before.node(), after.node());
  } catch (const std::bad_alloc&) {
    return std::unexpected(Error(ErrorCode::no_memory));
  }
}

}  // namespace packfs
