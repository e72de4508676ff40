#include "host/import_run.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "host/buffer_source.h"
#include "host/host_file_source.h"
#include "host/import_queue.h"

namespace packfs::host {

namespace {

using tree::Sink;

constexpr std::uint64_t kTellEntries = 256;
constexpr std::uint64_t kTellBytes = std::uint64_t{16} << 20;

// What a sink says of one entry; any other error is the sink's own and ends the import.
bool is_about_entry(const Error& error) noexcept {
  return error.code() == ErrorCode::exists || error.code() == ErrorCode::invalid ||
         error.code() == ErrorCode::name_too_long;
}

Error changed_meanwhile() { return Error(ErrorCode::stale).with_note("it changed while it was read"); }

}  // namespace

Result<void> ImportRun::add_directory(base::unique_fd directory, As as, std::string_view name, std::string_view shown) {
  auto walk = Walk::open(io_, std::move(directory), options_.one_device, options_.exclude);
  if (!walk) {
    if (as == As::root) return std::unexpected(std::move(walk.error()));
    skip(std::string(shown), std::move(walk.error()));
    return {};
  }
  ImportQueue queue(*walk, loader_, options_.threads, options_.helpers_after);
  levels_.clear();
  while (true) {
    auto step = queue.next();
    if (!step) return std::unexpected(std::move(step.error()));
    if (*step == nullptr) break;
    const WalkStep& now = **step;
    for (std::size_t i = 0; i < now.leaves; ++i) levels_.pop_back();
    if (!levels_.empty()) path_.resize(levels_.back().path_end);
    if (now.kind == WalkStep::Kind::skip) {
      if (levels_.back().refused) continue;
      if (now.left_out) {
        report_.left_out.push_back(path_of(now.name));
      } else {
        skip(path_of(now.name), now.error);
      }
      continue;
    }
    if (now.kind == WalkStep::Kind::enter) {
      if (auto entered = enter(now, as, name, shown); !entered) return entered;
    }
    if (levels_.back().refused) continue;
    for (std::size_t i = now.begin; i < now.end; ++i) {
      auto entry = queue.take(i);
      if (!entry) return std::unexpected(std::move(entry.error()));
      auto added = add_entry(now.handle->get(), now.names->c_str(i), std::move(*entry));
      if (!added) return added;
    }
  }
  levels_.clear();
  path_.clear();
  return {};
}

Result<void> ImportRun::add_other(int directory, const std::string& name, std::string_view shown) {
  // Reports show the source as it was given, which ends with its name.
  path_ = shown.substr(0, shown.size() - name.size());
  levels_.assign(1, {.id = Sink::kRoot, .path_end = path_.size(), .refused = false});
  auto added = add_entry(directory, name.c_str(), loader_.probe(directory, name.c_str()));
  levels_.clear();
  path_.clear();
  return added;
}

Result<void> ImportRun::enter(const WalkStep& step, As as, std::string_view name, std::string_view shown) {
  const bool first = levels_.empty();
  const std::string path = first ? std::string(shown) : path_of(step.name);
  const auto push = [&](Sink::DirectoryId id, bool refused) {
    path_ = path;
    levels_.push_back({.id = id, .path_end = path_.size(), .refused = refused});
  };
  if (!first && levels_.back().refused) {
    push(Sink::kRoot, true);
    return {};
  }
  if (first && as == As::root) {
    if (auto set = sink_.set_root(step.attributes); !set) return set;
    push(Sink::kRoot, false);
  } else {
    const Sink::DirectoryId parent = first ? Sink::kRoot : levels_.back().id;
    auto added = sink_.add_directory(parent, first ? name : std::string_view(step.name), step.attributes);
    if (!added) {
      if (!is_about_entry(added.error())) return std::unexpected(std::move(added.error()));
      skip(path, added.error());
      push(Sink::kRoot, true);
      return {};
    }
    push(*added, false);
    if (auto counted = count_entry(); !counted) return counted;
  }
  if (step.left_out) report_.left_out.push_back(path);
  if (step.changed) report_.changed.push_back({path, changed_meanwhile()});
  if (step.incomplete) report_.incomplete.push_back({path, *step.incomplete});
  return {};
}

Result<void> ImportRun::add_entry(int directory, const char* name, LoadedEntry entry) {
  using State = LoadedEntry::State;
  if (entry.state == State::deferred) {
    auto linked = add_known_link(name, entry.status);
    if (!linked) return std::unexpected(std::move(linked.error()));
    if (*linked) return {};
    entry = loader_.load(directory, name, entry.status);
  }
  if (entry.state == State::left_out) {
    report_.left_out.push_back(path_of(name));
    return {};
  }
  if (entry.state == State::skipped) {
    skip(path_of(name), std::move(entry.error));
    return {};
  }
  // Once more: what was opened may have become another file than the one that was looked up.
  auto linked = add_known_link(name, entry.status);
  if (!linked) return std::unexpected(std::move(linked.error()));
  if (*linked) return {};
  return add_loaded(name, entry);
}

Result<bool> ImportRun::add_known_link(std::string_view name, const struct statx& status) {
  if (status.stx_nlink < 2) return false;
  const auto found = links_.find(status);
  if (!found) return false;
  auto added = sink_.add_link(levels_.back().id, name, found->entry);
  if (!added) {
    if (auto judged = judge(name, std::move(added.error())); !judged) return std::unexpected(judged.error());
    return true;
  }
  if (found->changed) report_.changed.push_back({path_of(name), changed_meanwhile()});
  if (auto counted = count_entry(); !counted) return std::unexpected(counted.error());
  return true;
}

Result<void> ImportRun::add_loaded(std::string_view name, LoadedEntry& entry) {
  source_failed_ = false;
  auto added = hand_over(name, entry);
  if (!added) return judge(name, std::move(added.error()));
  if (entry.stream) {
    auto after = status_of(io_, entry.stream.get());
    entry.changed = !after || !unchanged(entry.status, *after);
  }
  links_.add(entry.status, *added);
  if (entry.changed) report_.changed.push_back({path_of(name), changed_meanwhile()});
  if (entry.incomplete) report_.incomplete.push_back({path_of(name), *entry.incomplete});
  return count_entry();
}

Result<Sink::EntryId> ImportRun::hand_over(std::string_view name, const LoadedEntry& entry) {
  const Sink::DirectoryId parent = levels_.back().id;
  switch (entry.type()) {
    case FileType::regular:
      return hand_over_file(name, entry);
    case FileType::symlink:
      return sink_.add_symlink(parent, name, entry.attributes, entry.target);
    default:
      return sink_.add_special(parent, name, entry.attributes, entry.type(), entry.status.stx_rdev_major,
                               entry.status.stx_rdev_minor);
  }
}

Result<Sink::EntryId> ImportRun::hand_over_file(std::string_view name, const LoadedEntry& entry) {
  const auto finish = [this](Result<Sink::Added> added) -> Result<Sink::EntryId> {
    if (!added) return std::unexpected(std::move(added.error()));
    report_.bytes += added->size;
    return added->entry;
  };
  const Sink::DirectoryId parent = levels_.back().id;
  if (!entry.stream) {
    BufferSource content(entry.content.span().first(entry.content_bytes));
    return finish(sink_.add_file(parent, name, entry.attributes, content));
  }
  // A sink may read a content twice; progress shows it once.
  std::uint64_t streamed = 0;
  HostFileSource content(io_, entry.stream.get(), entry.status.stx_size, [&](std::uint64_t bytes) {
    streamed = std::min<std::uint64_t>(streamed + bytes, entry.status.stx_size);
    return tell_progress(streamed);
  });
  auto added = sink_.add_file(parent, name, entry.attributes, content);
  source_failed_ = content.error().has_value();
  return finish(std::move(added));
}

// Decides whether an entry's failure ends the import or is named.
Result<void> ImportRun::judge(std::string_view name, Error error) {
  const bool cancelled = error.code() == Error::from_errno(ECANCELED).code();
  if (cancelled || !(source_failed_ || is_about_entry(error))) {
    return std::unexpected(error.with_path(path_of(name)));
  }
  skip(path_of(name), std::move(error));
  return {};
}

void ImportRun::skip(std::string path, Error error) { report_.skipped.push_back({std::move(path), std::move(error)}); }

Result<void> ImportRun::count_entry() {
  ++report_.entries;
  if (!tell_progress(0)) return std::unexpected(Error::from_errno(ECANCELED));
  return {};
}

bool ImportRun::tell_progress(std::uint64_t streamed) {
  if (!options_.progress) return true;
  const std::uint64_t bytes = report_.bytes + streamed;
  if (report_.entries - told_entries_ < kTellEntries && bytes - told_bytes_ < kTellBytes) return true;
  told_entries_ = report_.entries;
  told_bytes_ = bytes;
  return options_.progress(report_.entries, bytes);
}

std::string ImportRun::path_of(std::string_view name) const {
  std::string path = path_;
  if (!path.empty() && !path.ends_with('/')) path += '/';
  path += name;
  return path;
}

}  // namespace packfs::host
