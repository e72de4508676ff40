#include "log/log_file.h"

#include <fcntl.h>

#include <fstream>
#include <stdexcept>

#include "content/encode.h"

namespace packfs::testing {

std::uint64_t LogBytes::add(const log::Record& record, std::span<const std::byte> content) {
  Bytes trailer;
  if (record.form == content::Form::run) content::append_run_trailer(content, trailer);
  return add(record, content, trailer);
}

std::uint64_t LogBytes::add(log::Record record, std::span<const std::byte> content,
                            std::span<const std::byte> trailer) {
  const std::uint64_t offset = bytes_.size();
  record.content_length = content.size();
  if (auto done = log::encode_head(record, kSegment, offset, bytes_); !done) {
    throw std::runtime_error(done.error().message());
  }
  const auto extent = log::record_extent(record, offset, bytes_.size() - offset);
  if (!extent) throw std::runtime_error(extent.error().message());
  bytes_.resize(extent->content_begin);
  bytes_.insert(bytes_.end(), content.begin(), content.end());
  bytes_.insert(bytes_.end(), trailer.begin(), trailer.end());
  bytes_.resize(extent->next);
  return offset;
}

LogFile::LogFile(std::span<const std::byte> bytes, bool map, base::Io& io) {
  const std::string path = dir_.path("log");
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  const int fd = io.openat(AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC, 0);
  auto source = content::Source::open(io, base::unique_fd(io, fd), bytes.size(), map);
  if (!source) throw std::runtime_error(source.error().message());
  source_ = std::move(*source);
}

log::Record put_record(std::string_view name, content::Form form, std::uint64_t size) {
  log::Record record;
  record.type = log::RecordType::put;
  record.form = form;
  record.name = name;
  record.fields = log::kParent | log::kInode | log::kMode | log::kOwner | log::kMtime;
  if (form == content::Form::packed) {
    record.fields |= log::kSize;
    record.size = size;
  }
  return record;
}

}  // namespace packfs::testing
