#include "arms/host_store.h"

#include <filesystem>

namespace packfs::bench {

HostStore::HostStore(const std::string& directory) : directory_(directory) {
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  root_ = must_call(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), directory);
  tree_ = std::make_unique<RawTree>(directory);
}

HostStore::~HostStore() {
  close(root_);
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

}  // namespace packfs::bench
