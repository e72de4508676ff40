#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "log/file_header.h"
#include "log/group.h"
#include "store/directory.h"
#include "store/manifest.h"
#include "support/packs.h"

// Stores made by hand, of groups as no writer leaves them.
namespace packfs::testing {

/// A segment, group by group.
class MadeSegment {
 public:
  explicit MadeSegment(std::uint64_t id, std::uint64_t previous = 0, std::uint64_t cut = 0,
                       std::uint64_t base_commit = 0)
      : id_(id) {
    const auto header = log::encode_file_header(
        {.segment_id = id, .previous_segment = previous, .previous_cut = cut, .base_commit = base_commit});
    bytes_.assign(header.begin(), header.end());
  }

  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] std::uint64_t end() const { return bytes_.size(); }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }
  /// Where its groups end, for a manifest that names another behind it.
  [[nodiscard]] std::uint64_t cut() const { return cut_ != 0 ? cut_ : end(); }
  void cut_here() { cut_ = end(); }
  /// As if nothing had been written there.
  void erase(std::uint64_t from, std::uint64_t to) {
    for (; from < to; ++from) bytes_[from] = std::byte{0};
  }
  void damage(std::uint64_t at) { bytes_[at] ^= std::byte{1}; }

  /// A commit that makes a directory.
  void add(const std::string& name, std::uint64_t commit, std::uint64_t synced_end) {
    tree::Operation operation{.kind = tree::Operation::Kind::make_directory, .mode = 0755, .path = name};
    log::Setting setting;
    setting.stamp.commit = commit;
    setting.inode = commit + 10;
    group_.begin(id_, end());
    must(group_.add(operation, setting));
    must(group_.close(commit, synced_end));
    append();
  }
  void mark(std::uint64_t commit) {
    group_.begin(id_, end());
    must(group_.mark_closed(commit));
    append();
  }

 private:
  void append() { bytes_.insert(bytes_.end(), group_.bytes().begin(), group_.bytes().end()); }

  std::uint64_t id_;
  std::uint64_t cut_ = 0;
  std::vector<std::byte> bytes_;
  log::Group group_;
};

/// A store of these segments, the last of which is still written.
inline void make_store(const std::string& path, const std::vector<MadeSegment>& segments) {
  std::filesystem::create_directory(path);
  store::Manifest manifest;
  manifest.store_id = 1;
  manifest.generation = 1;
  std::uint64_t base_commit = 0;
  for (const MadeSegment& segment : segments) {
    const bool is_last = &segment == &segments.back();
    manifest.segments.push_back({segment.id(), is_last ? 0 : segment.cut(), base_commit});
    base_commit += 10;
    std::vector<std::byte> bytes = segment.bytes();
    if (is_last) bytes.resize(bytes.size() + 4096);
    write_host_file(path + "/" + store::segment_name(segment.id()), bytes);
  }
  write_host_file(path + "/CURRENT", store::encode_manifest(manifest));
}

}  // namespace packfs::testing
