#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packfs/pack.h"
#include "packfs/pack_builder.h"

namespace packfs::testing {

/// The bytes of `text`.
[[nodiscard]] inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
[[nodiscard]] inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Attributes for where they do not matter.
inline const Attributes kPlain{.mode = 0644, .uid = 0, .gid = 0, .mtime = {1, 0}, .xattrs = {}};

/// Builds a pack at `path`: `fill` adds the entries. Throws std::runtime_error when building fails.
void build_pack(const std::string& path, const std::function<void(PackBuilder&)>& fill,
                const BuildOptions& options = {});

/// Throws std::runtime_error with the error's message when `result` has none of its own to give.
void must(const Result<void>& result);

/// Opens a pack that must open.
[[nodiscard]] Pack open_pack(const std::string& path, ReadMode mode = ReadMode::mmap);

/// The whole file at `path`; and the reverse.
[[nodiscard]] std::vector<std::byte> read_host_file(const std::string& path);
void write_host_file(const std::string& path, std::span<const std::byte> bytes);

}  // namespace packfs::testing
