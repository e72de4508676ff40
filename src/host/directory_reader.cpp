#include "host/directory_reader.h"

#include <dirent.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include "base/alloc.h"
#include "base/io_loops.h"
#include "host/status.h"
#include "host/uninterrupted.h"

namespace packfs::host {

namespace {

// 10,000 entries in three calls; 1 MiB would need two and costs more than it saves on the many small directories.
constexpr std::size_t kBufferBytes = 256 * 1024;

constexpr std::size_t kNameOffset = offsetof(dirent64, d_name);

bool is_directory(base::Io& io, int directory, const char* name, unsigned char kind) {
  if (kind != DT_UNKNOWN) return kind == DT_DIR;
  // A name that cannot be looked at goes with the others: whoever takes it in meets the error and names it.
  auto status = status_at(io, directory, name);
  return status && type_of(*status) == FileType::directory;
}

Result<void> take_records(base::Io& io, int directory, std::span<const std::byte> records, DirectoryNames& names) {
  while (!records.empty()) {
    if (records.size() <= kNameOffset) return std::unexpected(ErrorCode::corrupt);
    std::uint16_t length = 0;
    std::memcpy(&length, records.data() + offsetof(dirent64, d_reclen), sizeof length);
    if (length <= kNameOffset || length > records.size()) return std::unexpected(ErrorCode::corrupt);
    const char* start = reinterpret_cast<const char*>(records.data()) + kNameOffset;
    const std::string_view name(start, ::strnlen(start, length - kNameOffset));
    if (name.size() == length - kNameOffset) return std::unexpected(ErrorCode::corrupt);
    const auto kind = std::to_integer<unsigned char>(records[offsetof(dirent64, d_type)]);
    records = records.subspan(length);
    if (name == "." || name == "..") continue;
    (is_directory(io, directory, start, kind) ? names.directories : names.others).add(name, {});
  }
  return {};
}

}  // namespace

Result<DirectoryNames> read_directory(base::Io& io, int directory) {
  DirectoryNames names;
  const base::Buffer buffer(kBufferBytes);
  while (true) {
    const ssize_t got = uninterrupted([&] { return io.getdents64(directory, buffer.data(), buffer.size()); });
    if (auto read = base::checked(got); !read) return std::unexpected(std::move(read.error()));
    if (got == 0) break;
    auto taken = take_records(io, directory, buffer.span().first(static_cast<std::size_t>(got)), names);
    if (!taken) return std::unexpected(taken.error().with_note("a malformed directory record"));
  }
  names.others.sort();
  names.directories.sort();
  return names;
}

}  // namespace packfs::host
