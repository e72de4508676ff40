#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace packfs::bench {

/// Records of one size, one behind another, in a file whose blocks were all written before: the least that a log can
/// cost. A record holds a path and a content, and is filled up with zeros. One thread at a time.
class RecordFile {
 public:
  /// A new file with room for so many.
  RecordFile(const std::string& path, std::size_t record_bytes, std::size_t records);
  /// For reading one that was written.
  explicit RecordFile(const std::string& path);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// Adds a record to `bytes`.
  void encode(std::string_view path, std::span<const std::byte> content, std::vector<std::byte>& bytes) const;
  /// One pwrite behind what was written before.
  void write(std::span<const std::byte> bytes);
  /// fdatasync.
  void sync() const;

  std::size_t read(std::string_view path, std::span<std::byte> buffer) const;
  /// Records.
  [[nodiscard]] std::uint64_t entries() const noexcept { return contents_.size(); }

  static constexpr std::size_t kMissing = SIZE_MAX;

 private:
  void write_zeros(std::size_t bytes) const;

  int fd_;
  std::size_t record_bytes_ = 0;
  std::uint64_t end_ = 0;
  std::unordered_map<std::string, std::vector<std::byte>> contents_;  // of a file that was found
};

}  // namespace packfs::bench
