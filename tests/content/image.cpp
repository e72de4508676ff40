#include "content/image.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string_view>

#include "content/encode.h"

namespace packfs::testing {
namespace {

void append(Bytes& out, std::span<const std::byte> bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }

}  // namespace

Bytes noise(std::uint64_t seed, std::size_t length) {
  std::mt19937_64 random(seed);
  Bytes bytes(length + 8);
  for (std::size_t at = 0; at < length; at += 8) {
    const std::uint64_t word = random();
    std::memcpy(bytes.data() + at, &word, 8);
  }
  bytes.resize(length);
  return bytes;
}

Bytes prose(std::uint64_t seed, std::size_t length) {
  static constexpr std::string_view kWords[] = {"snapshot ", "commit ", "extent ", "whiteout ", "inode ", "treap\n"};
  std::mt19937_64 random(seed);
  Bytes bytes;
  while (bytes.size() < length) append(bytes, std::as_bytes(std::span(kWords[random() % std::size(kWords)])));
  bytes.resize(length);
  return bytes;
}

content::Stored Image::add_run(std::span<const std::byte> raw) {
  const content::Stored run{
      .form = content::Form::run, .size = raw.size(), .location = bytes_.size(), .stored_length = raw.size()};
  append(bytes_, raw);
  content::append_run_trailer(raw, bytes_);
  return run;
}

content::Stored Image::add_shrunk_run(std::span<const std::byte> raw, std::uint64_t stored_length) {
  const content::Stored run{
      .form = content::Form::run, .size = raw.size(), .location = bytes_.size(), .stored_length = stored_length};
  Bytes filled(raw.begin(), raw.end());
  filled.resize(stored_length);
  content::RunTrailer trailer;
  trailer.update(filled);
  append(bytes_, filled);
  trailer.finish(raw.size(), bytes_);
  return run;
}

content::Stored Image::add_packed(std::span<const std::byte> raw, unsigned block_log2, int level) {
  const content::Stored packed{.form = content::Form::packed, .size = raw.size(), .location = bytes_.size()};
  auto compressor = *content::Compressor::make();
  if (!content::encode_packed(raw, level, block_log2, compressor, bytes_)) throw std::runtime_error("encode_packed");
  return packed;
}

content::Stored Image::add_chained(std::span<const std::byte> raw, std::uint64_t extent_bytes, unsigned packed_every) {
  std::vector<content::ExtentMapElement> map;
  for (std::size_t at = 0; at < raw.size();) {
    at += content::leading_hole(raw.subspan(at));
    const std::size_t length = std::min<std::size_t>(content::leading_data(raw.subspan(at)), extent_bytes);
    if (length == 0) continue;
    const bool packed = packed_every != 0 && map.size() % packed_every == 0;
    const auto piece = raw.subspan(at, length);
    const content::Stored stored = packed ? add_packed(piece, 12) : add_run(piece);
    map.push_back(map_element(at, length, stored.form, stored.location));
    bytes_.insert(bytes_.end(), 3, std::byte{0xEE});
    at += length;
  }
  return add_map(map, raw.size());
}

content::Stored Image::add_map(std::span<const content::ExtentMapElement> map, std::uint64_t size) {
  content::Stored chained = add_run(std::as_bytes(map));
  chained.form = content::Form::chained;
  chained.size = size;
  return chained;
}

content::ExtentMapElement map_element(std::uint64_t begin, std::uint64_t length, content::Form form,
                                      std::uint64_t location) {
  content::ExtentMapElement element;
  element.raw_offset.set(begin);
  element.form_and_raw_length.set((static_cast<std::uint64_t>(form) << 60) | length);
  element.content_offset.set(location);
  return element;
}

OpenImage::OpenImage(std::span<const std::byte> bytes, bool map, base::Io& io) : path_(dir_.path("image")) {
  std::ofstream out(path_, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  const int fd = io.openat(AT_FDCWD, path_.c_str(), O_RDONLY | O_CLOEXEC, 0);
  auto source = content::Source::open(io, base::unique_fd(io, fd), bytes.size(), map);
  if (!source) throw std::runtime_error(source.error().message());
  source_ = std::move(*source);
  forget();
}

void OpenImage::forget() {
  auto reader =
      content::StoredReader::make(*source_, std::min<std::uint64_t>(64, source_->length()), source_->length());
  if (!reader) throw std::runtime_error(reader.error().message());
  reader_ = std::move(*reader);
}

void OpenImage::overwrite(std::uint64_t offset, std::byte value) {
  const int fd = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  const bool written = ::pwrite(fd, &value, 1, static_cast<off_t>(offset)) == 1;
  ::close(fd);
  if (!written) throw std::runtime_error("overwrite");
}

void OpenImage::truncate(std::uint64_t length) {
  if (::truncate(path_.c_str(), static_cast<off_t>(length)) != 0) throw std::runtime_error("truncate");
}

Result<Bytes> OpenImage::read_all(const content::Stored& stored) const {
  Bytes bytes(stored.size);
  const auto count = reader_->read(stored, 0, bytes);
  if (!count) return std::unexpected(count.error());
  bytes.resize(*count);
  return bytes;
}

}  // namespace packfs::testing
