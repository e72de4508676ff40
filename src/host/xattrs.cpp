#include "host/xattrs.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "base/io_loops.h"
#include "host/uninterrupted.h"

namespace packfs::host {

namespace {

// The kernel's bounds on a list and on a value (XATTR_LIST_MAX, XATTR_SIZE_MAX).
constexpr std::size_t kLargest = 65536;

// Calls `fetch(buffer, length)` with memory that is small, and large when that does not do. `small` is used first.
template <class Fetch>
Result<std::vector<char>> fetch_all(Fetch fetch) {
  std::array<char, 1024> small;
  ssize_t got = uninterrupted([&] { return fetch(small.data(), small.size()); });
  if (got >= 0) return std::vector<char>(small.data(), small.data() + got);
  if (got != -ERANGE) return std::unexpected(Error::from_errno(static_cast<int>(-got)));
  std::vector<char> large(kLargest);
  got = uninterrupted([&] { return fetch(large.data(), large.size()); });
  if (auto done = base::checked(got); !done) return std::unexpected(std::move(done.error()));
  large.resize(static_cast<std::size_t>(got));
  return large;
}

template <class List, class Get>
HostXattrs read_all(List list, Get get) {
  HostXattrs result;
  const auto fail = [&](const Error& error) {
    if (!result.error) result.error = error;
  };
  auto names = fetch_all(list);
  if (!names) {
    if (names.error().code() != ErrorCode::not_supported) fail(names.error().with_note("extended attributes"));
    return result;
  }
  std::string_view rest(names->data(), names->size());
  while (!rest.empty()) {
    const std::string name(rest.substr(0, rest.find('\0')));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    if (name.empty()) continue;
    auto value = fetch_all([&](char* buffer, std::size_t length) { return get(name.c_str(), buffer, length); });
    if (!value) {
      // It went away between the two calls, as if it had before.
      if (value.error().code() != ErrorCode::no_data) fail(value.error().with_note("extended attribute " + name));
      continue;
    }
    const auto* bytes = reinterpret_cast<const std::byte*>(value->data());
    result.list.push_back({.name = name, .value = {bytes, bytes + value->size()}});
  }
  std::ranges::sort(result.list, {}, &Xattr::name);
  return result;
}

}  // namespace

HostXattrs read_xattrs(base::Io& io, int fd) {
  return read_all(
      [&](char* buffer, std::size_t length) { return io.flistxattr(fd, buffer, length); },
      [&](const char* name, char* buffer, std::size_t length) { return io.fgetxattr(fd, name, buffer, length); });
}

HostXattrs read_xattrs_at(base::Io& io, int directory, const char* name) {
  return read_all([&](char* buffer, std::size_t length) { return io.listxattrat(directory, name, buffer, length); },
                  [&](const char* attribute, char* buffer, std::size_t length) {
                    return io.getxattrat(directory, name, attribute, buffer, length);
                  });
}

}  // namespace packfs::host
