#pragma once

#include <memory>
#include <span>

#include "base/io.h"
#include "content/source.h"
#include "log/record.h"
#include "log/records.h"
#include "support/temp_dir.h"

namespace packfs::testing {

/// The bytes of a log: a file header's room, then records as they are added.
class LogBytes {
 public:
  static constexpr std::uint64_t kSegment = 77;
  static constexpr std::uint64_t kBegin = 64;

  LogBytes() : bytes_(kBegin, std::byte{0xEE}) {}

  /// Adds a record; of form run with its trailer. `record.content_length` is set from `content`. Returns its offset.
  std::uint64_t add(const log::Record& record, std::span<const std::byte> content = {});
  /// The same with a trailer of the caller's making.
  std::uint64_t add(log::Record record, std::span<const std::byte> content, std::span<const std::byte> trailer);

  [[nodiscard]] Bytes& bytes() noexcept { return bytes_; }
  [[nodiscard]] std::uint64_t end() const noexcept { return bytes_.size(); }

 private:
  Bytes bytes_;
};

/// `bytes` as an open file.
class LogFile {
 public:
  LogFile(std::span<const std::byte> bytes, bool map, base::Io& io = base::system_io());
  [[nodiscard]] const content::Source& source() const { return *source_; }

 private:
  TempDir dir_;
  std::unique_ptr<content::Source> source_;
};

/// A put record of the form, named `name`.
[[nodiscard]] log::Record put_record(std::string_view name, content::Form form, std::uint64_t size = 0);

}  // namespace packfs::testing
