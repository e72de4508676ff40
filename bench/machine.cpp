#include "machine.h"

#include <leveldb/db.h>
#include <lmdb.h>
#include <rocksdb/version.h>
#include <sqlite3.h>
#include <sys/statfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>

#include "arms/program.h"

namespace packfs::bench {

namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  constexpr std::string_view kKey = "model name";
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kKey)) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string memory() {
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  const double bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f GiB", bytes / kGiB);
  return text.data();
}

std::string version_line(const Settings& settings, const std::string& program) {
  if (!has_program(program)) return "not installed";
  const std::string output = settings.directory + "/version";
  run_program({program, "--version"}, output);
  return first_line(output);
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", std::gmtime(&now));
  return text.data();
}

}  // namespace

std::string filesystem_of(const std::string& path) {
  constexpr std::int64_t kExt = 0xEF53;
  constexpr std::int64_t kXfs = 0x58465342;
  constexpr std::int64_t kBtrfs = 0x9123683E;
  constexpr std::int64_t kTmpfs = 0x01021994;
  constexpr std::int64_t kOverlay = 0x794C7630;
  struct statfs found;
  if (statfs(path.c_str(), &found) != 0) return "unknown";
  switch (found.f_type) {
    case kExt:
      return "ext4";
    case kXfs:
      return "xfs";
    case kBtrfs:
      return "btrfs";
    case kTmpfs:
      return "tmpfs";
    case kOverlay:
      return "overlay";
    default:
      return "another";
  }
}

Facts machine_facts(const Settings& settings) {
  utsname kernel{};
  uname(&kernel);
  const char* commit = std::getenv("PACKFS_BENCH_COMMIT");
  return {
      {"date", today()},
      {"commit", commit == nullptr ? "unknown" : commit},
      {"processor", processor() + ", " + std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " cores"},
      {"memory", memory()},
      {"kernel", std::string(kernel.sysname) + " " + kernel.release + " " + kernel.machine},
      {"transparent huge pages", first_line("/sys/kernel/mm/transparent_hugepage/enabled")},
      {"work directory", filesystem_of(settings.directory)},
      {"compiler", std::string(__VERSION__) + ", " + PACKFS_BENCH_FLAGS},
      {"LevelDB", std::to_string(leveldb::kMajorVersion) + "." + std::to_string(leveldb::kMinorVersion)},
      {"RocksDB", rocksdb::GetRocksVersionAsString()},
      {"SQLite", sqlite3_libversion()},
      {"LMDB", mdb_version(nullptr, nullptr, nullptr)},
      {"tar", version_line(settings, "tar")},
      {"cp", version_line(settings, "cp")},
      {"rounds", std::to_string(settings.rounds) + (settings.smoke ? " (a smoke run: its figures mean nothing)" : "")},
  };
}

}  // namespace packfs::bench
