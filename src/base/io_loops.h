#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/io.h"
#include "packfs/error.h"

namespace packfs::base {

/// Turns a kernel-style return (>= 0, or a negated errno) into a Result.
template <class T>
Result<T> checked(T returned) {
  if (returned < 0) return std::unexpected(Error::from_errno(static_cast<int>(-returned)));
  return returned;
}

/// Reads until `buffer` is full or the file ends; retries EINTR, goes on after short reads. Returns bytes read.
Result<std::size_t> read_fully(Io& io, int fd, std::span<std::byte> buffer);
Result<std::size_t> pread_fully(Io& io, int fd, std::span<std::byte> buffer, std::uint64_t offset);

/// Writes all of `bytes`; retries EINTR, goes on after short writes. A write that returns 0 is io_error.
Result<void> write_fully(Io& io, int fd, std::span<const std::byte> bytes);
Result<void> pwrite_fully(Io& io, int fd, std::span<const std::byte> bytes, std::uint64_t offset);

}  // namespace packfs::base
