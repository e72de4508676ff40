#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/io.h"
#include "content/source.h"
#include "content/stored.h"
#include "support/temp_dir.h"

namespace packfs::testing {

using Bytes = std::vector<std::byte>;

/// Bytes that do not compress, and bytes that do. The same arguments give the same bytes.
[[nodiscard]] Bytes noise(std::uint64_t seed, std::size_t length);
[[nodiscard]] Bytes prose(std::uint64_t seed, std::size_t length);

/// A file made of contents, put one behind the other at odd places as an encoder would.
class Image {
 public:
  Image() : bytes_(64, std::byte{0xEE}) {}

  content::Stored add_run(std::span<const std::byte> raw);
  /// A run whose source shrank: `raw`, then zeros up to `stored_length`.
  content::Stored add_shrunk_run(std::span<const std::byte> raw, std::uint64_t stored_length);
  content::Stored add_packed(std::span<const std::byte> raw, unsigned block_log2 = 18, int level = 3);
  /// Extents of at most `extent_bytes`, holes left out; every `packed_every`-th extent packed (0: none).
  content::Stored add_chained(std::span<const std::byte> raw, std::uint64_t extent_bytes, unsigned packed_every = 0);
  /// A chained content of which only the map is given.
  content::Stored add_map(std::span<const content::ExtentMapElement> map, std::uint64_t size);

  [[nodiscard]] Bytes& bytes() noexcept { return bytes_; }

 private:
  Bytes bytes_;
};

[[nodiscard]] content::ExtentMapElement map_element(std::uint64_t begin, std::uint64_t length, content::Form form,
                                                    std::uint64_t location);

/// An image as an open file.
class OpenImage {
 public:
  OpenImage(std::span<const std::byte> bytes, bool map, base::Io& io = base::system_io());

  [[nodiscard]] const content::Source& source() const { return *source_; }
  [[nodiscard]] const content::StoredReader& reader() const { return *reader_; }
  /// A reader that has verified nothing yet.
  void forget();
  /// Changes the file behind the source's back.
  void overwrite(std::uint64_t offset, std::byte value);
  void truncate(std::uint64_t length);

  /// All of a content through read(), in one call.
  [[nodiscard]] Result<Bytes> read_all(const content::Stored& stored) const;

 private:
  TempDir dir_;
  std::string path_;
  std::unique_ptr<content::Source> source_;
  std::unique_ptr<content::StoredReader> reader_;
};

}  // namespace packfs::testing
