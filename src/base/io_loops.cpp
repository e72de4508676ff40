#include "base/io_loops.h"

#include <algorithm>
#include <cstdint>

#include "base/bytes.h"

namespace packfs::base {

namespace {

// One call moves no more: what exceeds 0x7ffff000 bytes the kernel cuts off anyway, and some refuse it.
constexpr std::size_t kMaxTransfer = std::size_t{1} << 30;

template <class Transfer>
Result<std::size_t> read_loop(std::span<std::byte> buffer, Transfer transfer) {
  std::size_t done = 0;
  while (done < buffer.size()) {
    const std::size_t wanted = std::min(buffer.size() - done, kMaxTransfer);
    const ssize_t got = transfer(buffer.data() + done, wanted, done);
    if (got == -EINTR) continue;
    if (got < 0) return std::unexpected(Error::from_errno(static_cast<int>(-got)));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

template <class Transfer>
Result<void> write_loop(std::span<const std::byte> bytes, Transfer transfer) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const std::size_t wanted = std::min(bytes.size() - done, kMaxTransfer);
    const ssize_t put = transfer(bytes.data() + done, wanted, done);
    if (put == -EINTR) continue;
    if (put < 0) return std::unexpected(Error::from_errno(static_cast<int>(-put)));
    if (put == 0) return std::unexpected(Error(ErrorCode::io_error).with_note("a write moved nothing"));
    done += static_cast<std::size_t>(put);
  }
  return {};
}

// off_t is signed: an offset beyond it must not reach the kernel as a negative one.
bool offset_fits(std::uint64_t offset, std::size_t length) { return range_fits(offset, length, INT64_MAX); }

}  // namespace

Result<std::size_t> read_fully(Io& io, int fd, std::span<std::byte> buffer) {
  return read_loop(buffer, [&](std::byte* at, std::size_t length, std::size_t) { return io.read(fd, at, length); });
}

Result<std::size_t> pread_fully(Io& io, int fd, std::span<std::byte> buffer, std::uint64_t offset) {
  if (!offset_fits(offset, buffer.size())) return std::unexpected(ErrorCode::invalid);
  return read_loop(buffer, [&](std::byte* at, std::size_t length, std::size_t done) {
    return io.pread(fd, at, length, static_cast<off_t>(offset + done));
  });
}

Result<void> write_fully(Io& io, int fd, std::span<const std::byte> bytes) {
  return write_loop(bytes,
                    [&](const std::byte* at, std::size_t length, std::size_t) { return io.write(fd, at, length); });
}

Result<void> pwrite_fully(Io& io, int fd, std::span<const std::byte> bytes, std::uint64_t offset) {
  if (!offset_fits(offset, bytes.size())) return std::unexpected(ErrorCode::too_large);
  return write_loop(bytes, [&](const std::byte* at, std::size_t length, std::size_t done) {
    return io.pwrite(fd, at, length, static_cast<off_t>(offset + done));
  });
}

}  // namespace packfs::base
