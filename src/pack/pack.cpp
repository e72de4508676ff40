#include "packfs/pack.h"

#include <utility>

#include "pack/reader.h"
#include "pack/verify.h"

namespace packfs {

Result<Pack> Pack::open(const std::string& path, ReadMode mode) {
  auto reader = pack::Reader::open(base::system_io(), path, mode);
  if (!reader) return std::unexpected(reader.error().with_path(path));
  return Pack(std::move(*reader));
}

Pack::Pack(Ref<const pack::Reader> reader) noexcept : reader_(std::move(reader)) {}
Pack::Pack(const Pack&) noexcept = default;
Pack& Pack::operator=(const Pack&) noexcept = default;
Pack::~Pack() = default;

View Pack::root() const { return {reader_, Node{.type = FileType::directory}, {}}; }

PackInfo Pack::info() const { return reader_->info(); }

Result<VerifyReport> Pack::verify(const std::function<bool(std::uint64_t done, std::uint64_t total)>& progress) const {
  return pack::verify(*reader_, progress);
}

}  // namespace packfs
