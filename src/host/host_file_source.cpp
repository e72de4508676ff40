#include "host/host_file_source.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "host/uninterrupted.h"

namespace packfs::host {

HostFileSource::HostFileSource(base::Io& io, int fd, std::uint64_t size, std::function<bool(std::uint64_t)> on_read)
    : io_(io), fd_(fd), size_(size), on_read_(std::move(on_read)) {}

Result<std::size_t> HostFileSource::read(std::uint64_t offset, std::span<std::byte> buffer) {
  if (offset >= size_ || buffer.empty()) return 0;
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size_ - offset));
  const ssize_t got = uninterrupted([&] { return io_.pread(fd_, buffer.data(), wanted, static_cast<off_t>(offset)); });
  if (got < 0) return fail(Error::from_errno(static_cast<int>(-got)).with_offset(offset));
  if (on_read_ && !on_read_(static_cast<std::uint64_t>(got))) return fail(Error::from_errno(ECANCELED));
  return static_cast<std::size_t>(got);
}

Result<std::uint64_t> HostFileSource::next_data(std::uint64_t offset) {
  if (offset >= size_) return size_;
  const off_t at = uninterrupted([&] { return io_.lseek(fd_, static_cast<off_t>(offset), SEEK_DATA); });
  if (at == -ENXIO) return size_;
  // A filesystem that knows no holes says EINVAL: all of it may be data.
  if (at == -EINVAL || at == -EOPNOTSUPP) return offset;
  if (at < 0) return fail(Error::from_errno(static_cast<int>(-at)).with_offset(offset));
  return std::clamp(static_cast<std::uint64_t>(at), offset, size_);
}

std::unexpected<Error> HostFileSource::fail(Error error) {
  if (!error_) error_ = error;
  return std::unexpected(std::move(error));
}

}  // namespace packfs::host
