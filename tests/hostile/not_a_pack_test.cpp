#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "hostile/specimen.h"
#include "packfs/pack.h"
#include "support/packs.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

ErrorCode open_error(const std::string& path, ReadMode mode) {
  const auto pack = Pack::open(path, mode);
  REQUIRE_FALSE(pack);
  CHECK(pack.error().path() == path);
  return pack.error().code();
}

void make_socket(const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.data(), path.size());
  REQUIRE(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  ::close(fd);
}

}  // namespace

TEST_CASE("what is no regular file is refused at once", "[hostile][open]") {
  const ReadMode mode = GENERATE(ReadMode::mmap, ReadMode::pread);
  const TempDir dir;
  CHECK(open_error(dir.path(), mode) == ErrorCode::is_a_directory);
  CHECK(open_error(dir.path("none"), mode) == ErrorCode::no_entry);
  CHECK(open_error("/dev/null", mode) == ErrorCode::invalid);
  CHECK(open_error("/dev/zero", mode) == ErrorCode::invalid);
  // Nobody is at its other end: an open that waited would hang here.
  REQUIRE(::mkfifo(dir.path("fifo").c_str(), 0600) == 0);
  CHECK(open_error(dir.path("fifo"), mode) == ErrorCode::invalid);
  make_socket(dir.path("socket"));
  CHECK(open_error(dir.path("socket"), mode) == static_cast<ErrorCode>(ENXIO));
}

TEST_CASE("a file that does not begin as a pack does is not a pack", "[hostile][open]") {
  const ReadMode mode = GENERATE(ReadMode::mmap, ReadMode::pread);
  const TempDir dir;
  const std::string path = dir.path("file");
  const std::string text =
      GENERATE(as<std::string>(), "", "x", "\x89", "\x89PFS\r\n\x1A", "#!/bin/sh\necho not a pack\n",
               std::string(100'000, 'x'), std::string(10'000, '\0'),
               "\x7F"
               "ELF and so on");
  write_host_file(path, bytes_of(text));
  CHECK(open_error(path, mode) == ErrorCode::not_a_pack);
}

TEST_CASE("a file that begins as a pack and is none names the place", "[hostile][open]") {
  const ReadMode mode = GENERATE(ReadMode::mmap, ReadMode::pread);
  const TempDir dir;
  const std::string path = dir.path("file");
  std::vector<std::byte> bytes = specimen();
  SECTION("a header alone") { bytes.resize(64); }
  SECTION("a header and zeros") { std::fill(bytes.begin() + 64, bytes.end(), std::byte{0}); }
  SECTION("a newline changed on the way") { bytes.erase(bytes.begin() + 4); }
  write_host_file(path, bytes);
  const auto pack = Pack::open(path, mode);
  REQUIRE_FALSE(pack);
  if (pack.error().code() == ErrorCode::not_a_pack) return;  // the magic is made to show that
  CHECK(pack.error().code() == ErrorCode::corrupt);
  CHECK(pack.error().offset().has_value());
}

TEST_CASE("a pack of a later version says so, be it otherwise unreadable", "[hostile][open]") {
  const TempDir dir;
  std::vector<std::byte> bytes = specimen();
  bytes[8] = std::byte{2};
  if (GENERATE(true, false)) bytes.resize(12);
  write_host_file(dir.path("file"), bytes);
  CHECK(open_error(dir.path("file"), GENERATE(ReadMode::mmap, ReadMode::pread)) == ErrorCode::unsupported_version);
}
