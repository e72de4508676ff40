#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "host/status.h"

namespace packfs::host {

/// Where the first name of each file with several names was written, by link id.
class ExportLinks {
 public:
  struct First {
    std::string directory;  ///< its path from the target
    std::string name;
    FileIdentity identity;
  };
  /// Null when no name of it was written. Valid until the next add().
  [[nodiscard]] const First* find(std::uint64_t link_id) const {
    const auto at = firsts_.find(link_id);
    return at == firsts_.end() ? nullptr : &at->second;
  }
  void add(std::uint64_t link_id, First first) { firsts_.insert_or_assign(link_id, std::move(first)); }

 private:
  std::unordered_map<std::uint64_t, First> firsts_;
};

}  // namespace packfs::host
