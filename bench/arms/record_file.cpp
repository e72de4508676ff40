#include "arms/record_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "check.h"

namespace packfs::bench {
namespace {

/// What a record begins with; path and content follow.
struct RecordHead {
  std::uint32_t record_bytes = 0;  // 0: no record, only room
  std::uint32_t path_bytes = 0;
  std::uint32_t content_bytes = 0;
};

std::vector<std::byte> all_bytes(int fd) {
  struct stat found;
  must_call(fstat(fd, &found), "stat records");
  std::vector<std::byte> bytes(static_cast<std::size_t>(found.st_size));
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t read =
        must_call(pread(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done)), "read records");
    must_hold(read != 0, "records end early");
    done += static_cast<std::size_t>(read);
  }
  return bytes;
}

}  // namespace

RecordFile::RecordFile(const std::string& path, std::size_t record_bytes, std::size_t records)
    : fd_(must_call(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), path)),
      record_bytes_(record_bytes) {
  write_zeros(record_bytes * records);
  must_call(fsync(fd_), path);
}

RecordFile::RecordFile(const std::string& path) : fd_(must_call(open(path.c_str(), O_RDONLY | O_CLOEXEC), path)) {
  const std::vector<std::byte> bytes = all_bytes(fd_);
  RecordHead head;
  for (std::size_t at = 0; at + sizeof head <= bytes.size(); at += head.record_bytes) {
    std::memcpy(&head, bytes.data() + at, sizeof head);
    if (head.record_bytes == 0) break;
    const std::span<const std::byte> record = std::span(bytes).subspan(at, head.record_bytes).subspan(sizeof head);
    const auto name = record.first(head.path_bytes);
    const auto content = record.subspan(head.path_bytes, head.content_bytes);
    contents_.try_emplace(std::string(reinterpret_cast<const char*>(name.data()), name.size()), content.begin(),
                          content.end());
  }
}

RecordFile::~RecordFile() { close(fd_); }

void RecordFile::write_zeros(std::size_t bytes) const {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const std::vector<std::byte> zeros(kPiece);
  for (std::size_t at = 0; at < bytes; at += kPiece) {
    const std::size_t length = std::min(kPiece, bytes - at);
    must_hold(pwrite(fd_, zeros.data(), length, static_cast<off_t>(at)) == static_cast<ssize_t>(length), "short write");
  }
}

void RecordFile::encode(std::string_view path, std::span<const std::byte> content,
                        std::vector<std::byte>& bytes) const {
  const RecordHead head{.record_bytes = static_cast<std::uint32_t>(record_bytes_),
                        .path_bytes = static_cast<std::uint32_t>(path.size()),
                        .content_bytes = static_cast<std::uint32_t>(content.size())};
  must_hold(sizeof head + path.size() + content.size() <= record_bytes_, "a record too small for its content");
  const std::size_t begin = bytes.size();
  bytes.resize(begin + record_bytes_);
  std::byte* to = bytes.data() + begin;
  std::memcpy(to, &head, sizeof head);
  std::memcpy(to + sizeof head, path.data(), path.size());
  if (!content.empty()) std::memcpy(to + sizeof head + path.size(), content.data(), content.size());
}

void RecordFile::write(std::span<const std::byte> bytes) {
  must_hold(pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(end_)) == static_cast<ssize_t>(bytes.size()),
            "short write");
  end_ += bytes.size();
}

void RecordFile::sync() const { must_call(fdatasync(fd_), "fdatasync"); }

std::size_t RecordFile::read(std::string_view path, std::span<std::byte> buffer) const {
  const auto found = contents_.find(std::string(path));
  if (found == contents_.end()) return kMissing;
  const std::size_t length = std::min(found->second.size(), buffer.size());
  if (length != 0) std::memcpy(buffer.data(), found->second.data(), length);
  return length;
}

}  // namespace packfs::bench
