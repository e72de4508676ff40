#include "base/io_loops.h"

#include <fcntl.h>

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/unique_fd.h"
#include "support/fault_io.h"
#include "support/seed.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::base;
using packfs::testing::FaultIo;
using packfs::testing::TempDir;

namespace {

struct FilledFile {
  FaultIo io{system_io()};
  TempDir directory;
  unique_fd fd{io, io.openat(AT_FDCWD, directory.path("file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};

  void fill(std::string_view text) {
    REQUIRE(system_io().pwrite(fd.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  }
  std::string whole() {
    std::string text(1000, '\0');
    const ssize_t got = system_io().pread(fd.get(), text.data(), text.size(), 0);
    REQUIRE(got >= 0);
    text.resize(static_cast<std::size_t>(got));
    return text;
  }
};

std::span<std::byte> writable(std::string& text) { return std::as_writable_bytes(std::span(text.data(), text.size())); }

}  // namespace

TEST_CASE_METHOD(FilledFile, "reading goes on after short reads and EINTR until the buffer is full", "[io]") {
  fill("0123456789");
  io.shorten({.call = "pread", .for_ever = true}, 3);
  io.fail({.call = "pread", .nth = 2}, EINTR);
  std::string text(8, '\0');
  const auto got = pread_fully(io, fd.get(), writable(text), 1);
  REQUIRE(got.has_value());
  CHECK(*got == 8);
  CHECK(text == "12345678");
  CHECK(io.count("pread") == 4);

  io.heal();
  io.shorten({.call = "read", .for_ever = true}, 1);
  io.fail({.call = "read", .nth = 1}, EINTR);
  REQUIRE(read_fully(io, fd.get(), writable(text)).value() == 8);
  CHECK(text == "01234567");
}

TEST_CASE_METHOD(FilledFile, "reading ends early at the file's end only", "[io]") {
  fill("abc");
  std::string text(10, '-');
  CHECK(pread_fully(io, fd.get(), writable(text), 1).value() == 2);
  CHECK(text == "bc--------");
  CHECK(pread_fully(io, fd.get(), writable(text), 1000).value() == 0);
  CHECK(read_fully(io, fd.get(), writable(text)).value() == 3);
  CHECK(read_fully(io, fd.get(), writable(text)).value() == 0);
}

TEST_CASE_METHOD(FilledFile, "a read error is returned as its errno, also after some bytes", "[io]") {
  fill("0123456789");
  io.shorten({.call = "pread", .nth = 1}, 4);
  io.fail({.call = "pread", .nth = 2}, EIO);
  std::string text(8, '\0');
  const auto got = pread_fully(io, fd.get(), writable(text), 0);
  REQUIRE_FALSE(got.has_value());
  CHECK(got.error().code() == ErrorCode::io_error);
  CHECK(read_fully(io, -1, writable(text)).error().to_errno() == EBADF);
}

TEST_CASE_METHOD(FilledFile, "writing goes on after short writes and EINTR until all is written", "[io]") {
  io.shorten({.call = "pwrite", .for_ever = true}, 2);
  io.fail({.call = "pwrite", .nth = 1}, EINTR);
  io.fail({.call = "pwrite", .nth = 3}, EINTR);
  REQUIRE(pwrite_fully(io, fd.get(), as_bytes("hello"), 2).has_value());
  CHECK(whole() == std::string("\0\0hello", 7));
  CHECK(io.count("pwrite") == 5);

  io.shorten({.call = "write", .for_ever = true}, 1);
  io.fail({.call = "write", .nth = 4}, EINTR);
  REQUIRE(write_fully(io, fd.get(), as_bytes("HELLO")).has_value());
  CHECK(whole() == "HELLOlo");
}

TEST_CASE_METHOD(FilledFile, "a write that moves nothing is an error, not an endless loop", "[io]") {
  io.shorten({.call = "write", .nth = 2, .for_ever = true}, 0);
  io.shorten({.call = "write", .nth = 1}, 2);
  const auto written = write_fully(io, fd.get(), as_bytes("hello"));
  REQUIRE_FALSE(written.has_value());
  CHECK(written.error().code() == ErrorCode::io_error);
  CHECK(io.count("write") == 2);
  io.shorten({.call = "pwrite", .for_ever = true}, 0);
  CHECK(pwrite_fully(io, fd.get(), as_bytes("hello"), 0).error().code() == ErrorCode::io_error);
}

TEST_CASE_METHOD(FilledFile, "a write error is returned as its errno", "[io]") {
  io.shorten({.call = "pwrite", .nth = 1}, 2);
  io.fail({.call = "pwrite", .nth = 2}, ENOSPC);
  CHECK(pwrite_fully(io, fd.get(), as_bytes("hello"), 0).error().code() == ErrorCode::no_space);
  CHECK(whole() == "he");
}

TEST_CASE_METHOD(FilledFile, "no bytes need no call", "[io]") {
  CHECK(read_fully(io, -1, {}).value() == 0);
  CHECK(pread_fully(io, -1, {}, 5).value() == 0);
  CHECK(write_fully(io, -1, {}).has_value());
  CHECK(pwrite_fully(io, -1, {}, 5).has_value());
  CHECK(io.count() == 1);  // the open
}

TEST_CASE_METHOD(FilledFile, "an offset beyond the kernel's range never reaches it", "[io]") {
  std::string text(2, '\0');
  for (const std::uint64_t offset : {std::uint64_t{INT64_MAX} - 1, std::uint64_t{INT64_MAX} + 1, UINT64_MAX}) {
    CHECK(pread_fully(io, fd.get(), writable(text), offset).error().code() == ErrorCode::invalid);
    CHECK(pwrite_fully(io, fd.get(), as_bytes("ab"), offset).error().code() == ErrorCode::too_large);
  }
  CHECK(io.count("pread") == 0);
  CHECK(io.count("pwrite") == 0);
  CHECK(pread_fully(io, fd.get(), writable(text), std::uint64_t{INT64_MAX} - 2).value() == 0);
}

TEST_CASE_METHOD(FilledFile, "any mix of short transfers and interruptions moves the same bytes", "[io]") {
  std::mt19937_64 random(packfs::testing::test_seed());
  std::string text(5000, '\0');
  for (char& byte : text) byte = static_cast<char>(random());
  for (const char* call : {"pwrite", "pread"}) {
    for (std::uint64_t nth = 1; nth < 60; ++nth) {
      if (random() % 3 == 0) io.fail({.call = call, .nth = nth}, EINTR);
      io.shorten({.call = call, .nth = nth}, 1 + random() % 300);
    }
  }
  REQUIRE(pwrite_fully(io, fd.get(), as_bytes(text), 17).has_value());
  std::string back(5000, '\0');
  CHECK(pread_fully(io, fd.get(), writable(back), 17).value() == 5000);
  CHECK(back == text);
}

TEST_CASE("a kernel-style return becomes a value or an error", "[io]") {
  CHECK(checked(7).value() == 7);
  CHECK(checked(ssize_t{0}).value() == 0);
  CHECK(checked(-EACCES).error().code() == ErrorCode::access_denied);
  CHECK(checked(off_t{-ESPIPE}).error().to_errno() == ESPIPE);
}
