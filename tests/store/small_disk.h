#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace packfs::testing {

/// A small filesystem of the kernel's, mounted as long as this lives.
class SmallDisk {
 public:
  enum class Type : std::uint8_t { tmpfs, ext4 };

  /// Null where one cannot be mounted: it takes root, and for ext4 loop devices and mkfs.
  static std::unique_ptr<SmallDisk> mount(Type type);
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk();

  [[nodiscard]] std::string path(std::string_view name) const {
    return directory_.path("mounted/" + std::string(name));
  }
  /// Bytes that may still be written.
  [[nodiscard]] std::uint64_t room() const;
  /// Takes room, all but about so much, into a file of that name; removing it gives it back.
  void take_room(const std::string& name, std::uint64_t all_but) const;

  /// From now on; nothing in it may be open for writing.
  void make_read_only() const;

 private:
  SmallDisk() = default;

  TempDir directory_;
};

}  // namespace packfs::testing
