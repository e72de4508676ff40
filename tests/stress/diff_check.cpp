#include "stress/diff_check.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "stress/operation.h"

namespace packfs::stress {

namespace {

// A path with NUL for '/': no name has it, and it comes before all other bytes, so these sort component by component.
using Key = std::string;

Key key_of(std::string path) {
  std::ranges::replace(path, '/', '\0');
  return path;
}

std::string shown(Key key) {
  std::ranges::replace(key, '\0', '/');
  return "\"" + escaped(key) + "\"";
}

Key parent_of(const Key& key) { return key.contains('\0') ? key.substr(0, key.rfind('\0')) : ""; }
Key name_of(const Key& key) { return key.substr(key.rfind('\0') + 1); }
Key key_below(const Key& directory, const Key& name) { return directory.empty() ? name : directory + '\0' + name; }

/// All paths of a state and what is there.
struct Places {
  std::map<Key, ModelId> ids;
  std::map<std::uint64_t, int> times_shown;  // of each inode number
  std::map<Key, std::uint64_t> numbers;
};

Places places_of(const View& view, const Model& model) {
  Places places;
  places.ids[""] = model.root();
  std::vector<Key> directories{""};
  while (!directories.empty()) {
    const Key at = std::move(directories.back());
    directories.pop_back();
    for (const auto& [name, id] : model.inode(places.ids.at(at)).entries) {
      const Key key = key_below(at, name);
      places.ids[key] = id;
      if (model.inode(id).type == FileType::directory) directories.push_back(key);
      std::string path = key;
      std::ranges::replace(path, '\0', '/');
      const auto stat = view.lstat(path);
      const std::uint64_t number = stat ? stat->inode : 0;
      places.numbers[key] = number;
      ++places.times_shown[number];
    }
  }
  return places;
}

/// Differs for certain, as far as diff() is to say so.
bool differs(const ModelInode& a, const ModelInode& b) {
  const bool other_mtime = a.mtime.set && b.mtime.set && *a.mtime.set != *b.mtime.set;
  return other_mtime || a.type != b.type || a.mode != b.mode || a.uid != b.uid || a.gid != b.gid ||
         a.major != b.major || a.minor != b.minor || a.bytes != b.bytes || a.xattrs != b.xattrs;
}

class DiffCheck {
 public:
  DiffCheck(const Places& before, const Model& model_before, const Places& after, const Model& model_after)
      : before_(before), model_before_(model_before), after_(after), model_after_(model_after) {}

  Complaint run(const std::vector<Change>& changes) {
    if (auto complaint = sort_out(changes)) return complaint;
    for (const auto& [path, id] : after_.ids) {
      if (auto complaint = explain(path)) return complaint;
    }
    for (const auto& [path, id] : before_.ids) {
      if (taken_.contains(path) == removed_.contains(path)) {
        return shown(path) + (removed_.contains(path) ? " is removed, but still there" : " is gone, but not removed");
      }
    }
    for (const Key& path : changed_) {
      if (!origin_.contains(path)) return shown(path) + " is changed, but was not there before";
    }
    return demand_renames();
  }

 private:
  Complaint sort_out(const std::vector<Change>& changes) {
    Key last;
    for (const Change& change : changes) {
      const Key path = key_of(change.path);
      if (path < last) return shown(path) + " comes too late";
      last = path;
      bool is_new = true;
      switch (change.kind) {
        case Change::Kind::added:
          is_new = added_.insert(path).second;
          break;
        case Change::Kind::removed:
          is_new = removed_.insert(path).second;
          break;
        case Change::Kind::changed:
          is_new = changed_.insert(path).second;
          break;
        case Change::Kind::renamed:
          is_new = renamed_.emplace(path, key_of(change.from)).second;
          break;
      }
      if (!is_new) return shown(path) + " is there twice";
      const Places& places = change.kind == Change::Kind::removed ? before_ : after_;
      if (!places.ids.contains(path)) return shown(path) + " is in neither state, or in the wrong one";
    }
    return std::nullopt;
  }

  /// Finds where the entry was before; parents come first.
  Complaint explain(const Key& path) {
    const auto renamed = renamed_.find(path);
    if (added_.contains(path)) {
      if (renamed != renamed_.end()) return shown(path) + " is both added and renamed";
      if (was_there(path)) return shown(path) + " is added, but the same entry was there before";
      return std::nullopt;
    }
    Key origin;
    if (renamed != renamed_.end()) {
      origin = renamed->second;
    } else if (!path.empty()) {
      const auto parent = origin_.find(parent_of(path));
      if (parent == origin_.end()) return shown(path) + " is new, but not added";
      origin = key_below(parent->second, name_of(path));
    }
    const auto old = before_.ids.find(origin);
    if (old == before_.ids.end()) return shown(path) + " was not at " + shown(origin) + " before";
    if (!taken_.insert(origin).second) return shown(origin) + " went to two places";
    origin_[path] = origin;
    if (renamed != renamed_.end() && before_.numbers.at(origin) != after_.numbers.at(path)) {
      return shown(path) + " is no rename of " + shown(origin);
    }
    const ModelInode& now = model_after_.inode(after_.ids.at(path));
    const ModelInode& then = model_before_.inode(old->second);
    const bool is_changed = changed_.contains(path);
    if (renamed != renamed_.end() && now.type != then.type) return shown(path) + " is renamed to another type";
    if (!is_changed && differs(now, then)) return shown(path) + " differs, but is not changed";
    if (is_changed && now.touched == then.touched) return shown(path) + " is changed, but nothing touched it";
    return std::nullopt;
  }

  /// The same file in a directory that stayed where it was.
  [[nodiscard]] bool was_there(const Key& path) const {
    const auto old = before_.ids.find(path);
    if (old == before_.ids.end() || old->second != after_.ids.at(path)) return false;
    if (before_.numbers.at(path) != after_.numbers.at(path)) return false;  // a clone's, which took one of its own
    const auto parent = origin_.find(parent_of(path));
    return parent != origin_.end() && parent->second == parent_of(path);
  }

  /// Below an entry that counts as changed though it is another one than was there, or of whose inode number there are
  /// two: what came into it may be listed as added.
  [[nodiscard]] bool is_in_replaced(Key path) const {
    for (path = parent_of(path); !path.empty(); path = parent_of(path)) {
      const auto origin = origin_.find(path);
      if (after_.times_shown.at(after_.numbers.at(path)) != 1) return true;
      if (origin != origin_.end() && before_.numbers.at(origin->second) != after_.numbers.at(path)) return true;
    }
    return false;
  }

  Complaint demand_renames() {
    std::map<std::uint64_t, Key> by_number;
    for (const auto& [path, number] : before_.numbers) by_number[number] = path;
    for (const auto& [path, number] : after_.numbers) {
      const auto old = by_number.find(number);
      if (old == by_number.end() || before_.times_shown.at(number) != 1 || after_.times_shown.at(number) != 1) continue;
      const bool is_one_file = before_.ids.at(old->second) == after_.ids.at(path);
      const bool moved = !after_.ids.contains(old->second) && !before_.ids.contains(path);
      const auto origin = origin_.find(path);
      // What took the place of the directory it was in counts as that one, changed.
      if (origin != origin_.end() && old->second.starts_with(origin->second + '\0')) continue;
      if (is_one_file && moved && !is_in_replaced(path) && (origin == origin_.end() || origin->second != old->second)) {
        return shown(path) + " is not known to come from " + shown(old->second);
      }
    }
    return std::nullopt;
  }

  const Places& before_;
  const Model& model_before_;
  const Places& after_;
  const Model& model_after_;
  std::set<Key> added_;
  std::set<Key> removed_;
  std::set<Key> changed_;
  std::map<Key, Key> renamed_;
  std::map<Key, Key> origin_;  // path now to path before
  std::set<Key> taken_;        // paths before that live on
};

}  // namespace

Complaint check_diff(const std::vector<Change>& changes, const View& before, const Model& model_before,
                     const View& after, const Model& model_after) {
  const Places places_before = places_of(before, model_before);
  const Places places_after = places_of(after, model_after);
  return DiffCheck(places_before, model_before, places_after, model_after).run(changes);
}

}  // namespace packfs::stress
