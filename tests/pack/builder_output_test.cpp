#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "pack/output.h"
#include "pack/output_file.h"
#include "support/fault_io.h"
#include "support/packs.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;
using pack::Output;
using pack::OutputFile;

namespace {

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) names.push_back(entry.path().filename());
  return names;
}

std::vector<std::byte> pattern(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  return bytes;
}

std::vector<std::byte> bytes_vector(std::string_view text) {
  const auto bytes = bytes_of(text);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("an output writes small and large pieces in order, few of them at a time", "[pack][output]") {
  const TempDir dir;
  FaultIo io(base::system_io());
  const int fd = ::open(dir.path("a").c_str(), O_WRONLY | O_CREAT, 0600);
  REQUIRE(fd >= 0);
  std::vector<std::byte> expected;
  Output output(io, fd);
  for (const std::size_t size : {std::size_t{3}, std::size_t{70000}, Output::kDirectFrom, std::size_t{5},
                                 Output::kBufferBytes - 1, 3 * Output::kBufferBytes, std::size_t{0}}) {
    const auto piece = pattern(size);
    REQUIRE(output.write(piece));
    expected.insert(expected.end(), piece.begin(), piece.end());
    CHECK(output.offset() == expected.size());
  }
  REQUIRE(output.write_zeros(200000));
  expected.resize(expected.size() + 200000);
  REQUIRE(output.flush());
  CHECK(output.offset() == expected.size());
  CHECK(read_host_file(dir.path("a")) == expected);
  CHECK(io.count("write") < 10);
  ::close(fd);
}

TEST_CASE("an output goes on after short writes and interruptions", "[pack][output]") {
  const TempDir dir;
  FaultIo io(base::system_io());
  const int fd = ::open(dir.path("a").c_str(), O_WRONLY | O_CREAT, 0600);
  io.shorten({.call = "write", .for_ever = true}, 1000);
  io.fail({.call = "write", .nth = 3}, EINTR);
  const auto bytes = pattern(300000);
  Output output(io, fd);
  REQUIRE(output.write(std::span(bytes).first(10)));
  REQUIRE(output.write(std::span(bytes).subspan(10)));
  REQUIRE(output.flush());
  CHECK(read_host_file(dir.path("a")) == bytes);
  ::close(fd);
}

TEST_CASE("an output's first error stays and nothing is written after it", "[pack][output]") {
  const TempDir dir;
  FaultIo io(base::system_io());
  const int fd = ::open(dir.path("a").c_str(), O_WRONLY | O_CREAT, 0600);
  Output output(io, fd);
  const auto bytes = pattern(Output::kDirectFrom);
  REQUIRE(output.write(bytes));
  io.fail({.call = "write", .nth = 1}, ENOSPC);
  const auto failed = output.write(bytes);
  REQUIRE(!failed);
  CHECK(failed.error().code() == ErrorCode::no_space);
  const auto again = output.write(std::span(bytes).first(1));
  REQUIRE(!again);
  CHECK(again.error().code() == ErrorCode::no_space);
  CHECK(!output.flush());
  CHECK(!output.write_zeros(1));
  REQUIRE(output.error().has_value());
  CHECK(read_host_file(dir.path("a")) == bytes);
  ::close(fd);
}

TEST_CASE("an output file appears when it is committed and not before", "[pack][output]") {
  const TempDir dir;
  write_host_file(dir.path("a"), bytes_of("old"));
  auto file = OutputFile::create(base::system_io(), dir.path("a"));
  REQUIRE(file);
  REQUIRE(::write(file->descriptor(), "new one", 7) == 7);
  CHECK(read_host_file(dir.path("a")) == bytes_vector("old"));
  CHECK(names_in(dir.path()).size() == 2);
  REQUIRE(file->commit());
  CHECK(read_host_file(dir.path("a")) == bytes_vector("new one"));
  CHECK(names_in(dir.path()) == std::vector<std::string>{"a"});
}

TEST_CASE("an output file that is not committed leaves nothing, also when moved", "[pack][output]") {
  const TempDir dir;
  {
    auto first = OutputFile::create(base::system_io(), dir.path("a"));
    auto second = OutputFile::create(base::system_io(), dir.path("b"));
    REQUIRE(first);
    REQUIRE(second);
    OutputFile moved = std::move(*first);
    CHECK(names_in(dir.path()).size() == 2);
    moved = std::move(*second);
    CHECK(names_in(dir.path()).size() == 1);
  }
  CHECK(names_in(dir.path()).empty());
}

TEST_CASE("an output file has the longest name there can be", "[pack][output]") {
  const TempDir dir;
  const std::string longest(255, 'n');
  auto file = OutputFile::create(base::system_io(), dir.path(longest));
  REQUIRE(file);
  REQUIRE(file->commit());
  CHECK(names_in(dir.path()) == std::vector<std::string>{longest});
  const auto longer = OutputFile::create(base::system_io(), dir.path(longest + "n"));
  REQUIRE(!longer);
  CHECK(longer.error().code() == ErrorCode::name_too_long);
}

TEST_CASE("an output file refuses what it cannot replace", "[pack][output]") {
  const TempDir dir;
  std::filesystem::create_directory(dir.path("d"));
  REQUIRE(::mkfifo(dir.path("fifo").c_str(), 0600) == 0);
  REQUIRE(::symlink("loop", dir.path("loop").c_str()) == 0);
  const auto error = [](const std::string& path) {
    const auto file = OutputFile::create(base::system_io(), path);
    return file ? ErrorCode::corrupt : file.error().code();
  };
  CHECK(error("") == ErrorCode::no_entry);
  CHECK(error(dir.path("d")) == ErrorCode::is_a_directory);
  CHECK(error(dir.path("d/")) == ErrorCode::is_a_directory);
  CHECK(error(dir.path("d/.")) == ErrorCode::is_a_directory);
  CHECK(error("/") == ErrorCode::is_a_directory);
  CHECK(error(dir.path("fifo")) == ErrorCode::invalid);
  CHECK(error("/dev/null") == ErrorCode::invalid);
  CHECK(error(dir.path("loop")) == ErrorCode::symlink_loop);
  CHECK(error(dir.path("no/a")) == ErrorCode::no_entry);
  CHECK(error(dir.path("fifo/a")) == ErrorCode::not_a_directory);
  CHECK(error(dir.path(std::string("a\0b", 3))) == ErrorCode::invalid);
}

TEST_CASE("an output file follows symlinks to what they name", "[pack][output]") {
  const TempDir dir;
  std::filesystem::create_directory(dir.path("d"));
  write_host_file(dir.path("d/old"), bytes_of("old"));
  REQUIRE(::symlink("d/old", dir.path("relative").c_str()) == 0);
  REQUIRE(::symlink(dir.path("relative").c_str(), dir.path("absolute").c_str()) == 0);
  REQUIRE(::symlink("new", dir.path("d/dangling").c_str()) == 0);
  auto file = OutputFile::create(base::system_io(), dir.path("absolute"));
  REQUIRE(file);
  REQUIRE(::write(file->descriptor(), "x", 1) == 1);
  REQUIRE(file->commit());
  CHECK(read_host_file(dir.path("d/old")) == bytes_vector("x"));
  CHECK(std::filesystem::is_symlink(dir.path("absolute")));
  auto dangling = OutputFile::create(base::system_io(), dir.path("d/dangling"));
  REQUIRE(dangling);
  REQUIRE(dangling->commit());
  CHECK(std::filesystem::is_regular_file(dir.path("d/new")));
}

TEST_CASE("a commit syncs the file before it moves it, and the directory afterwards", "[pack][output]") {
  const TempDir dir;
  FaultIo io(base::system_io());
  auto file = OutputFile::create(io, dir.path("a"));
  REQUIRE(file);
  const int descriptor = file->descriptor();
  io.clear_log();
  REQUIRE(file->commit());
  const auto log = io.log();
  REQUIRE(log.size() == 3);
  CHECK(log[0].name == "fsync");
  CHECK(log[0].fd == descriptor);
  CHECK(log[1].name == "renameat2");
  CHECK(log[2].name == "fsync");
  CHECK(log[2].fd == log[1].fd);
}

TEST_CASE("whatever call of an output file fails, the target is the old or the new file and nothing else stays",
          "[pack][output]") {
  bool completed = false;
  for (std::uint64_t nth = 1; !completed; ++nth) {
    const TempDir dir;
    write_host_file(dir.path("a"), bytes_of("old"));
    FaultIo io(base::system_io());
    io.fail({.nth = nth}, EIO);
    {
      auto file = OutputFile::create(io, dir.path("a"));
      if (file) {
        REQUIRE(::write(file->descriptor(), "new", 3) == 3);
        const auto committed = file->commit();
        completed = committed.has_value() && !io.struck();
        if (!committed) CHECK(committed.error().code() == ErrorCode::io_error);
      } else {
        CHECK(file.error().code() == ErrorCode::io_error);
      }
    }
    INFO("call " << nth);
    const auto content = read_host_file(dir.path("a"));
    CHECK((content == bytes_vector("old") || content == bytes_vector("new")));
    CHECK(names_in(dir.path()) == std::vector<std::string>{"a"});
    CHECK(io.open_descriptors() == 0);
    REQUIRE(nth < 50);
  }
}

TEST_CASE("a directory that cannot be synced at all is not an error", "[pack][output]") {
  const TempDir dir;
  FaultIo io(base::system_io());
  auto file = OutputFile::create(io, dir.path("a"));
  REQUIRE(file);
  io.fail({.call = "fsync", .nth = 2}, EINVAL);
  CHECK(file->commit());
}
