#include "host/walk.h"

#include <algorithm>
#include <utility>

#include "host/status.h"
#include "host/xattrs.h"
#include "path/path.h"

namespace packfs::host {

namespace {

// A directory with a longer path could hold entries that no path reaches.
constexpr std::size_t kLongestDirectoryPath = path::kMaxPath - path::kMaxComponent - 1;

}  // namespace

Result<Walk> Walk::open(base::Io& io, base::unique_fd directory, bool one_device,
                        std::span<const FileIdentity> exclude) {
  auto status = status_of(io, directory.get());
  if (!status) return std::unexpected(std::move(status.error()));
  const FileIdentity identity = identity_of(*status);
  auto handle = std::make_shared<const base::unique_fd>(std::move(directory));
  Walk walk(io, DirectoryTrail(io, std::move(handle), identity), identity.device, one_device, exclude);
  auto first = walk.read_current(*status);
  if (!first) return std::unexpected(std::move(first.error()));
  walk.first_ = std::move(*first);
  return walk;
}

std::optional<WalkStep> Walk::next() {
  if (first_) return std::exchange(first_, std::nullopt);
  while (!levels_.empty()) {
    Level& level = levels_.back();
    if (level.others) {
      WalkStep step;
      take_entries(step);
      return step;
    }
    if (level.next_directory < level.directories.size()) {
      // A copy: entering grows levels_, which moves the names.
      const std::string name(level.directories[level.next_directory++]);
      WalkStep step = enter(name);
      step.leaves = std::exchange(leaves_, 0);
      if (step.left_out && step.kind == WalkStep::Kind::enter) ++leaves_;
      return step;
    }
    levels_.pop_back();
    if (!levels_.empty()) leave();
  }
  return std::nullopt;
}

void Walk::leave() {
  trail_.ascend();
  ++leaves_;
}

WalkStep Walk::enter(std::string_view name) {
  const auto skip = [&](Error error) {
    WalkStep step;
    step.kind = WalkStep::Kind::skip;
    step.name = name;
    step.error = std::move(error);
    return step;
  };
  if (trail_.path_bytes() + 1 + name.size() > kLongestDirectoryPath) return skip(ErrorCode::name_too_long);
  auto status = trail_.descend(name);
  if (!status) return skip(std::move(status.error()));
  if (std::ranges::find(exclude_, identity_of(*status)) != exclude_.end()) {
    trail_.ascend();
    WalkStep step = skip(ErrorCode::invalid);
    step.left_out = true;
    return step;
  }
  auto step = read_current(*status);
  if (!step) {
    trail_.ascend();
    return skip(std::move(step.error()));
  }
  step->name = name;
  return std::move(*step);
}

Result<WalkStep> Walk::read_current(const struct statx& status) {
  WalkStep step;
  step.kind = WalkStep::Kind::enter;
  step.attributes = attributes_of(status);
  const int directory = trail_.current()->get();
  HostXattrs xattrs = read_xattrs(*io_, directory);
  step.attributes.xattrs = std::move(xattrs.list);
  step.incomplete = std::move(xattrs.error);
  if (one_device_ && identity_of(status).device != device_) {
    step.left_out = true;
    trail_.ascend();
    return step;
  }
  auto names = read_directory(*io_, directory);
  if (!names) return std::unexpected(std::move(names.error()));
  auto after = status_of(*io_, directory);
  step.changed = !after || !unchanged(status, *after);

  Level level;
  if (!names->others.empty()) level.others = std::make_shared<const Names<Nothing>>(std::move(names->others));
  level.directories = std::move(names->directories);
  levels_.push_back(std::move(level));
  take_entries(step);
  return step;
}

// Hands out the current directory's next entries, and with the last of them lets go of their names.
void Walk::take_entries(WalkStep& step) {
  Level& level = levels_.back();
  if (!level.others) return;
  step.handle = trail_.current();
  step.names = level.others;
  step.begin = level.next_other;
  step.end = std::min(level.others->size(), step.begin + kMaxStepEntries);
  level.next_other = step.end;
  if (step.end == level.others->size()) level.others.reset();
}

}  // namespace packfs::host
