#include "pack/verify.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "pack/reader.h"
#include "pack/verify_path.h"
#include "packfs/view.h"
#include "support/fault_io.h"
#include "support/packs.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

void build_some(const std::string& path) {
  build_pack(path, [](PackBuilder& builder) {
    must(builder.add_directory("d", kPlain));
    must(builder.add_file("d/file", kPlain, bytes_of("some bytes of a file")));
    must(builder.add_symlink("d/link", kPlain, "file"));
    must(builder.add_file("large", kPlain, std::vector<std::byte>(3'000'000, std::byte{7})));
    must(builder.add_link("larger", "large"));
    must(builder.add_file("void", kPlain, bytes_of("")));
  });
}

std::vector<std::string> messages(const VerifyReport& report) {
  std::vector<std::string> texts;
  texts.reserve(report.damage.size());
  for (const Error& error : report.damage) texts.push_back(error.message());
  return texts;
}

}  // namespace

TEST_CASE("a sound pack is read whole, and the report counts what was read", "[pack][verify]") {
  const TempDir dir;
  build_some(dir.path("pack"));
  const Pack pack = open_pack(dir.path("pack"), GENERATE(ReadMode::mmap, ReadMode::pread));
  std::vector<std::uint64_t> told;
  std::uint64_t all = 0;
  const auto report = pack.verify([&](std::uint64_t done, std::uint64_t total) {
    told.push_back(done);
    all = total;
    return true;
  });
  REQUIRE(report);
  CHECK(messages(*report) == std::vector<std::string>{});
  CHECK(report->damages == 0);
  CHECK(report->entries_checked == 6);
  CHECK(report->records_checked > pack.info().records);
  CHECK(report->bytes_checked == all);
  CHECK(report->bytes_checked == pack.info().file_bytes);
  CHECK_FALSE(told.empty());
  CHECK(std::ranges::is_sorted(told));
}

TEST_CASE("the progress function ends a verification", "[pack][verify]") {
  const TempDir dir;
  build_some(dir.path("pack"));
  const Pack pack = open_pack(dir.path("pack"));
  const auto report = pack.verify([](std::uint64_t, std::uint64_t) { return false; });
  REQUIRE_FALSE(report);
  CHECK(report.error().code() == static_cast<ErrorCode>(ECANCELED));
}

TEST_CASE("damage is named by path and place, and the rest is checked all the same", "[pack][verify]") {
  const TempDir dir;
  const std::string path = dir.path("pack");
  build_some(path);
  auto bytes = read_host_file(path);
  const std::size_t at = text_of(bytes).find("some bytes");
  bytes[at + 3] ^= std::byte{1};
  bytes[2'000'000] ^= std::byte{1};
  write_host_file(path, bytes);
  const auto report = open_pack(path, GENERATE(ReadMode::mmap, ReadMode::pread)).verify();
  REQUIRE(report);
  REQUIRE(report->damages == 2);
  CHECK(report->damage[0].path() == "d/file");
  CHECK(report->damage[0].offset() == at);
  CHECK(report->damage[1].path() == "large");
  CHECK(report->damage[1].offset() < 2'000'000);
  CHECK(report->entries_checked == 6);
}

TEST_CASE("what was damaged after it was opened and read is found", "[pack][verify]") {
  const TempDir dir;
  const std::string path = dir.path("pack");
  build_some(path);
  const Pack pack = open_pack(path, GENERATE(ReadMode::mmap, ReadMode::pread));
  REQUIRE(pack.verify()->damages == 0);
  auto bytes = read_host_file(path);
  const std::size_t end = bytes.size();
  // Header, a record, the index, each with its own checksum; the footer.
  for (const std::size_t at : {std::size_t{20}, std::size_t{70}, text_of(bytes).rfind("larger"), end - 300, end - 1}) {
    bytes[at] ^= std::byte{1};
    write_host_file(path, bytes);
    INFO(at);
    CHECK(pack.verify()->damages != 0);
    bytes[at] ^= std::byte{1};
  }
  write_host_file(path, bytes);
  CHECK(pack.verify()->damages == 0);
}

TEST_CASE("of much damage a thousand are listed and all are counted", "[pack][verify]") {
  const TempDir dir;
  const std::string path = dir.path("pack");
  constexpr std::size_t kFiles = 1'500;
  build_pack(path, [](PackBuilder& builder) {
    for (std::size_t i = 0; i < kFiles; ++i) {
      must(builder.add_file(std::to_string(i), kPlain, bytes_of("content of a file")));
    }
  });
  auto bytes = read_host_file(path);
  const std::string text = text_of(bytes);
  std::size_t changed = 0;
  for (std::size_t at = text.find("content of"); at != std::string::npos; at = text.find("content of", at + 1)) {
    bytes[at] ^= std::byte{1};
    ++changed;
  }
  REQUIRE(changed == kFiles);
  write_host_file(path, bytes);
  const auto report = open_pack(path).verify();
  REQUIRE(report);
  CHECK(report->damages == kFiles);
  CHECK(report->damage.size() == VerifyReport::kMaxDamage);
}

TEST_CASE("an errno of the host ends a verification", "[pack][verify]") {
  const TempDir dir;
  build_some(dir.path("pack"));
  FaultIo io(base::system_io());
  for (std::uint64_t nth = 1;; nth += 3) {
    auto reader = pack::Reader::open(io, dir.path("pack"), ReadMode::pread);
    REQUIRE(reader);
    io.fail({.call = "pread", .nth = nth}, EIO);
    const auto report = Pack(*reader).verify();
    if (!io.struck()) break;
    io.heal();
    REQUIRE_FALSE(report);
    CHECK(report.error().code() == ErrorCode::io_error);
  }
}

TEST_CASE("a path for a message is no longer than it may be", "[pack][verify]") {
  const TempDir dir;
  const std::string path = dir.path("pack");
  const std::string name(255, 'n');
  std::string deep;
  build_pack(path, [&](PackBuilder& builder) {
    for (int i = 0; i < 400; ++i) {
      deep += (i == 0 ? "" : "/") + name;
      must(builder.add_directory(deep, kPlain));
    }
  });
  auto reader = pack::Reader::open(base::system_io(), path, ReadMode::mmap);
  REQUIRE(reader);
  CHECK(pack::path_in_pack(**reader, 3, "x") == name + "/" + name + "/" + name + "/x");
  CHECK(pack::path_in_pack(**reader, 0, "x") == "x");
  const std::string shown = pack::path_in_pack(**reader, 400, "x");
  CHECK(shown.size() <= pack::kMaxShownPath);
  CHECK(shown.size() > pack::kMaxShownPath - 300);
  CHECK(shown.ends_with(name + "/x"));
  CHECK(Pack(*reader).verify()->damages == 0);
}
