#include "packfs/file.h"

#include <utility>

#include "base/alloc.h"
#include "tree/table.h"

namespace packfs {
namespace {

/// Sizes up to this are believed at once.
constexpr std::uint64_t kBelievedBytes = std::uint64_t{1} << 20;

/// Before memory is given for `size` bytes: whether the last of them is there. A forged size fails here.
Result<void> check_end(const tree::Table& table, const Node& file, std::uint64_t size) {
  if (size <= kBelievedBytes) return {};
  std::byte last{};
  auto read = table.read(file, size - 1, {&last, 1});
  if (!read) return std::unexpected(std::move(read.error()));
  return {};
}

/// All of `file`, whose size is `buffer`'s, into `buffer`.
Result<void> read_whole(const tree::Table& table, const Node& file, std::span<std::byte> buffer) {
  auto read = table.read(file, 0, buffer);
  if (!read) return std::unexpected(std::move(read.error()));
  if (*read != buffer.size()) return std::unexpected(Error(ErrorCode::corrupt).with_note("content ends early"));
  return {};
}

}  // namespace

File::File(Ref<const tree::Table> table, const Node& node, std::uint64_t size_bytes) noexcept
    : table_(std::move(table)), node_(node), size_bytes_(size_bytes) {}

File::File(File&& other) noexcept
    : table_(std::move(other.table_)),
      node_(other.node_),
      size_bytes_(std::exchange(other.size_bytes_, 0)),
      copy_(other.copy_.exchange(nullptr, std::memory_order_relaxed)) {}

File& File::operator=(File&& other) noexcept {
  if (this != &other) {
    table_ = std::move(other.table_);
    node_ = other.node_;
    size_bytes_ = std::exchange(other.size_bytes_, 0);
    base::release(copy_.exchange(other.copy_.exchange(nullptr, std::memory_order_relaxed), std::memory_order_relaxed));
  }
  return *this;
}

File::~File() { base::release(copy_.load(std::memory_order_relaxed)); }

Result<std::size_t> File::read(std::uint64_t offset, std::span<std::byte> buffer) const {
  return table_->read(node_, offset, buffer);
}

Result<std::span<const std::byte>> File::bytes() const {
  if (size_bytes_ == 0) return std::span<const std::byte>();
  auto borrowed = table_->borrow(node_);
  if (borrowed || borrowed.error().code() != ErrorCode::not_supported) return borrowed;
  if (std::byte* copy = copy_.load(std::memory_order_acquire)) return std::span<const std::byte>(copy, size_bytes_);
  if (size_bytes_ > kMaxCopiedBytes) return std::unexpected(Error(ErrorCode::too_large));

  if (auto there = check_end(*table_, node_, size_bytes_); !there) return std::unexpected(std::move(there.error()));
  auto* fresh = static_cast<std::byte*>(base::try_allocate(size_bytes_));
  if (fresh == nullptr) return std::unexpected(Error(ErrorCode::no_memory));
  if (auto done = read_whole(*table_, node_, {fresh, size_bytes_}); !done) {
    base::release(fresh);
    return std::unexpected(std::move(done.error()));
  }
  // Threads that get here at once each decode; the first to publish wins and the others give theirs back.
  std::byte* published = nullptr;
  if (!copy_.compare_exchange_strong(published, fresh, std::memory_order_acq_rel)) {
    base::release(fresh);
    fresh = published;
  }
  return std::span<const std::byte>(fresh, size_bytes_);
}

Result<std::vector<std::byte>> File::read_all() const {
  if (size_bytes_ > kMaxCopiedBytes) return std::unexpected(Error(ErrorCode::too_large));
  if (auto there = check_end(*table_, node_, size_bytes_); !there) return std::unexpected(std::move(there.error()));
  std::vector<std::byte> bytes(size_bytes_);
  if (size_bytes_ == 0) return bytes;
  if (auto done = read_whole(*table_, node_, bytes); !done) return std::unexpected(std::move(done.error()));
  return bytes;
}

Result<Stat> File::stat() const { return table_->stat(node_); }

}  // namespace packfs
