// What a Run compares besides the outcomes of calls.
#include <algorithm>
#include <string>

#include "stress/run.h"

namespace packfs::stress {

namespace {

std::string text_of(const VolumeCounters& counters) {
  return std::to_string(counters.nodes) + " nodes, " + std::to_string(counters.inodes) + " inodes, " +
         std::to_string(counters.roots) + " roots, " + std::to_string(counters.retired_roots) + " retired roots";
}

/// Over a pack whiteouts remain: as many nodes as the volume's own seed makes of their names, and in each up to eight
/// entries that are gone but lie in what its block shares with older ones.
bool is_emptied(const VolumeCounters& counters, const VolumeCounters& fresh) {
  constexpr std::uint64_t kChangesInNode = 8;
  if (fresh.nodes == 0) return text_of(counters) == text_of(fresh);
  return counters.roots == fresh.roots && counters.retired_roots == 0 && counters.inodes >= fresh.inodes &&
         counters.inodes <= fresh.inodes + kChangesInNode * counters.nodes;
}

Complaint empty(Volume& volume, const Model& model) {
  for (const auto& [name, id] : model.inode(model.root()).entries) {
    if (const auto removed = volume.remove_tree(name); !removed) return "emptying: " + removed.error().message();
  }
  return std::nullopt;
}

}  // namespace

VolumeCounters counters_when_emptied(const Setting& setting) {
  Volume volume = setting.make();
  if (auto complaint = empty(volume, setting.start)) return {};
  volume.quiesce();
  return volume.counters();
}

Complaint Run::finish() {
  if (auto complaint = compare_all()) return "at the end: " + *complaint;
  if (auto complaint = compare_held()) return "at the end: " + *complaint;
  if (transaction_) {
    if (auto complaint = drop({})) return complaint;
    if (auto complaint = compare_all()) return "after the last transaction was dropped: " + *complaint;
  }
  opened_ = {};
  return closeness_.counters ? compare_counters() : std::nullopt;
}

Complaint Run::compare_all() {
  ShownNumbers shown;
  if (auto complaint = compare_state(reader(), current_, shown)) return complaint;
  return numbers_.take(current_, shown);
}

Complaint Run::compare_held(const Held& held) {
  ShownNumbers shown;
  auto complaint = compare_state(held.snapshot, held.model, shown);
  if (!complaint && shown != held.shown) complaint = "inode numbers changed";
  if (complaint) return "the snapshot of commit " + std::to_string(held.snapshot.commit()) + ": " + *complaint;
  return std::nullopt;
}

Complaint Run::compare_opened(const Opened& opened) {
  auto complaint = compare_file(opened.file, opened.content);
  const auto stat = opened.file.stat();
  if (!complaint && !stat) complaint = "stat: " + stat.error().message();
  if (!complaint && (stat_text(*stat) != opened.stat || stat->inode != opened.inode)) complaint = "stat changed";
  if (complaint) return "an open file: " + *complaint;
  return std::nullopt;
}

Complaint Run::compare_held() {
  for (const auto& held : held_) {
    if (auto complaint = held ? compare_held(*held) : std::nullopt) return complaint;
  }
  for (const Held& held : held_of_closed_) {
    if (auto complaint = compare_held(held)) return "of what was closed since: " + *complaint;
  }
  for (const auto& opened : opened_) {
    if (auto complaint = opened ? compare_opened(*opened) : std::nullopt) return complaint;
  }
  return std::nullopt;
}

/// The names that the operation was about, cheaper than the whole tree.
Complaint Run::compare_places(const Operation& operation) {
  for (const std::string* path : {&operation.path, &operation.other}) {
    Operation look;
    look.kind = Operation::Kind::lstat;
    look.path = *path;
    Volume volume = volume_;
    const Outcome real = transaction_ ? apply(look, *transaction_) : apply(look, volume);
    const Outcome expected = apply(look, current_);
    if (!agrees(real, expected)) {
      return "then lstat \"" + escaped(*path) + "\" gave " + real.to_text() + ", not " + expected.to_text();
    }
  }
  return std::nullopt;
}

Complaint Run::compare_counters() {
  volume_.quiesce();
  const std::uint64_t newest = volume_.snapshot().commit();
  std::uint64_t oldest = newest;
  for (const auto& held : held_) {
    if (held) oldest = std::min(oldest, held->snapshot.commit());
  }
  const auto told = volume_.oldest_snapshot();
  if (told.has_value() != (oldest < newest) || (told && told->commit != oldest)) {
    return "the oldest snapshot is said to be of commit " + (told ? std::to_string(told->commit) : "(none)") +
           ", but is of " + std::to_string(oldest);
  }
  if (auto complaint = empty(volume_, committed_)) return complaint;
  if (auto complaint = compare_held()) return "after all was removed: " + *complaint;
  held_ = {};
  volume_.quiesce();
  if (volume_.oldest_snapshot()) return "a snapshot is said to be held, but all were let go";
  const VolumeCounters expected = counters_when_emptied(setting_);
  const VolumeCounters counters = volume_.counters();
  if (!is_emptied(counters, expected)) return "left over: " + text_of(counters) + ", not " + text_of(expected);
  return std::nullopt;
}

}  // namespace packfs::stress
