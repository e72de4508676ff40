#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "fuzz/reseal.h"
#include "log/format.h"
#include "store/check.h"
#include "store/directory.h"
#include "store/format.h"
#include "store/repair.h"
#include "store/store.h"
#include "support/crash_disk.h"

// Opens any bytes as a store, for reading and for writing, asks for everything in it, writes, and opens it again: as
// they are, and with their checksums made good. It may be refused or damaged; it may not crash, loop, take memory that
// the bytes are no reason for, or be lost by the write.
//
// An input is a row of parts, each behind its length (u32): the manifest, then the segments, each of which is found
// under the id in its header.
namespace {

using namespace packfs;
using testing::CrashDisk;
using Bytes = std::vector<std::byte>;

constexpr const char* kPath = "/store";
constexpr std::size_t kMostParts = 5;
/// A few clones name as many entries as one likes.
constexpr std::size_t kMostEntries = 2000;

std::vector<Bytes> parts_of(std::span<const std::byte> input) {
  std::vector<Bytes> parts;
  while (input.size() >= 4 && parts.size() < kMostParts) {
    const auto length = std::min<std::size_t>(base::load_le<std::uint32_t>(input.data()), input.size() - 4);
    parts.emplace_back(input.begin() + 4, input.begin() + 4 + static_cast<std::ptrdiff_t>(length));
    input = input.subspan(4 + length);
  }
  return parts;
}

std::uint64_t id_of(const Bytes& segment) {
  constexpr std::size_t kAt = offsetof(log::FileHeader, segment_id);
  return segment.size() < kAt + 8 ? 0 : base::load_le<std::uint64_t>(segment.data() + kAt);
}

void reseal(std::vector<Bytes>& parts) {
  Bytes& manifest = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].size() < sizeof(log::FileHeader)) continue;
    auto* header = reinterpret_cast<log::FileHeader*>(parts[i].data());
    header->checksum.set(base::xxh3(std::span(parts[i]).first(offsetof(log::FileHeader, checksum))));
    testing::reseal_records(parts[i], sizeof(log::FileHeader), parts[i].size(), id_of(parts[i]));
  }
  if (manifest.size() < sizeof(store::ManifestHeader)) return;
  auto* header = reinterpret_cast<store::ManifestHeader*>(manifest.data());
  const auto before = std::span(manifest).first(offsetof(store::ManifestHeader, checksum));
  const auto elements = std::span(manifest).subspan(sizeof(store::ManifestHeader));
  header->checksum.set(base::xxh3(before, base::xxh3(elements)));
}

void put_file(CrashDisk& disk, const std::string& name, const Bytes& bytes) {
  const int fd = disk.openat(AT_FDCWD, (kPath + ("/" + name)).c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (!bytes.empty()) disk.pwrite(fd, bytes.data(), bytes.size(), 0);
  disk.close(fd);
}

void read_file(const File& file) {
  std::array<std::byte, 4096> buffer;
  for (const std::uint64_t offset : {std::uint64_t{0}, file.size() / 2, file.size() - 1, file.size()}) {
    const auto read = file.read(offset, buffer);
    if (read && *read > buffer.size()) std::abort();
  }
  if (const auto bytes = file.bytes(); bytes && bytes->size() != file.size()) std::abort();
}

void walk(const Volume& volume) {
  std::vector<std::string> directories{""};
  std::size_t entries = 0;
  while (!directories.empty() && entries < kMostEntries) {
    const std::string directory = std::move(directories.back());
    directories.pop_back();
    static_cast<void>(volume.totals(directory));
    Listing listing = volume.list(directory);
    for (const auto& entry : listing) {
      if (!entry || ++entries > kMostEntries) break;
      const std::string path = directory + "/" + std::string(entry->name());
      static_cast<void>(volume.lstat(path));
      static_cast<void>(volume.xattrs(path));
      if (entry->type() == FileType::directory) directories.push_back(path);
      if (entry->type() == FileType::symlink) static_cast<void>(volume.readlink(path));
      if (entry->type() != FileType::regular) continue;
      if (const auto file = volume.open_file(path)) read_file(*file);
    }
  }
}

Result<Volume> open(CrashDisk& disk, bool read_only) {
  StoreOptions options;
  options.read_only = read_only;
  options.segment_bytes = 4096;
  return store::open(disk, kPath, options);
}

void check(const std::vector<Bytes>& parts) {
  CrashDisk disk;
  disk.mkdirat(AT_FDCWD, kPath, 0777);
  put_file(disk, store::kCurrent, parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) put_file(disk, store::segment_name(id_of(parts[i])), parts[i]);
  static_cast<void>(store::check(disk, kPath, {}));
  if (const auto reader = open(disk, true)) walk(*reader);
  {
    auto writer = open(disk, false);
    if (!writer) {
      static_cast<void>(store::repair(disk, kPath));
      return;
    }
    walk(*writer);
    if (!writer->write("written", std::as_bytes(std::span("by a fuzzer", 11)))) return;
  }
  const auto again = open(disk, false);
  if (again && again->lstat("written")) return;
  std::fprintf(stderr, "a write was lost: %s\n", again ? "not there" : again.error().message().c_str());
  std::abort();
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto parts = parts_of(std::as_bytes(std::span(data, size)));
  if (parts.empty()) return 0;
  check(parts);
  const std::vector<Bytes> raw = parts;
  reseal(parts);
  if (parts != raw) check(parts);
  return 0;
}
