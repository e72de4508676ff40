#pragma once

#include <fcntl.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/crash_disk.h"

namespace packfs::testing {

using Text = std::optional<std::string>;
inline constexpr std::uint64_t kCrashSeeds = 64;

/// What the file at `path` holds; nothing when there is none.
inline Text text_on(CrashDisk& disk, const char* path) {
  const int fd = disk.openat(AT_FDCWD, path, O_RDONLY, 0);
  if (fd < 0) return std::nullopt;
  std::string text(1 << 16, '\0');
  const ssize_t got = disk.pread(fd, text.data(), text.size(), 0);
  disk.close(fd);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

/// A fixture: a disk, what a test does to it, and what is found on it after a crash.
struct BeforeCrash {
  CrashDisk disk;

  int open(const char* path) { return disk.openat(AT_FDCWD, path, O_RDWR | O_CREAT, 0600); }
  void write(int fd, std::string_view text, off_t offset = 0) {
    REQUIRE(disk.pwrite(fd, text.data(), text.size(), offset) == static_cast<ssize_t>(text.size()));
  }
  void sync_directory(const char* path) {
    const int fd = disk.openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);
    REQUIRE(disk.fsync(fd) == 0);
    disk.close(fd);
  }
  /// A file whose bytes and name are durable.
  int durable(const char* path, std::string_view text) {
    const int fd = open(path);
    write(fd, text);
    REQUIRE(disk.fsync(fd) == 0);
    const std::string parent(path, std::string_view(path).rfind('/') + 1);
    sync_directory(parent.c_str());
    return fd;
  }
  bool rename(const char* from, const char* to) { return disk.renameat2(AT_FDCWD, from, AT_FDCWD, to, 0) == 0; }
  bool unlink(const char* path) { return disk.unlinkat(AT_FDCWD, path, 0) == 0; }

  Text after(Damage damage, const char* path, std::uint64_t seed = 1) {
    return text_on(*disk.crash_image(seed, damage), path);
  }
  /// What the file holds after `damage`, over the seeds.
  std::set<Text> seen(Damage damage, const char* path) {
    std::set<Text> texts;
    for (std::uint64_t seed = 0; seed < kCrashSeeds; ++seed) texts.insert(after(damage, path, seed));
    return texts;
  }
  /// The same of several files together, after every damage.
  std::set<std::vector<Text>> seen_together(const std::vector<const char*>& paths) {
    std::set<std::vector<Text>> found;
    for (const Damage damage : kDamages) {
      for (std::uint64_t seed = 0; seed < kCrashSeeds; ++seed) {
        const auto image = disk.crash_image(seed, damage);
        std::vector<Text> texts;
        texts.reserve(paths.size());
        for (const char* path : paths) texts.push_back(text_on(*image, path));
        found.insert(std::move(texts));
      }
    }
    return found;
  }
};

}  // namespace packfs::testing
