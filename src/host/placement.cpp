#include "host/placement.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "base/io_loops.h"
#include "host/status.h"
#include "host/uninterrupted.h"

namespace packfs::host {

namespace {

// A random name is taken by chance never; a name that vanishes between two calls is another process's doing. Who
// outlasts this many tries means harm.
constexpr int kTries = 16;

// Short, so that it is legal beside any legal name.
Result<std::string> temporary_name(base::Io& io) {
  std::array<unsigned char, 8> random{};
  const ssize_t got = uninterrupted([&] { return io.getrandom(random.data(), random.size()); });
  if (auto read = base::checked(got); !read) return std::unexpected(std::move(read.error()));
  if (static_cast<std::size_t>(got) != random.size()) return std::unexpected(ErrorCode::io_error);
  std::string name = ".packfs-";
  for (const unsigned char byte : random) {
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name;
}

Error clash() { return Error(ErrorCode::is_a_directory).with_note("a directory stands in its place"); }

}  // namespace

Result<Placement> Placement::make(base::Io& io, int directory, std::string name, const Make& make) {
  Placement placement(io, directory, std::move(name));
  for (int tries = 0; tries < kTries; ++tries) {
    placement.made_ = uninterrupted([&] { return make(placement.name_.c_str()); });
    if (placement.made_ >= 0) {
      placement.pending_ = true;
      return placement;
    }
    if (placement.made_ != -EEXIST) return std::unexpected(Error::from_errno(-placement.made_));
    auto there = status_at(io, directory, placement.name_.c_str());
    if (!there && there.error().code() == ErrorCode::no_entry) continue;
    if (!there) return std::unexpected(std::move(there.error()));
    if (type_of(*there) == FileType::directory) return std::unexpected(clash());
    if (auto made = placement.make_beside(make); !made) return std::unexpected(std::move(made.error()));
    return placement;
  }
  return std::unexpected(ErrorCode::busy);
}

Result<void> Placement::make_beside(const Make& make) {
  for (int tries = 0; tries < kTries; ++tries) {
    auto name = temporary_name(io_);
    if (!name) return std::unexpected(std::move(name.error()));
    made_ = uninterrupted([&] { return make(name->c_str()); });
    if (made_ >= 0) {
      temporary_ = std::move(*name);
      pending_ = true;
      return {};
    }
    if (made_ != -EEXIST) return std::unexpected(Error::from_errno(-made_));
  }
  return std::unexpected(ErrorCode::busy);
}

Placement::Placement(Placement&& other) noexcept
    : io_(other.io_),
      directory_(other.directory_),
      name_(std::move(other.name_)),
      temporary_(std::move(other.temporary_)),
      made_(other.made_),
      pending_(std::exchange(other.pending_, false)) {}

Placement::~Placement() {
  if (pending_) io_.unlinkat(directory_, name(), 0);
}

Result<void> Placement::finish() {
  if (temporary_.empty()) {
    pending_ = false;
    return {};
  }
  const int renamed =
      uninterrupted([&] { return io_.renameat2(directory_, temporary_.c_str(), directory_, name_.c_str(), 0); });
  if (renamed == -EISDIR) return std::unexpected(clash());
  if (auto result = base::checked(renamed); !result) return std::unexpected(std::move(result.error()));
  pending_ = false;
  return {};
}

Result<void> Placement::finish_link() {
  auto finished = finish();
  if (finished && !temporary_.empty()) io_.unlinkat(directory_, temporary_.c_str(), 0);
  return finished;
}

}  // namespace packfs::host
