#include "rows/durable_place.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "check.h"
#include "machine.h"

namespace packfs::bench {

DurablePlace::DurablePlace(std::string directory) : directory_(std::move(directory)) {
  std::filesystem::remove_all(directory_);
  std::filesystem::create_directories(directory_);
}

DurablePlace::DurablePlace(const Settings& settings) : DurablePlace(settings.directory + "/durable") {
  must_hold(settings.smoke || filesystem_of(directory_) != "tmpfs",
            settings.directory + ": a sync in memory measures nothing; name another place (PACKFS_BENCH_DIR)");
}

DurablePlace::~DurablePlace() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

std::string DurablePlace::description() const { return "work directory, " + filesystem_of(directory_); }

std::string DurablePlace::next() { return directory_ + "/" + std::to_string(count_++); }

void DurablePlace::settle() const {
  const int fd = must_call(open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), directory_);
  must_call(syncfs(fd), directory_);
  close(fd);
}

}  // namespace packfs::bench
