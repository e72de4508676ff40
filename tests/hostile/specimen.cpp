#include "hostile/specimen.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>

#include "pack/writer.h"
#include "support/packs.h"
#include "support/temp_dir.h"

namespace packfs::testing {
namespace {

using Bytes = std::vector<std::byte>;
using tree::Sink;

Bytes noise(std::size_t length) {
  std::mt19937 random(7);
  Bytes bytes(length);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

/// A content that is in memory.
class HeldBytes final : public tree::ContentSource {
 public:
  explicit HeldBytes(std::span<const std::byte> held) : bytes_(held) {}
  [[nodiscard]] bool in_memory() const override { return true; }
  [[nodiscard]] std::span<const std::byte> bytes() const override { return bytes_; }
  [[nodiscard]] bool rereadable() const override { return true; }
  [[nodiscard]] std::uint64_t expected_size() const override { return bytes_.size(); }
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) override {
    const auto rest = bytes_.subspan(std::min<std::uint64_t>(offset, bytes_.size()));
    const std::size_t count = std::min(rest.size(), buffer.size());
    std::copy_n(rest.begin(), count, buffer.begin());
    return count;
  }
  [[nodiscard]] Result<std::uint64_t> next_data(std::uint64_t offset) override { return offset; }

 private:
  std::span<const std::byte> bytes_;
};

/// A file of `size` bytes, all zero but a few at its end, that says where they are.
class MostlyHole final : public tree::ContentSource {
 public:
  explicit MostlyHole(std::uint64_t size) : size_(size) {}
  [[nodiscard]] bool in_memory() const override { return false; }
  [[nodiscard]] std::span<const std::byte> bytes() const override { return {}; }
  [[nodiscard]] bool rereadable() const override { return true; }
  [[nodiscard]] std::uint64_t expected_size() const override { return size_; }
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) override {
    if (offset >= size_) return 0;
    const std::size_t count = std::min<std::uint64_t>(buffer.size(), size_ - offset);
    for (std::size_t i = 0; i < count; ++i) buffer[i] = offset + i < tail() ? std::byte{0} : std::byte{7};
    return count;
  }
  [[nodiscard]] Result<std::uint64_t> next_data(std::uint64_t offset) override { return std::max(offset, tail()); }

 private:
  [[nodiscard]] std::uint64_t tail() const { return size_ - 5; }
  std::uint64_t size_;
};

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error("specimen: " + result.error().message());
  return std::move(*result);
}

Attributes attributes(std::uint32_t mode, std::int64_t seconds = 1'700'000'000) {
  return {.mode = mode, .uid = 1000, .gid = 100, .mtime = {seconds, 123'456'789}, .xattrs = {}};
}

Attributes with_xattr(std::uint32_t mode, std::string_view value) {
  Attributes made = attributes(mode);
  const auto bytes = bytes_of(value);
  made.xattrs = {{"user.a", {bytes.begin(), bytes.end()}}, {"user.b", {}}};
  return made;
}

// Through the layer below the builder, which takes sources that know their holes.
void fill(pack::Writer& writer) {
  const auto in_memory = [&](Sink::DirectoryId parent, std::string_view name, const Attributes& given,
                             std::span<const std::byte> bytes) {
    HeldBytes source(bytes);
    return value_of(writer.add_file(parent, name, given, source)).entry;
  };
  const auto root = Sink::kRoot;
  must(writer.set_root(with_xattr(0755, "root")));
  static_cast<void>(value_of(writer.add_special(root, "blk", attributes(0660), FileType::block_device, 8, 17)));
  static_cast<void>(value_of(writer.add_special(root, "chr", attributes(0666), FileType::character_device, 1, 3)));
  in_memory(root, "empty", attributes(0600), {});
  static_cast<void>(value_of(writer.add_special(root, "fifo", attributes(0644), FileType::fifo, 0, 0)));
  Bytes hole(2 * 4096 + 100, std::byte{1});
  std::fill_n(hole.begin() + 100, 2 * 4096 - 100, std::byte{0});
  std::fill_n(hole.begin() + 200, 300, std::byte{5});
  in_memory(root, "hole", attributes(0640), hole);
  const auto link1 = in_memory(root, "link1", with_xattr(0644, "linked"), bytes_of("linked content"));
  must(writer.add_link(root, "link2", link1));
  in_memory(root, "old", attributes(0644, -5), bytes_of("before the epoch"));
  std::string prose;
  while (prose.size() < 300) prose += "a commit, an extent, a whiteout; ";
  in_memory(root, "packed", attributes(0644), bytes_of(prose));
  in_memory(root, "run", attributes(0644), noise(600));
  in_memory(root, "setuid", attributes(06755), bytes_of("#!/bin/false"));
  static_cast<void>(value_of(writer.add_special(root, "sock", attributes(0700), FileType::socket, 0, 0)));
  static_cast<void>(value_of(writer.add_symlink(root, "sym", with_xattr(0777, "of a link"), "d/deep/leaf")));
  MostlyHole vast(5ULL << 30);
  static_cast<void>(value_of(writer.add_file(root, "vast", attributes(0644), vast)));
  const auto d = value_of(writer.add_directory(root, "d", with_xattr(01777, "root")));
  must(writer.add_link(d, "second", link1));
  const auto deep = value_of(writer.add_directory(d, "deep", attributes(0700)));
  in_memory(deep, "leaf", attributes(0400), bytes_of("leaf"));
  static_cast<void>(value_of(writer.add_directory(d, "none", attributes(0500))));
  const auto z = value_of(writer.add_directory(root, "z", attributes(0755)));
  in_memory(z, "last", attributes(0644), bytes_of("last"));
}

Bytes make_specimen() {
  const TempDir dir;
  const int fd = ::open(dir.path("pack").c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  BuildOptions options;
  options.codec.kind = Codec::Kind::zstd;
  {
    auto writer = value_of(pack::Writer::create(base::system_io(), fd, options));
    fill(*writer);
    static_cast<void>(value_of(writer->finish()));
  }
  ::close(fd);
  return read_host_file(dir.path("pack"));
}

Bytes make_wide_specimen() {
  const TempDir dir;
  build_pack(dir.path("pack"), [](PackBuilder& builder) {
    const auto number = [](int value) { return std::to_string(10'000 + value); };
    must(builder.add_directory("dirs", attributes(0755)));
    for (int i = 0; i < 400; ++i) {
      const std::string path = "dirs/directory-" + number(i);
      must(builder.add_directory(path, attributes(0755)));
      must(builder.add_file(path + "/file", attributes(0644), bytes_of("in " + path)));
    }
    must(builder.add_directory("many", attributes(0755)));
    for (int i = 0; i < 1500; ++i) {
      const std::string name = "many/one-of-many-" + number(i);
      must(builder.add_file(name, attributes(0644), bytes_of(name)));
    }
  });
  return read_host_file(dir.path("pack"));
}

}  // namespace

const std::vector<std::byte>& specimen() {
  static const Bytes bytes = make_specimen();
  return bytes;
}

const std::vector<std::byte>& wide_specimen() {
  static const Bytes bytes = make_wide_specimen();
  return bytes;
}

}  // namespace packfs::testing
