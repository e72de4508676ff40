#include "rows/durable_place.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "check.h"

namespace packfs::bench {

DurablePlace::DurablePlace(std::string directory) : directory_(std::move(directory)) {
  std::filesystem::remove_all(directory_);
  std::filesystem::create_directories(directory_);
}

DurablePlace::~DurablePlace() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

std::string DurablePlace::next() { return directory_ + "/" + std::to_string(count_++); }

void DurablePlace::settle() const {
  const int fd = must_call(open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), directory_);
  must_call(syncfs(fd), directory_);
  close(fd);
}

}  // namespace packfs::bench
