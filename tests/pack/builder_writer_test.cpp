#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "base/hash.h"
#include "base/io.h"
#include "pack/builder_model.h"
#include "pack/builder_raw.h"
#include "pack/builder_sources.h"
#include "pack/output_file.h"
#include "pack/writer.h"
#include "packfs/packfs.h"
#include "support/fault_io.h"
#include "support/packs.h"
#include "support/seed.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;
using pack::Writer;

namespace {

using Directory = tree::Sink::DirectoryId;

/// The same odd tree from the same seed, into a descriptor.
void build_into(int descriptor, std::uint64_t seed) {
  Random random(seed);
  const ModelNode tree = random_tree(random, 400);
  const auto steps = steps_of(tree, random);
  auto builder =
      PackBuilder::create(descriptor, {.codec = {.kind = Codec::Kind::zstd, .level = 2}, .root = tree.attributes});
  must([&]() -> Result<void> {
    if (!builder) return std::unexpected(builder.error());
    add_steps(*builder, steps, random);
    if (const auto info = builder->finish(); !info) return std::unexpected(info.error());
    return {};
  }());
}

std::vector<std::byte> built_file(const std::string& path, std::uint64_t seed) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  REQUIRE(fd >= 0);
  build_into(fd, seed);
  ::close(fd);
  return read_host_file(path);
}

std::vector<std::byte> built_pipe(std::uint64_t seed) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  std::vector<std::byte> received;
  std::thread reader([&] {
    std::array<std::byte, 10000> buffer;
    for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
      received.insert(received.end(), buffer.begin(), buffer.begin() + got);
    }
  });
  build_into(ends[1], seed);
  ::close(ends[1]);
  reader.join();
  ::close(ends[0]);
  return received;
}

/// A pack of a few contents large enough for several writes. The error, if any, is that of the call that failed.
Result<PackInfo> build_through(base::Io& io, const std::string& path, const std::vector<Bytes>& contents) {
  auto file = pack::OutputFile::create(io, path);
  if (!file) return std::unexpected(file.error());
  auto writer = Writer::create(io, file->descriptor(), {});
  if (!writer) return std::unexpected(writer.error());
  for (const Bytes& bytes : contents) {
    ScriptedSource source(bytes);
    const auto name = std::to_string(&bytes - contents.data());
    if (const auto added = (*writer)->add_file(tree::Sink::kRoot, name, {}, source); !added) {
      // What comes after fails in the same way, whatever it is.
      const auto code = added.error().code();
      const auto directory = (*writer)->add_directory(tree::Sink::kRoot, "d", {});
      const auto finished = (*writer)->finish();
      if (directory || directory.error().code() != code) throw std::runtime_error("the error did not stay");
      if (finished || finished.error().code() != code) throw std::runtime_error("the pack was finished");
      return std::unexpected(added.error());
    }
  }
  auto info = (*writer)->finish();
  if (!info) return info;
  if (auto committed = file->commit(); !committed) return std::unexpected(committed.error());
  return info;
}

/// Names of the root directory whose hash has its `bits` upper bits zero, for all of the first `seeds` seeds.
std::vector<std::string> colliding_names(std::size_t count, unsigned bits, std::uint64_t seeds) {
  std::vector<std::string> names;
  for (std::uint64_t i = 0; names.size() < count; ++i) {
    std::string name = "n" + std::to_string(i);
    bool fits = true;
    for (std::uint64_t seed = 0; seed < seeds && fits; ++seed) {
      fits = base::xxh3(bytes_of(name), seed) >> (64 - bits) == 0;
    }
    if (fits) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

TEST_CASE("the same calls give the same bytes, into a file and through a pipe", "[pack][determinism]") {
  const std::uint64_t seed = test_seed();
  const TempDir dir;
  const auto first = built_file(dir.path("a"), seed);
  CHECK(first == built_file(dir.path("b"), seed));
  CHECK(first == built_pipe(seed));
  CHECK(first != built_file(dir.path("c"), seed + 1));
  CHECK(open_pack(dir.path("a")).verify()->damages == 0);
}

TEST_CASE("a pack may begin in the middle of a file", "[pack][determinism]") {
  const TempDir dir;
  const auto alone = built_file(dir.path("a"), 5);
  const int fd = ::open(dir.path("b").c_str(), O_WRONLY | O_CREAT, 0600);
  REQUIRE(::write(fd, "before", 6) == 6);
  build_into(fd, 5);
  ::close(fd);
  const auto both = read_host_file(dir.path("b"));
  REQUIRE(both.size() == alone.size() + 6);
  CHECK(std::equal(alone.begin(), alone.end(), both.begin() + 6));
}

TEST_CASE("whatever write fails, the error is told and the target is what it was", "[pack][builder][faults]") {
  Random random(11);
  std::vector<Bytes> contents{noise(random, 3000000), noise(random, 10), noise(random, 2000000)};
  std::fill_n(contents[2].begin() + 8192, 4096, std::byte{0});
  for (std::uint64_t nth = 1;; ++nth) {
    const TempDir dir;
    write_host_file(dir.path("a"), bytes_of("old"));
    FaultIo io(base::system_io());
    io.fail({.call = "write", .nth = nth}, nth % 2 == 0 ? ENOSPC : EIO);
    const auto info = build_through(io, dir.path("a"), contents);
    CHECK(io.open_descriptors() == 0);
    CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1);
    if (!io.struck()) {
      REQUIRE(info);
      CHECK(open_pack(dir.path("a")).info().entries == 3);
      CHECK(nth > 5);
      break;
    }
    INFO("write " << nth);
    REQUIRE(!info);
    CHECK(info.error().code() == (nth % 2 == 0 ? ErrorCode::no_space : ErrorCode::io_error));
    CHECK(text_of(read_host_file(dir.path("a"))) == "old");
  }
}

TEST_CASE("a tree walked directory by directory comes out the same as one added in any order", "[pack][builder]") {
  // First files, then directories, in the order of their names: the way that needs no lookup of names.
  const TempDir dir;
  const auto build = [&](const std::string& path, bool directories_first) {
    build_pack(path, [&](PackBuilder& builder) {
      const auto add = [&](bool directories) {
        for (char name = 'a'; name <= 'z'; ++name) {
          const std::string at(1, name);
          if ((name % 3 == 0) != directories) continue;
          if (!directories) {
            must(builder.add_file(at, {}, bytes_of(at)));
            continue;
          }
          must(builder.add_directory(at, {}));
          must(builder.add_file(at + "/x", {}, bytes_of(at)));
        }
      };
      add(directories_first);
      add(!directories_first);
    });
  };
  build(dir.path("a"), false);
  build(dir.path("b"), true);
  const auto names = [](const Pack& pack) {
    std::string all;
    auto listing = pack.root().list();
    for (const auto& entry : listing) all += entry->name();
    return all;
  };
  CHECK(names(open_pack(dir.path("a"))) == "abcdefghijklmnopqrstuvwxyz");
  CHECK(names(open_pack(dir.path("b"))) == "abcdefghijklmnopqrstuvwxyz");
}

TEST_CASE("a sink's calls are checked", "[pack][builder]") {
  const TempDir dir;
  auto file = pack::OutputFile::create(base::system_io(), dir.path("a"));
  auto writer = *Writer::create(base::system_io(), file->descriptor(), {});
  Attributes attributes{.mode = 0711, .uid = 1, .gid = 2, .mtime = {3, 4}, .xattrs = {{"user.r", {}}}};
  attributes.mode = 010000;
  CHECK(writer->set_root(attributes).error().code() == ErrorCode::invalid);
  attributes.mode = 0711;
  REQUIRE(writer->set_root(attributes));
  CHECK(writer->set_root(attributes).error().code() == ErrorCode::invalid);
  CHECK(writer->add_directory(Directory{1}, "x", {}).error().code() == ErrorCode::invalid);
  for (const char* name : {"", ".", "..", "a/b"}) {
    CHECK(writer->add_directory(tree::Sink::kRoot, name, {}).error().code() == ErrorCode::invalid);
  }
  const auto directory = writer->add_directory(tree::Sink::kRoot, "d", {});
  REQUIRE(directory);
  CHECK(*directory == Directory{1});
  CHECK(writer->find_directory(tree::Sink::kRoot, "d") == Directory{1});
  CHECK(!writer->find_directory(*directory, "d"));
  CHECK(writer->find(tree::Sink::kRoot, "d")->type == FileType::directory);
  REQUIRE(writer->finish());
  REQUIRE(file->commit());
  const Pack pack = open_pack(dir.path("a"));
  const auto root = pack.root().stat("");
  CHECK(root->mode == 0711);
  CHECK(root->gid == 2);
  CHECK(root->mtime == Time{3, 4});
  CHECK(root->has_xattrs);
  CHECK(root->inode == 1);
}

TEST_CASE("after an exception nothing more is taken", "[pack][builder]") {
  class Throwing final : public tree::ContentSource {
   public:
    bool in_memory() const override { return false; }
    std::span<const std::byte> bytes() const override { return {}; }
    bool rereadable() const override { return false; }
    std::uint64_t expected_size() const override { return 0; }
    Result<std::size_t> read(std::uint64_t, std::span<std::byte>) override { throw std::bad_alloc(); }
    Result<std::uint64_t> next_data(std::uint64_t offset) override { return offset; }
  };
  const TempDir dir;
  auto file = pack::OutputFile::create(base::system_io(), dir.path("a"));
  auto writer = *Writer::create(base::system_io(), file->descriptor(), {});
  Throwing source;
  CHECK_THROWS_AS(writer->add_file(tree::Sink::kRoot, "f", {}, source), std::bad_alloc);
  CHECK(writer->add_directory(tree::Sink::kRoot, "d", {}).error().code() == ErrorCode::poisoned);
  CHECK(writer->finish().error().code() == ErrorCode::poisoned);
}

TEST_CASE("the hash takes the next seed when names crowd, and is left out when they always do", "[pack][structure]") {
  // 300 entries whose homes lie in an eighth of the slots; then 400 in a half of them, whatever the seed.
  const bool always = GENERATE(false, true);
  const auto names = always ? colliding_names(400, 1, 8) : colliding_names(300, 3, 1);
  const TempDir dir;
  build_pack(dir.path("a"), [&](PackBuilder& builder) {
    for (const std::string& name : names) must(builder.add_special(name, {}, FileType::fifo));
  });
  const RawPack raw(read_host_file(dir.path("a")));
  if (always) {
    CHECK(raw.footer().hash_slots.get() == 0);
    CHECK(raw.footer().hash_seed.get() == 0);
    CHECK(raw.footer().max_probe.get() == 0);
    CHECK(raw.section(pack::Section::hash).empty());
  } else {
    CHECK(raw.footer().hash_slots.get() == 376);
    CHECK(raw.footer().hash_seed.get() == 1);
    CHECK(raw.footer().max_probe.get() <= 64);
  }
  const Pack pack = open_pack(dir.path("a"));
  for (const std::string& name : names) CHECK(pack.root().lstat(name).has_value());
  CHECK(!pack.root().lstat("n").has_value());
  CHECK(pack.verify()->damages == 0);
}
