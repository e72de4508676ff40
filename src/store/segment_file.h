#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "content/content.h"
#include "content/source.h"
#include "content/stored.h"
#include "log/file_header.h"
#include "log/group_reader.h"
#include "packfs/error.h"
#include "packfs/ref.h"
#include "store/directory.h"

namespace packfs::store {

/// A segment for reading: mapped, its contents verified when first touched. Threads: any.
class SegmentFile final : public Counted {
 public:
  /// Up to where it ends now. Errors, all with the file's path: corrupt (the header; another segment's id);
  /// unsupported_version; no_memory; an errno of the host.
  static Result<Ref<const SegmentFile>> open(const Directory& directory, std::uint64_t id);
  /// Up to where it may end once, at least `least_bytes`: nothing of it may be touched before it is there.
  static Result<Ref<const SegmentFile>> open_growing(const Directory& directory, std::uint64_t id,
                                                     std::uint64_t least_bytes);

  [[nodiscard]] const log::SegmentHeader& header() const noexcept { return header_; }
  [[nodiscard]] const content::Source& source() const noexcept { return *source_; }
  [[nodiscard]] const content::StoredReader& reader() const noexcept { return *reader_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Whether every checksum of a group's contents is good. Errors, with the path: no_memory; an errno of pread.
  [[nodiscard]] Result<bool> is_whole(const log::FoundGroup& group) const;
  /// Behind the last byte that is not zero; `begin` when there is none from there on. Errors: as is_whole().
  [[nodiscard]] Result<std::uint64_t> used_end(std::uint64_t begin) const;
  /// As StoredReader's, with the path where the bytes are at fault.
  [[nodiscard]] Result<std::size_t> read(const content::Stored& run, std::uint64_t offset,
                                         std::span<std::byte> buffer) const;
  [[nodiscard]] Result<std::span<const std::byte>> borrow(const content::Stored& run) const;
  /// A run as the content of a file: it is read when somebody reads it. Errors: no_memory.
  [[nodiscard]] Result<Ref<const content::Content>> content(const content::Stored& run) const;

 private:
  explicit SegmentFile(std::string path) : path_(std::move(path)) {}
  Result<void> read_header(std::uint64_t id);

  std::string path_;
  log::SegmentHeader header_;
  std::unique_ptr<content::Source> source_;
  std::unique_ptr<content::StoredReader> reader_;
};

}  // namespace packfs::store
