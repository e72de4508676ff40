#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "packfs/error.h"
#include "packfs/node.h"
#include "packfs/ref.h"
#include "packfs/types.h"

namespace packfs {

/// An open regular file: its content as it was when opened. It holds what it reads from, so it outlives the View and
/// the Pack it came from. Threads: any number may read one File at once.
class File {
 public:
  File(Ref<const tree::Table> table, const Node& node, std::uint64_t size_bytes) noexcept;
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  /// Bytes of content.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_bytes_; }

  /// Copies bytes from `offset` on into `buffer`; returns how many: less than asked only at the file's end, 0 behind
  /// it. Errors: corrupt (the content fails its checksum; nothing unverified is given); an errno from the host.
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) const;

  /// All of the content, verified; valid as long as this File (a moved-to File keeps it valid). Zero-copy when it is
  /// stored as one plain run in a mapped pack; otherwise it is decoded once into memory the File owns.
  /// Errors: as read(); too_large (a copy would exceed kMaxCopiedBytes; use read()); no_memory.
  [[nodiscard]] Result<std::span<const std::byte>> bytes() const;
  static constexpr std::uint64_t kMaxCopiedBytes = std::uint64_t{1} << 30;

  /// All of the content in memory of the caller's own. Errors: as bytes().
  [[nodiscard]] Result<std::vector<std::byte>> read_all() const;

  /// The file's attributes. Errors: corrupt; an errno from the host.
  [[nodiscard]] Result<Stat> stat() const;

 private:
  Ref<const tree::Table> table_;
  Node node_;
  std::uint64_t size_bytes_;
  mutable std::atomic<std::byte*> copy_{nullptr};
};

}  // namespace packfs
