#pragma once

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packfs/volume.h"
#include "store/directory.h"
#include "store/manifest.h"
#include "support/fault_io.h"
#include "support/packs.h"

namespace packfs::testing {

inline Volume open_store_at(const std::string& path) {
  auto volume = Volume::open(path);
  INFO((volume ? "" : volume.error().message()));
  REQUIRE(volume);
  return std::move(*volume);
}

/// The file's text; "(error)" and its message when it cannot be read.
inline std::string read_text(const Writable& volume, std::string_view path) {
  const auto file = volume.open_file(path);
  if (!file) return "(error) " + file.error().message();
  const auto bytes = file->read_all();
  return bytes ? text_of(*bytes) : "(error) " + bytes.error().message();
}

/// The segments that a store's manifest names, in order.
inline std::vector<std::string> segments_of(const std::string& store) {
  const auto manifest = store::decode_manifest(read_host_file(store + "/CURRENT"));
  REQUIRE(manifest);
  std::vector<std::string> found;
  for (const auto& segment : manifest->segments) found.push_back(store + "/" + store::segment_name(segment.id));
  return found;
}

/// The only segment of a store.
inline std::string segment_of(const std::string& store) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(store)) {
    if (entry.path().filename().string().starts_with("segment-")) found.push_back(entry.path());
  }
  REQUIRE(found.size() == 1);
  return found.front();
}

/// Whether a call changes nothing and locks nothing.
inline bool is_reading(const FaultIo::Call& call) {
  static constexpr std::array<std::string_view, 12> kReading{"openat",  "close",      "read",      "pread",
                                                             "statx",   "getdents64", "mmap",      "munmap",
                                                             "madvise", "dup",        "getrandom", "lseek"};
  return std::ranges::find(kReading, call.name) != kReading.end() && call.path != "LOCK";
}

/// Where a segment's groups end: nothing but zeros stands behind.
inline std::size_t used(const std::vector<std::byte>& segment) {
  const auto last = std::find_if(segment.rbegin(), segment.rend(), [](std::byte b) { return b != std::byte{0}; });
  return static_cast<std::size_t>(segment.rend() - last + 7) / 8 * 8;
}

/// Damages one byte of a file.
inline void flip(const std::string& file, std::size_t offset) {
  auto bytes = read_host_file(file);
  bytes[offset] ^= std::byte{1};
  write_host_file(file, bytes);
}

/// As the disk has it while the store is open: the process is killed.
inline void copy_killed(const std::string& from, const std::string& to) {
  std::filesystem::remove_all(to);
  std::filesystem::copy(from, to);
}

}  // namespace packfs::testing
