#include <algorithm>
#include <utility>

#include "path/path.h"
#include "tree/edit.h"
#include "tree/resolve.h"

// Where paths lead, for edits: unlike resolve() it says through which directories, and where a missing name belongs.
namespace packfs::tree {

using path::DotDot;
using path::Splitter;

/// Finds `name` in the last directory of the place's chain.
Result<void> Edit::look_up(Place& place, std::string_view name) {
  const PlaceStep& parent = place.chain.back();
  place.name = name;
  place.hash = owner_.heap().hash(name);
  place.cost = 0;
  place.found = false;
  place.own = nullptr;
  place.lower_has = false;
  const Node* lower = &parent.node;
  if (parent.node.layer == 0) {
    const DirectoryBody& body = StateTable::dentry_of(parent.node).directory();
    place.own = find_in_treap(body.treap, name, place.hash, &place.cost);
    if (place.own != nullptr) {
      place.found = !place.own->is_whiteout();
      if (!place.found) return {};
      const auto inode = table_.inode_of(*place.own);
      if (!inode) return std::unexpected(inode.error());
      place.node = *inode;
      return {};
    }
    lower = &body.lower;
  }
  if (lower->type == FileType::none) return {};
  const auto below = table_.find_lower(*lower, name);
  if (!below) {
    if (below.error().code() == ErrorCode::no_entry) return {};
    return std::unexpected(below.error());
  }
  place.lower_has = true;
  place.found = true;
  const auto node = table_.through_links(*below);
  if (!node) return std::unexpected(node.error());
  place.node = *node;
  return {};
}

/// Learns whether a name that the state has itself stands in the lower as well.
Result<void> Edit::look_below(Place& place) {
  if (place.own == nullptr || place.is_root) return {};
  const Node& lower = StateTable::dentry_of(place.chain.back().node).directory().lower;
  if (lower.type == FileType::none) return {};
  const auto below = table_.find_lower(lower, place.name);
  if (!below && below.error().code() != ErrorCode::no_entry) return std::unexpected(below.error());
  place.lower_has = below.has_value();
  return {};
}

/// Whether a symlink in the last place is followed.
bool Edit::follows(Last last, bool slash) noexcept {
  return last == Last::followed || last == Last::missing || (last == Last::kept && slash) ||
         (last == Last::created && !slash);
}

Result<Place> Edit::locate(std::string_view path, Last last) {
  Place place(owner_.heap());
  place.chain.push_back({.name = {}, .hash = 0, .node = *table_.root(), .cost = 0, .copy = nullptr});
  Splitter current(path);
  std::vector<Splitter> outer;  // of the paths that symlinks interrupted, the caller's first
  int followed = 0;
  // Wrong syntax of the caller's path comes before whatever else is wrong with it.
  const auto fail = [&](const Error& error) -> Result<Place> {
    const Splitter& callers = outer.empty() ? current : outer.front();
    if (const auto ahead = callers.error_ahead()) return std::unexpected(Error(*ahead));
    return std::unexpected(error);
  };

  for (;;) {
    if (!current.next()) {
      if (const auto error = current.error()) return fail(Error(*error));
      if (outer.empty()) break;
      current = outer.back();
      outer.pop_back();
      continue;
    }
    const std::string_view component = current.component();
    if (component == "..") [[unlikely]] {  // of a target: in the caller's path it was refused
      if (place.chain.size() > 1) place.chain.resize_down(place.chain.size() - 1);
      continue;
    }
    const bool is_last = current.is_last() && std::ranges::all_of(outer, &Splitter::is_last);
    const bool slash = current.requires_directory() || std::ranges::any_of(outer, &Splitter::requires_directory);
    if (auto looked = look_up(place, component); !looked) return fail(looked.error());
    place.slash = slash;
    if (!place.found) {
      if (is_last) return place;
      if (last == Last::missing && outer.empty()) {
        place.rest = current;
        return place;
      }
      return fail(ErrorCode::no_entry);
    }
    if (place.node.type == FileType::directory) {
      if (is_last) return place;
      place.chain.push_back({component, place.hash, place.node, place.cost, nullptr});
    } else if (place.node.type == FileType::symlink && (!is_last || follows(last, slash))) {
      if (++followed > kMaxSymlinks) return fail(ErrorCode::symlink_loop);
      auto target = table_.readlink(place.node);
      if (!target) return fail(target.error());
      if (target->empty()) return fail(ErrorCode::no_entry);
      place.by_link = is_last;
      targets_.push_back(std::make_unique<const std::string>(std::move(*target)));
      outer.push_back(current);
      current = Splitter(*targets_.back(), DotDot::parent);
      if (current.is_absolute()) place.chain.resize_down(1);
    } else {
      if (is_last) return place;
      return fail(ErrorCode::not_a_directory);
    }
  }

  // The path ended at a directory without naming it last: "", or a target such as "/" or "a/..".
  if (place.chain.size() == 1) {
    place.is_root = true;
    place.found = true;
    place.node = place.chain[0].node;
    return place;
  }
  const std::string_view name = place.chain.back().name;
  place.chain.resize_down(place.chain.size() - 1);
  if (auto looked = look_up(place, name); !looked) return std::unexpected(std::move(looked.error()));
  place.slash = true;
  return place;
}

/// Of a lower that lists names which it does not find, or finds as something else.
Error Edit::unlike_its_list() { return Error(ErrorCode::corrupt).with_note("a name is listed and not found"); }

/// The place of `name`, found by plain names from the root down.
Result<Place> Edit::descend(std::span<const std::string_view> directories, std::string_view name) {
  Place place(owner_.heap());
  place.chain.push_back({.name = {}, .hash = 0, .node = *table_.root(), .cost = 0, .copy = nullptr});
  for (const std::string_view into : directories) {
    if (auto looked = look_up(place, into); !looked) return std::unexpected(std::move(looked.error()));
    if (!place.found || place.node.type != FileType::directory) return std::unexpected(unlike_its_list());
    place.chain.push_back({into, place.hash, place.node, place.cost, nullptr});
  }
  if (auto looked = look_up(place, name); !looked) return std::unexpected(std::move(looked.error()));
  return place;
}

std::vector<std::string_view> Edit::names_of(const PlaceChain& chain) {
  std::vector<std::string_view> names;
  for (std::size_t i = 1; i < chain.size(); ++i) names.push_back(chain[i].name);
  return names;
}

/// A place as it is after something else was changed: by the names it was found under, not by its path, whose symlinks
/// may be gone.
Result<Place> Edit::again(const Place& place) {
  auto found = descend(names_of(place.chain), place.name);
  if (found) found->slash = place.slash;
  return found;
}

}  // namespace packfs::tree
