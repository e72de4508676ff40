#include "content/stored.h"

#include <utility>

#include "base/bytes.h"
#include "content/chained_reader.h"
#include "content/corruption.h"
#include "content/packed_reader.h"
#include "content/run_reader.h"
#include "content/verified_bits.h"

namespace packfs::content {

class StoredReader::Impl {
 public:
  Impl(const Source& source, VerifiedBits verified, Region region) noexcept
      : mapped_(source.mapped()),
        verified_(std::move(verified)),
        runs_(source, verified_, region),
        packed_(source, verified_, region),
        chained_(runs_, packed_) {}

  const bool mapped_;
  const VerifiedBits verified_;
  const RunReader runs_;
  const PackedReader packed_;
  const ChainedReader chained_;
};

namespace {

std::unexpected<Error> unknown_form(const Stored& stored) {
  return corrupt_at(stored.location, "a content's form is not one that has bytes");
}

}  // namespace

StoredReader::StoredReader(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
StoredReader::~StoredReader() = default;

Result<std::unique_ptr<StoredReader>> StoredReader::make(const Source& source, std::uint64_t begin, std::uint64_t end) {
  if (begin > end || end > source.length()) return std::unexpected(ErrorCode::invalid);
  auto verified = VerifiedBits::make(source.io(), begin, end);
  if (!verified) return std::unexpected(verified.error());
  auto impl = std::make_unique<Impl>(source, std::move(*verified), Region{begin, end});
  return std::unique_ptr<StoredReader>(new StoredReader(std::move(impl)));
}

Result<std::size_t> StoredReader::read(const Stored& stored, std::uint64_t offset, std::span<std::byte> buffer) const {
  switch (stored.form) {
    case Form::run:
      [[likely]] return impl_->runs_.read(stored, offset, buffer);
    case Form::packed:
      return impl_->packed_.read(stored, offset, buffer);
    case Form::chained:
      return impl_->chained_.read(stored, offset, buffer);
    case Form::none:
      break;
  }
  if (stored.form == Form::none && stored.size == 0) return 0;
  return unknown_form(stored);
}

Result<std::span<const std::byte>> StoredReader::borrow(const Stored& stored) const {
  if (!impl_->mapped_) return std::unexpected(ErrorCode::not_supported);
  if (stored.form == Form::none && stored.size == 0) return std::span<const std::byte>();
  if (stored.form != Form::run) return std::unexpected(ErrorCode::not_supported);
  return impl_->runs_.borrow(stored);
}

Result<StoredReader::Range> StoredReader::next_data(const Stored& stored, std::uint64_t offset) const {
  if (stored.form == Form::chained) return impl_->chained_.next_data(stored, offset);
  if (offset >= stored.size) return Range{stored.size, stored.size};
  if (stored.form == Form::run || stored.form == Form::packed) return Range{offset, stored.size};
  return unknown_form(stored);
}

Result<void> StoredReader::verify(const Stored& stored) const {
  switch (stored.form) {
    case Form::run:
      return impl_->runs_.verify(stored);
    case Form::packed:
      return impl_->packed_.verify(stored);
    case Form::chained:
      return impl_->chained_.verify(stored);
    case Form::none:
      break;
  }
  if (stored.form == Form::none && stored.size == 0) return {};
  return unknown_form(stored);
}

}  // namespace packfs::content
