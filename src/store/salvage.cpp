#include "store/salvage.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>

#include "content/corruption.h"
#include "log/group_reader.h"
#include "store/counted_groups.h"
#include "store/replayer.h"
#include "store/segment_file.h"
#include "volume/core.h"

namespace packfs::store {
namespace {

/// Whether an error says what the bytes are, so that salvaging goes around them, and not that the host fails.
bool is_damage(const Error& error) noexcept {
  return error.code() == ErrorCode::corrupt || error.code() == ErrorCode::no_entry;
}

class Salvage {
 public:
  Salvage(const Directory& directory, Replayer& replayer) noexcept : directory_(directory), replayer_(replayer) {}

  Result<Prefix> run(const Manifest& manifest) {
    for (const SegmentEntry& entry : manifest.segments) {
      const auto file = SegmentFile::open(directory_, entry.id);
      if (!file && !is_damage(file.error())) return std::unexpected(file.error());
      if (prefix_.damage) {
        if (!file) continue;
        const auto counted = count_dropped(**file, sizeof(log::FileHeader), end_of(**file, entry), 0);
        if (!counted) return std::unexpected(counted.error());
        continue;
      }
      if (!file) {
        prefix_.damage = file.error();
        continue;
      }
      ++prefix_.segments;
      prefix_.cut = sizeof(log::FileHeader);
      prefix_.last_commit = std::max(prefix_.last_commit, entry.base_commit);
      if (auto read = read_segment(**file, entry); !read) return std::unexpected(std::move(read.error()));
    }
    return std::move(prefix_);
  }

 private:
  static std::uint64_t end_of(const SegmentFile& file, const SegmentEntry& entry) noexcept {
    const std::uint64_t length = file.source().length();
    return entry.end == 0 ? length : std::min(entry.end, length);
  }

  Result<void> read_segment(const SegmentFile& file, const SegmentEntry& entry) {
    CountedGroups groups(file, entry.end, {prefix_.cut, prefix_.last_commit});
    while (!prefix_.damage) {
      const auto group = groups.next();
      if (!group) return std::unexpected(group.error());
      if (!group->has_value()) break;
      if (auto applied = apply(file, **group); !applied) return applied;
    }
    if (!prefix_.damage) prefix_.damage = groups.lost();
    if (!prefix_.damage) return {};
    return count_dropped(file, prefix_.cut, end_of(file, entry), prefix_.last_commit);
  }

  Result<void> apply(const SegmentFile& file, const log::FoundGroup& group) {
    auto applied = replayer_.apply(file, group);
    if (!applied && applied.error().code() == ErrorCode::corrupt) {
      prefix_.damage = std::move(applied.error());
      return {};
    }
    if (applied) {
      prefix_.cut = group.end;
      prefix_.last_commit = group.commit;
    }
    return applied;
  }

  /// Groups that can still be read, wherever the next one begins.
  Result<void> count_dropped(const SegmentFile& file, std::uint64_t begin, std::uint64_t end,
                             std::uint64_t last_commit) {
    const auto from = base::align_up(begin, log::kRecordAlignment);
    const auto count = log::count_groups(file.source(), file.header().segment_id, *from, end, last_commit);
    if (!count) return std::unexpected(count.error().with_path(file.path()));
    prefix_.dropped_commits += *count;
    return {};
  }

  const Directory& directory_;
  Replayer& replayer_;
  Prefix prefix_;
};

/// Whether a manifest can name these: what headers say of each other need not be so.
bool can_be_said(const std::vector<SegmentEntry>& segments) {
  Manifest manifest;
  manifest.segments = segments;
  return decode_manifest(encode_manifest(manifest)).has_value();
}

/// The header of a segment; nothing when the file has none that is good.
Result<std::optional<log::SegmentHeader>> header_of(const Directory& directory, std::uint64_t id) {
  const auto file = SegmentFile::open(directory, id);
  if (file) return (*file)->header();
  if (is_damage(file.error())) return std::nullopt;
  return std::unexpected(file.error());
}

/// The commit of the last group of a segment; `base_commit` when it has none.
Result<std::uint64_t> last_commit_of(const Directory& directory, const log::SegmentHeader& header) {
  const auto file = SegmentFile::open(directory, header.segment_id);
  if (!file) return std::unexpected(file.error());
  log::GroupReader groups((*file)->source(), header.segment_id, sizeof(log::FileHeader), (*file)->source().length(),
                          header.base_commit);
  std::uint64_t last = header.base_commit;
  for (;;) {
    const auto group = groups.next();
    if (!group) return std::unexpected(group.error().with_path((*file)->path()));
    if (!group->has_value()) return last;
    last = (*group)->commit;
  }
}

using Headers = std::unordered_map<std::uint64_t, log::SegmentHeader>;  // by segment

/// The segments up to this one; none when one before it is missing.
std::vector<SegmentEntry> chain_to(const log::SegmentHeader& end, const Headers& headers) {
  std::vector<SegmentEntry> chain{{end.segment_id, 0, end.base_commit}};
  std::uint64_t previous = end.previous_segment;
  std::uint64_t cut = end.previous_cut;
  while (previous != 0 && chain.size() <= headers.size()) {
    const auto found = headers.find(previous);
    if (found == headers.end()) break;
    chain.push_back({previous, cut, found->second.base_commit});
    previous = found->second.previous_segment;
    cut = found->second.previous_cut;
  }
  if (previous != 0) return {};
  std::ranges::reverse(chain);
  return chain;
}

}  // namespace

Result<Prefix> find_prefix(const Directory& directory, const Manifest& manifest) {
  auto core = volume::Core::make({}, {}, {0, manifest.created, manifest.uid, manifest.gid});
  if (!core) return std::unexpected(std::move(core.error()));
  Replayer replayer(**core);
  return Salvage(directory, replayer).run(manifest);
}

Result<std::vector<SegmentEntry>> find_chain(const Directory& directory, const std::vector<std::string>& names) {
  Headers headers;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ends;  // the last commit of each segment, and the segment
  for (const std::string& name : names) {
    const auto id = segment_id_of(name);
    if (!id) continue;
    const auto header = header_of(directory, *id);
    if (!header) return std::unexpected(header.error());
    if (!*header) continue;
    headers.emplace(*id, **header);
    const auto last = last_commit_of(directory, **header);
    if (!last) return std::unexpected(last.error());
    ends.emplace_back(*last, *id);
  }
  std::ranges::sort(ends, std::greater());
  // Of the chains that begin with a first segment, the one that goes furthest: a segment that a crash kept from being
  // adopted ends before, or where, the one it was to follow does.
  std::vector<SegmentEntry> best;
  std::uint64_t best_commit = 0;
  for (const auto& [last, end] : ends) {
    if (!best.empty() && last < best_commit) break;
    auto chain = chain_to(headers.at(end), headers);
    if (chain.size() <= best.size() || !can_be_said(chain)) continue;
    best = std::move(chain);
    best_commit = last;
  }
  return best;
}

}  // namespace packfs::store
