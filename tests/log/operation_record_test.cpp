#include "log/operation_record.h"

#include <catch2/catch.hpp>
#include <vector>

#include "log/record.h"
#include "support/packs.h"

using namespace packfs;
using namespace packfs::testing;
using log::Record;
using Kind = tree::Operation::Kind;

namespace {

constexpr std::uint64_t kJournal = 77;

const Attributes& given() {
  static const Attributes attributes{
      .mode = 04751,
      .uid = 1,
      .gid = UINT32_MAX - 1,
      .mtime = {-5, 999'999'999},
      .xattrs = {{"user.b", {std::byte{1}, std::byte{0}}}, {"user.a", {}}},
  };
  return attributes;
}

/// The operation after it was written down and read again.
struct Read {
  std::vector<std::byte> head;
  log::Logged logged;
};

Read read_back(const tree::Operation& operation) {
  const log::Setting setting{.stamp = {.commit = 9, .now = {1, 2}, .uid = 3, .gid = 4}, .inode = 5, .link_id = 6};
  Read read;
  must(log::encode_head(log::record_of(operation, setting), kJournal, 64, read.head));
  const auto record = log::decode_head(read.head, kJournal, 64);
  INFO((record ? "" : record.error().message()));
  REQUIRE(record);
  REQUIRE(log::is_named_by_path(*record));
  read.logged = log::operation_of(*record);
  CHECK(read.logged.setting.stamp.commit == 9);
  CHECK(read.logged.setting.stamp.now == Time{1, 2});
  CHECK(read.logged.setting.inode == 5);
  CHECK(read.logged.setting.link_id == 6);
  CHECK(read.logged.operation.kind == operation.kind);
  CHECK(read.logged.operation.path == operation.path);
  return read;
}

bool is_refused(const Record& record) {
  std::vector<std::byte> head;
  return !log::encode_head(record, kJournal, 64, head);
}

}  // namespace

TEST_CASE("attributes that are given stand in the record of what they are given to", "[log][operation]") {
  const auto bytes = bytes_of("content");
  const std::vector<tree::Operation> all{
      {.kind = Kind::write, .path = "a/b", .bytes = bytes, .attributes = &given()},
      {.kind = Kind::write, .path = "empty", .attributes = &given()},
      {.kind = Kind::make_directory, .path = "a", .attributes = &given()},
      {.kind = Kind::symlink, .path = "a/l", .other = "target", .attributes = &given()},
      {.kind = Kind::make_special,
       .type = FileType::block_device,
       .major = 8,
       .minor = 1,
       .path = "dev",
       .attributes = &given()},
      {.kind = Kind::set_attributes, .path = "", .attributes = &given()},
  };
  for (const tree::Operation& operation : all) {
    const Read read = read_back(operation);
    REQUIRE(read.logged.attributes);
    CHECK(read.logged.attributes->mode == given().mode);
    CHECK(read.logged.attributes->uid == given().uid);
    CHECK(read.logged.attributes->gid == given().gid);
    CHECK(read.logged.attributes->mtime == given().mtime);
    REQUIRE(read.logged.attributes->xattrs.size() == 2);
    CHECK(read.logged.attributes->xattrs[0] == given().xattrs[1]);
    CHECK(read.logged.attributes->xattrs[1] == given().xattrs[0]);
    CHECK(read.logged.operation.major == operation.major);
  }
}

TEST_CASE("an operation without given attributes has none after it was read", "[log][operation]") {
  const Read made = read_back({.kind = Kind::write, .mode = 0640, .path = "f", .bytes = bytes_of("x")});
  CHECK_FALSE(made.logged.attributes);
  CHECK(made.logged.operation.mode == 0640);
  CHECK(made.logged.setting.stamp.uid == 3);
  const Read parents = read_back({.kind = Kind::write, .make_parents = true, .mode = 0640, .path = "d/f"});
  CHECK(parents.logged.operation.make_parents);
  const Read owner = read_back({.kind = Kind::chown, .uid = UINT32_MAX, .gid = 3, .path = "f"});
  CHECK_FALSE(owner.logged.attributes);
  CHECK(owner.logged.operation.uid == UINT32_MAX);
  CHECK_FALSE(read_back({.kind = Kind::set_mtime, .path = "f", .mtime = {4, 5}}).logged.attributes);
  CHECK_FALSE(read_back({.kind = Kind::chmod, .mode = 0600, .path = "f"}).logged.attributes);
  CHECK_FALSE(read_back({.kind = Kind::symlink, .path = "l", .other = "t"}).logged.attributes);
}

TEST_CASE("half of the given attributes is no record", "[log][operation]") {
  const log::Setting setting{.stamp = {.commit = 9, .now = {1, 2}, .uid = 3, .gid = 4}, .inode = 5, .link_id = 6};
  const Record whole = log::record_of({.kind = Kind::make_directory, .path = "a", .attributes = &given()}, setting);
  REQUIRE_FALSE(is_refused(whole));
  Record record = whole;
  record.fields &= ~std::uint32_t{log::kMtime};
  CHECK(is_refused(record));
  record = whole;
  record.fields |= log::kFlags;
  record.flags = log::kWithParents;
  CHECK(is_refused(record));
  record = whole;
  record.uid = UINT32_MAX;
  CHECK(is_refused(record));
  const Record link =
      log::record_of({.kind = Kind::symlink, .path = "l", .other = "t", .attributes = &given()}, setting);
  REQUIRE_FALSE(is_refused(link));
  record = link;
  record.fields &= ~std::uint32_t{log::kMode};
  CHECK(is_refused(record));
  const Record set = log::record_of({.kind = Kind::set_attributes, .path = "a", .attributes = &given()}, setting);
  REQUIRE_FALSE(is_refused(set));
  record = set;
  record.fields &= ~std::uint32_t{log::kOwner};
  CHECK(is_refused(record));
  record = set;
  record.fields &= ~std::uint32_t{log::kMtime | log::kMode};
  CHECK(is_refused(record));
}
