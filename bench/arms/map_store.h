#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"

namespace packfs::bench {

/// std::map from path to content: no transactions, no snapshots, no threads. The floor of what order costs.
class MapStore {
 public:
  void make_directory(std::string_view path) { map_.emplace(path, std::vector<std::byte>()); }
  void put(std::string_view path, std::span<const std::byte> content) {
    map_.insert_or_assign(std::string(path), std::vector<std::byte>(content.begin(), content.end()));
  }
  void remove(std::string_view path) {
    const auto at = map_.find(path);
    must_hold(at != map_.end(), "std::map: nothing to remove");
    map_.erase(at);
  }
  void begin() {}
  void commit() {}

  std::size_t read(std::string_view path, std::span<std::byte> buffer) const {
    const auto at = map_.find(path);
    if (at == map_.end()) return kMissing;
    const std::size_t length = std::min(at->second.size(), buffer.size());
    if (length != 0) std::memcpy(buffer.data(), at->second.data(), length);
    return length;
  }
  bool size(std::string_view path, std::uint64_t& bytes) const {
    const auto at = map_.find(path);
    if (at != map_.end()) bytes = at->second.size();
    return at != map_.end();
  }
  template <class Visit>
  void list_all(Visit&& visit) const {
    for (const auto& [path, content] : map_) visit(std::string_view(path));
  }

  static constexpr std::size_t kMissing = SIZE_MAX;

 private:
  std::map<std::string, std::vector<std::byte>, std::less<>> map_;
};

}  // namespace packfs::bench
