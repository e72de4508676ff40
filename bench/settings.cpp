#include "settings.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace packfs::bench {

Settings Settings::from_environment() {
  Settings settings;
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string(text == nullptr ? "" : text);
  };
  settings.smoke = value("PACKFS_BENCH_SMOKE") == "1";
  if (settings.smoke) {
    settings.rounds = 1;
    settings.min_seconds = 0.01;
  } else if (const std::string rounds = value("PACKFS_BENCH_ROUNDS"); !rounds.empty()) {
    settings.rounds = std::max(5U, static_cast<unsigned>(std::strtoul(rounds.c_str(), nullptr, 10)));
  }
  settings.directory = value("PACKFS_BENCH_DIR");
  if (settings.directory.empty()) settings.directory = "build/bench-work";
  settings.directory = std::filesystem::absolute(settings.directory).string();
  std::filesystem::create_directories(settings.directory);
  settings.programs = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
  return settings;
}

}  // namespace packfs::bench
