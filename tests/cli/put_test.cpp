#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/cli_run.h"
#include "cli/sample_store.h"
#include "packfs/volume.h"
#include "support/fault_io.h"
#include "support/packs.h"

namespace {

namespace fs = std::filesystem;
using packfs::testing::bytes_of;
using packfs::testing::FaultIo;
using packfs::testing::Outcome;
using packfs::testing::SampleStore;
using packfs::testing::stat_field;
using packfs::testing::write_host_file;

std::string patterned(std::size_t size) {
  std::string content(size, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7 + i / 251);
  return content;
}

TEST_CASE("put writes standard input into a new file, with its parents", "[cli][put]") {
  const SampleStore s;
  const Outcome put = s.run({"put", "docs/en/hello"}, {.in = "hello\n"});
  CHECK(put.exit_code == 0);
  CHECK(put.out.empty());
  CHECK(put.err.empty());
  CHECK(s.names() == "docs\ndocs/en\ndocs/en/hello\n");
  CHECK(s.cat("docs/en/hello") == "hello\n");
  CHECK(stat_field(s.run({"stat", "docs/en/hello"}), "mode") == "0644 -rw-r--r--");
  s.must({"put", "dash", "-"}, {.in = "by name"});
  CHECK(s.cat("dash") == "by name");
  s.must({"put", "empty"});
  CHECK(stat_field(s.run({"stat", "empty"}), "size") == "0");
}

TEST_CASE("a new file has the permissions of the host's, without set-ID bits", "[cli][put]") {
  const SampleStore s;
  const std::string file = s.directory.path("tool");
  write_host_file(file, bytes_of("#!\n"));
  REQUIRE(::chmod(file.c_str(), 06751) == 0);
  s.must({"put", "tool", file});
  CHECK(s.cat("tool") == "#!\n");
  CHECK(stat_field(s.run({"stat", "tool"}), "mode") == "0751 -rwxr-x--x");
  REQUIRE(::chmod(file.c_str(), 0600) == 0);
  write_host_file(file, bytes_of("again"));
  s.must({"put", "tool", file});
  CHECK(s.cat("tool") == "again");
  CHECK(stat_field(s.run({"stat", "tool"}), "mode") == "0751 -rwxr-x--x");  // it keeps what it has
}

TEST_CASE("holes of a host file cost nothing, and are zeros", "[cli][put]") {
  const SampleStore s;
  const std::string file = s.directory.path("sparse");
  constexpr std::uint64_t kSize = std::uint64_t{1} << 40;
  const bool begins_with_data = GENERATE(true, false);
  const bool ends_with_data = GENERATE(true, false);
  const std::string middle = patterned(10'000'000);
  const auto at = static_cast<off_t>(kSize / 2 + 4096);
  {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0);
    REQUIRE(::ftruncate(fd, static_cast<off_t>(kSize)) == 0);
    if (begins_with_data) REQUIRE(::pwrite(fd, "begin", 5, 0) == 5);
    REQUIRE(::pwrite(fd, middle.data(), middle.size(), at) == static_cast<ssize_t>(middle.size()));
    if (ends_with_data) REQUIRE(::pwrite(fd, "end", 3, static_cast<off_t>(kSize - 3)) == 3);
    ::close(fd);
  }
  s.must({"put", "sparse", file});
  const auto volume = packfs::Volume::open(s.path);
  REQUIRE(volume);
  const auto stored_file = volume->open_file("sparse");
  REQUIRE(stored_file);
  REQUIRE(stored_file->stat()->size == kSize);
  std::vector<std::byte> bytes(middle.size() + 10'000);
  const auto read_at = [&](std::uint64_t offset, std::size_t size) {
    const auto count = stored_file->read(offset, std::span(bytes).first(size));
    REQUIRE(count);
    return std::string(reinterpret_cast<const char*>(bytes.data()), *count);
  };
  CHECK(read_at(0, 5) == (begins_with_data ? "begin" : std::string(5, '\0')));
  CHECK(read_at(static_cast<std::uint64_t>(at) - 10, middle.size() + 20) ==
        std::string(10, '\0') + middle + std::string(10, '\0'));
  CHECK(read_at(kSize - 3, 10) == (ends_with_data ? "end" : std::string(3, '\0')));
  std::uint64_t stored = 0;
  for (const auto& entry : fs::directory_iterator(s.path)) stored += entry.file_size();
  CHECK(stored < 5 * middle.size());
}

TEST_CASE("put replaces all of a content, under each of its names", "[cli][put]") {
  const SampleStore s;
  s.put("file", std::string(5000, 'x'));
  s.must({"ln", "file", "other"});
  s.must({"ln", "-s", "file", "link"});
  s.put("link", "short");
  CHECK(s.cat("file") == "short");
  CHECK(s.cat("other") == "short");
  CHECK(stat_field(s.run({"stat", "link"}), "type") == "symlink");
}

TEST_CASE("a large input comes in whole, as one commit", "[cli][put]") {
  const SampleStore s;
  const std::size_t size = GENERATE(4194303U, 4194304U, 4194305U, 9000001U);
  const std::string content = patterned(size);
  const std::string file = s.directory.path("large");
  write_host_file(file, bytes_of(content));
  s.must({"put", "from-file", file});
  CHECK((s.cat("from-file") == content));
  s.must({"put", "from-input"}, {.in = content});
  CHECK((s.cat("from-input") == content));
  CHECK(nlohmann::json::parse(s.run({"check", "--json"}).out)["commits"] == 2);
}

TEST_CASE("an input that comes in small pieces, with interruptions, comes in whole", "[cli][put]") {
  const SampleStore s;
  FaultIo io(packfs::base::system_io());
  io.shorten({.call = "read", .for_ever = true}, 7);
  io.fail({.call = "read", .nth = 3}, EINTR);
  const std::string content = patterned(5001);
  CHECK(s.run({"put", "file"}, {.io = &io, .in = content}).exit_code == 0);
  CHECK((s.cat("file") == content));
}

TEST_CASE("an input that fails half way leaves what was there", "[cli][put]") {
  const SampleStore s;
  s.put("file", "old");
  const std::string file = s.directory.path("large");
  write_host_file(file, bytes_of(patterned(9000000)));
  FaultIo io(packfs::base::system_io());
  io.fail({.call = "read", .nth = 2}, EIO);
  const Outcome failed = s.run({"put", "file", file}, {.io = &io});
  CHECK(failed.exit_code == 1);
  CHECK(failed.err == "packfs: file: " + file + ": Input/output error\n");
  CHECK(s.cat("file") == "old");
  CHECK(s.run({"put", "new", file}, {.io = &io}).exit_code == 0);
}

TEST_CASE("an interrupted put leaves what was there", "[cli][put]") {
  const SampleStore s;
  s.put("file", "old");
  std::atomic<bool> interrupted = false;
  FaultIo io(packfs::base::system_io());
  io.before({.call = "read", .nth = 2}, [&] { interrupted = true; });
  const Outcome stopped = s.run({"put", "file"}, {.io = &io, .interrupted = &interrupted, .in = patterned(9000000)});
  CHECK(stopped.exit_code == 1);
  CHECK(stopped.err == "packfs: file: standard input: Operation canceled\n");
  CHECK(s.cat("file") == "old");
}

TEST_CASE("a host file that changes while it is read is named", "[cli][put]") {
  const SampleStore s;
  const std::string file = s.directory.path("growing");
  write_host_file(file, bytes_of("first"));
  FaultIo io(packfs::base::system_io());
  io.before({.call = "read"}, [&] { write_host_file(file, bytes_of("first and more")); });
  const Outcome put = s.run({"put", "--json", "file", file}, {.io = &io});
  CHECK(put.exit_code == 3);
  CHECK(put.err == "packfs: file: " + file + ": Stale file handle (it changed while it was read)\n");
  CHECK(nlohmann::json::parse(put.out)["failed"].size() == 1);
  CHECK(s.cat("file") == "first and more");
}

TEST_CASE("put names what it cannot read or write", "[cli][put]") {
  const SampleStore s;
  s.put("docs/file", "old");
  s.must({"ln", "-s", "loop", "loop"});
  const std::string host = s.directory.path();
  struct Case {
    std::vector<std::string> names;
    std::string err;
  };
  const auto c =
      GENERATE_REF(Case{{"new", host}, "packfs: " + host + ": Is a directory\n"},
                   Case{{"new", host + "/nope"}, "packfs: " + host + "/nope: No such file or directory\n"},
                   Case{{"docs"}, "packfs: docs: Is a directory\n"}, Case{{"."}, "packfs: .: Is a directory\n"},
                   Case{{""}, "packfs: .: Is a directory\n"}, Case{{"docs/"}, "packfs: docs/: Is a directory\n"},
                   Case{{"docs/file/x"}, "packfs: docs/file/x: Not a directory\n"},
                   Case{{"../x"}, "packfs: ../x: path escapes its root\n"},
                   Case{{"loop"}, "packfs: loop: Too many levels of symbolic links\n"},
                   Case{{std::string(256, 'n')}, "packfs: " + std::string(256, 'n') + ": File name too long\n"});
  std::vector<std::string> arguments = c.names;
  arguments.insert(arguments.begin(), "put");
  const Outcome put = s.run(arguments, {.in = "new"});
  CHECK(put.exit_code == 1);
  CHECK(put.err == c.err);
  CHECK(put.out.empty());
  CHECK(s.names() == "docs\ndocs/file\nloop\n");
  CHECK(s.cat("docs/file") == "old");
}

TEST_CASE("put reads what is no regular file, too", "[cli][put]") {
  const SampleStore s;
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  REQUIRE(::write(ends[1], "piped", 5) == 5);
  ::close(ends[1]);
  s.must({"put", "piped"}, {.in_descriptor = ends[0]});
  ::close(ends[0]);
  CHECK(s.cat("piped") == "piped");
  s.must({"put", "null", "/dev/null"});
  CHECK(stat_field(s.run({"stat", "null"}), "mode") == "0644 -rw-r--r--");
  CHECK(s.cat("null").empty());
}

TEST_CASE("put --json tells the commit", "[cli][put][json]") {
  const SampleStore s;
  const auto put = nlohmann::json::parse(s.run({"put", "--json", "file"}, {.in = "x"}).out);
  CHECK(put["path"] == s.path);
  CHECK(put["commit"] > 0);
  CHECK(put["failed"].empty());
  const Outcome failed = s.run({"put", "--json", "."}, {.in = "x"});
  CHECK(failed.exit_code == 1);
  const auto object = nlohmann::json::parse(failed.out);
  CHECK(object["commit"].is_null());
  CHECK(object["failed"] == nlohmann::json{{{"path", "."}, {"error", "Is a directory"}}});
}

}  // namespace
