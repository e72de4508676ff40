#include "log/record.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/bytes.h"
#include "base/hash.h"
#include "log/records.h"
#include "support/seed.h"

using namespace packfs;
using namespace packfs::testing;
using content::Form;
using log::RecordType;

namespace {

constexpr std::uint64_t kSegment = 0x1234'5678'9ABC'DEF0;

// The bytes after re-computing a head's checksum: what a writer that broke the rules would have written.
Bytes sealed(Bytes head, std::uint64_t offset) {
  base::store_le(head.data(), base::xxh3(std::span(head).subspan(8), kSegment + offset * log::kOffsetFactor));
  return head;
}

ErrorCode decode_error(std::span<const std::byte> head, std::uint64_t offset) {
  const auto record = log::decode_head(head, kSegment, offset);
  if (record) return ErrorCode{};
  CHECK(record.error().offset() == offset);
  return record.error().code();
}

// Encodes a record that the rules must refuse.
bool refused(const log::Record& record) {
  Bytes out(3);
  const auto done = log::encode_head(record, kSegment, 64, out);
  return !done && done.error().code() == ErrorCode::invalid && out.size() == 3;
}

const TypeFields& fields_of(RecordType type) { return all_types()[static_cast<std::size_t>(type) - 1]; }

}  // namespace

TEST_CASE("every type comes back with any choice of its optional fields", "[log][record]") {
  std::mt19937_64 random(test_seed());
  for (const TypeFields& type : all_types()) {
    for (int round = 0; round < 200; ++round) {
      OwnedRecord owned;
      const std::uint32_t fields = round == 0 ? 0 : round == 1 ? UINT32_MAX : static_cast<std::uint32_t>(random());
      make_record(random, type, fields, owned);
      const std::uint64_t offset = 8 * (random() >> 8);
      INFO("type " << int(type.type) << " fields " << owned.record.fields);
      Bytes before(5, std::byte{1});
      Bytes head = before;
      REQUIRE(log::encode_head(owned.record, kSegment, offset, head));
      REQUIRE(std::equal(before.begin(), before.end(), head.begin()));
      head.erase(head.begin(), head.begin() + 5);

      const auto lengths = log::peek_head(std::span(head).first<32>(), offset);
      REQUIRE(lengths);
      REQUIRE(lengths->head_bytes == head.size());
      const auto decoded = log::decode_head(head, kSegment, offset);
      REQUIRE(decoded);
      REQUIRE(same(owned.record, *decoded));
      REQUIRE(encoded(*decoded, kSegment, offset) == head);
    }
  }
}

TEST_CASE("a head lies in bytes as the specification has it", "[log][record]") {
  log::Record record;
  record.type = RecordType::put;
  record.form = Form::run;
  record.name = "ab";
  record.content_length = 7;
  record.commit = 3;
  record.fields = log::kParent | log::kInode | log::kMode | log::kOwner | log::kMtime;
  record.parent = 1;
  record.inode = 300;
  record.mode = 0644;
  record.uid = 5;
  record.gid = 6;
  record.mtime = {.seconds = -1, .nanoseconds = 2};
  const Bytes head = encoded(record, kSegment, 64);
  const std::vector<int> rest{2, 2, 0, 0, 10, 0, 0, 0x10, 7, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 'a', 'b',
                              // mask 0x3D, parent, inode, mode, uid, gid, mtime
                              0x3D, 1, 0xAC, 0x02, 0xA4, 0x03, 5, 6, 1, 2};
  REQUIRE(head.size() == 8 + rest.size());
  CHECK(std::ranges::equal(std::span(head).subspan(8), rest, [](std::byte a, int b) { return int(a) == b; }));
  CHECK(base::load_le<std::uint64_t>(head.data()) ==
        base::xxh3(std::span(head).subspan(8), kSegment + 64 * 0x9E3779B97F4A7C15));
}

TEST_CASE("any flipped bit and any cut of a head is an error", "[log][record]") {
  std::mt19937_64 random(test_seed());
  for (const TypeFields& type : all_types()) {
    OwnedRecord owned;
    make_record(random, type, UINT32_MAX, owned);
    const Bytes head = encoded(owned.record, kSegment, 640);
    std::size_t missed = 0;
    for (std::size_t bit = 0; bit < 8 * head.size(); ++bit) {
      Bytes flipped = head;
      flipped[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
      if (decode_error(flipped, 640) != ErrorCode::corrupt) ++missed;
    }
    for (std::size_t length = 0; length < head.size(); ++length) {
      if (decode_error(std::span(head).first(length), 640) != ErrorCode::corrupt) ++missed;
    }
    Bytes longer = head;
    longer.push_back(std::byte{0});
    if (decode_error(longer, 640) != ErrorCode::corrupt) ++missed;
    CHECK(missed == 0);
  }
}

TEST_CASE("any changed byte under a good checksum gives an error or a record that encodes to those bytes",
          "[log][record]") {
  std::mt19937_64 random(test_seed());
  for (const TypeFields& type : all_types()) {
    for (int round = 0; round < 300; ++round) {
      OwnedRecord owned;
      make_record(random, type, static_cast<std::uint32_t>(random()), owned);
      Bytes head = encoded(owned.record, kSegment, 64);
      head[8 + random() % (head.size() - 8)] = static_cast<std::byte>(random());
      head = sealed(head, 64);
      const auto decoded = log::decode_head(head, kSegment, 64);
      // One encoding for each record: nothing decodes that a writer would not write.
      if (decoded) REQUIRE(encoded(*decoded, kSegment, 64) == head);
    }
  }
}

TEST_CASE("a head that was copied elsewhere, or is of another segment, is corrupt", "[log][record]") {
  std::mt19937_64 random(test_seed());
  OwnedRecord owned;
  make_record(random, fields_of(RecordType::put), UINT32_MAX, owned);
  const Bytes head = encoded(owned.record, kSegment, 640);
  CHECK(log::decode_head(head, kSegment, 640));
  CHECK(decode_error(head, 648) == ErrorCode::corrupt);
  CHECK_FALSE(log::decode_head(head, kSegment + 1, 640));
}

TEST_CASE("a type, form or field of a later version is unsupported when its checksum is good", "[log][record]") {
  std::mt19937_64 random(test_seed());
  OwnedRecord owned;
  make_record(random, fields_of(RecordType::dictionary), 0, owned);
  const Bytes head = encoded(owned.record, kSegment, 64);
  const auto with = [&](std::size_t at, int value) {
    Bytes changed = head;
    changed[at] = static_cast<std::byte>(value);
    return changed;
  };
  for (const int type : {0, 18, 255}) {
    CHECK(decode_error(sealed(with(8, type), 64), 64) == ErrorCode::unsupported_version);
    CHECK(decode_error(with(8, type), 64) == ErrorCode::corrupt);
  }
  for (const int form : {4, 15}) {
    CHECK(decode_error(sealed(with(15, form << 4), 64), 64) == ErrorCode::unsupported_version);
  }
  // The mask is the one byte behind the fixed part: here a mask of bit 18 instead, three bytes long.
  Bytes later = with(12, 3);
  later.back() = std::byte{0x80};
  later.push_back(std::byte{0x80});
  later.push_back(std::byte{0x10});
  CHECK(decode_error(sealed(later, 64), 64) == ErrorCode::unsupported_version);
}

TEST_CASE("a type that lacks a required field, or has one it may not have, is refused", "[log][record]") {
  std::mt19937_64 random(test_seed());
  for (const TypeFields& type : all_types()) {
    for (unsigned bit = 0; bit < 18; ++bit) {
      OwnedRecord owned;
      make_record(random, type, UINT32_MAX, owned);
      const std::uint32_t field = 1U << bit;
      INFO("type " << int(type.type) << " field " << bit);
      REQUIRE_FALSE(refused(owned.record));
      if ((type.optional & field) != 0) continue;
      owned.record.fields ^= field;
      // With a parent it would be a record of the other naming, if its name fits that.
      if (type.path && field == log::kParent) owned.record.name = "a/b";
      CHECK(refused(owned.record));
    }
    OwnedRecord owned;
    make_record(random, type, 0, owned);
    owned.record.fields |= 1U << 18;
    CHECK(refused(owned.record));
  }
}

TEST_CASE("names are components, paths or nothing, as the type has it", "[log][record]") {
  std::mt19937_64 random(test_seed());
  const std::string long_name(256, 'x');
  const std::string long_path(log::kMaxNameBytes + 1, 'x');
  const std::string nul("a\0b", 3);
  const auto takes = [&](RecordType type, std::string_view name) {
    OwnedRecord owned;
    make_record(random, fields_of(type), 0, owned);
    owned.record.name = name;
    return !refused(owned.record);
  };
  for (const RecordType type :
       {RecordType::mkdir, RecordType::put, RecordType::symlink, RecordType::special, RecordType::link}) {
    CHECK(takes(type, "a"));
    CHECK(takes(type, "..."));
    CHECK(takes(type, std::string_view(long_name).substr(1)));
    for (const std::string_view name : {std::string_view(), std::string_view("."), std::string_view(".."),
                                        std::string_view("a/b"), std::string_view(nul), std::string_view(long_name)}) {
      INFO("type " << int(type) << " name '" << name << "'");
      CHECK_FALSE(takes(type, name));
    }
  }
  for (const RecordType type : {RecordType::write, RecordType::rename, RecordType::remove, RecordType::clone}) {
    CHECK(takes(type, "a/b"));
    CHECK(takes(type, std::string_view(long_path).substr(1)));
    CHECK_FALSE(takes(type, long_path));
    CHECK_FALSE(takes(type, nul));
  }
  for (const RecordType type : {RecordType::commit, RecordType::index, RecordType::extent, RecordType::extent_map}) {
    CHECK(takes(type, ""));
    CHECK_FALSE(takes(type, "a"));
  }
}

TEST_CASE("only the root's mkdir has no name, and no parent", "[log][record]") {
  std::mt19937_64 random(test_seed());
  OwnedRecord owned;
  make_record(random, fields_of(RecordType::mkdir), 0, owned);
  log::Record root = owned.record;
  root.name = {};
  CHECK(refused(root));
  root.fields &= ~log::kParent;
  CHECK_FALSE(refused(root));
  root.name = "a";
  CHECK(refused(root));
  // Without a directory number it would be named by a path, and lacks what such a record has.
  root.fields &= ~log::kDirectory;
  CHECK(refused(root));
}

TEST_CASE("a value at its limit is taken, the next one is refused", "[log][record]") {
  std::mt19937_64 random(test_seed());
  const auto takes = [&](RecordType type, auto change) {
    OwnedRecord owned;
    make_record(random, fields_of(type), UINT32_MAX, owned);
    owned.record.form = type == RecordType::put ? Form::chained : owned.record.form;
    if (type == RecordType::put) owned.record.content_length = 0;
    change(owned.record);
    return !refused(owned.record);
  };
  using log::Record;
  CHECK(takes(RecordType::put, [](Record& r) { r.mode = 07777; }));
  CHECK_FALSE(takes(RecordType::put, [](Record& r) { r.mode = 010000; }));
  CHECK(takes(RecordType::put, [](Record& r) { r.uid = r.gid = 0xFFFF'FFFE; }));
  CHECK_FALSE(takes(RecordType::put, [](Record& r) { r.uid = 0xFFFF'FFFF; }));
  CHECK_FALSE(takes(RecordType::put, [](Record& r) { r.gid = 0xFFFF'FFFF; }));
  CHECK(takes(RecordType::put, [](Record& r) { r.mtime.nanoseconds = 999'999'999; }));
  CHECK_FALSE(takes(RecordType::put, [](Record& r) { r.mtime.nanoseconds = 1'000'000'000; }));
  CHECK_FALSE(takes(RecordType::put, [](Record& r) { r.ctime.nanoseconds = 1'000'000'000; }));
  CHECK(takes(RecordType::put, [](Record& r) { r.size = INT64_MAX; }));
  CHECK_FALSE(takes(RecordType::put, [](Record& r) { r.size = std::uint64_t{1} << 63; }));
  CHECK_FALSE(takes(RecordType::put, [](Record& r) { r.link_id = 0; }));
  CHECK_FALSE(takes(RecordType::link, [](Record& r) { r.link_id = 0; }));
  constexpr std::uint64_t kTooMuch = std::uint64_t{1} << 63;
  CHECK(takes(RecordType::remove, [](Record& r) { r.inode = r.link_id = r.commit = kTooMuch - 1; }));
  CHECK_FALSE(takes(RecordType::remove, [](Record& r) { r.inode = kTooMuch; }));
  CHECK_FALSE(takes(RecordType::remove, [](Record& r) { r.inode = 0; }));
  CHECK_FALSE(takes(RecordType::remove, [](Record& r) { r.link_id = kTooMuch; }));
  CHECK_FALSE(takes(RecordType::remove, [](Record& r) { r.commit = kTooMuch; }));
  CHECK_FALSE(takes(RecordType::commit, [](Record& r) { r.commit = kTooMuch; }));
  CHECK_FALSE(takes(RecordType::special, [](Record& r) { r.kind = FileType::symlink; }));
  CHECK_FALSE(takes(RecordType::special, [](Record& r) { r.kind = static_cast<FileType>(8); }));
  CHECK_FALSE(takes(RecordType::index, [](Record& r) { r.section = 0; }));
  CHECK_FALSE(takes(RecordType::index, [](Record& r) { r.section = 10; }));
  for (const std::uint64_t flags : {0UL, 3UL, 4UL}) {
    CHECK_FALSE(takes(RecordType::rename, [&](Record& r) { r.flags = flags; }));
  }
  CHECK_FALSE(takes(RecordType::remove, [](Record& r) { r.flags = 96; }));
  CHECK_FALSE(takes(RecordType::remove, [](Record& r) { r.flags = 1; }));
  CHECK_FALSE(takes(RecordType::rename, [](Record& r) { r.target = std::string_view("a\0b", 3); }));
}

TEST_CASE("extended attributes are named, sorted and unlike each other", "[log][record]") {
  std::mt19937_64 random(test_seed());
  const std::string longest(255, 'n');
  const std::string too_long(256, 'n');
  const auto takes = [&](std::vector<log::XattrRef> xattrs) {
    OwnedRecord owned;
    make_record(random, fields_of(RecordType::mkdir), log::kXattrs, owned);
    owned.record.xattrs = std::move(xattrs);
    return !refused(owned.record);
  };
  CHECK(takes({}));
  CHECK(takes({{"a", {}}, {"a.", {}}, {"b", {}}}));
  CHECK(takes({{longest, {}}}));
  CHECK_FALSE(takes({{too_long, {}}}));
  CHECK_FALSE(takes({{"", {}}}));
  CHECK_FALSE(takes({{"b", {}}, {"a", {}}}));
  CHECK_FALSE(takes({{"a", {}}, {"a", {}}}));
  CHECK_FALSE(takes({{std::string_view("a\0b", 3), {}}}));
  CHECK(takes({{"Z", {}}, {"\xC3", {}}}));
}

TEST_CASE("attributes up to 64 MiB are taken, longer ones refused", "[log][record]") {
  std::mt19937_64 random(test_seed());
  OwnedRecord owned;
  make_record(random, fields_of(RecordType::mkdir), log::kXattrs, owned);
  log::Record& record = owned.record;
  record.parent = record.directory = record.inode = record.mode = record.uid = record.gid = 0;
  record.mtime = {};
  // Mask (2 bytes), those eight fields, count, name length, name, and four bytes for the value's length.
  Bytes value(log::kMaxAttributesBytes - 17);
  owned.record.xattrs = {{"a", value}};
  const Bytes head = encoded(owned.record, kSegment, 64);
  CHECK(head.size() == 32 + owned.name.size() + log::kMaxAttributesBytes);
  const auto decoded = log::decode_head(head, kSegment, 64);
  REQUIRE(decoded);
  CHECK(decoded->xattrs.front().value.size() == value.size());
  value.push_back(std::byte{0});
  owned.record.xattrs = {{"a", value}};
  CHECK(refused(owned.record));
}

TEST_CASE("a form has the content it may have", "[log][record]") {
  std::mt19937_64 random(test_seed());
  const auto takes = [&](RecordType type, Form form, std::uint64_t length, std::uint64_t size, bool with_size = true) {
    OwnedRecord owned;
    make_record(random, fields_of(type), with_size ? UINT32_MAX : ~std::uint32_t{log::kSize}, owned);
    owned.record.form = form;
    owned.record.content_length = length;
    owned.record.size = size;
    owned.record.offset = 4096;
    return !refused(owned.record);
  };
  CHECK(takes(RecordType::put, Form::run, INT64_MAX, INT64_MAX));
  CHECK(takes(RecordType::put, Form::run, 5, 0, false));
  CHECK_FALSE(takes(RecordType::put, Form::run, std::uint64_t{1} << 63, 0, false));
  CHECK_FALSE(takes(RecordType::put, Form::run, 5, 6));
  CHECK_FALSE(takes(RecordType::put, Form::none, 1, 1));
  CHECK_FALSE(takes(RecordType::put, Form::none, 0, 1));
  CHECK_FALSE(takes(RecordType::put, Form::chained, 1, 1));
  CHECK(takes(RecordType::put, Form::chained, 0, INT64_MAX));
  CHECK(takes(RecordType::put, Form::packed, 100, content::kMaxExtentBytes));
  CHECK_FALSE(takes(RecordType::put, Form::packed, 100, content::kMaxExtentBytes + 1));
  CHECK_FALSE(takes(RecordType::put, Form::packed, 100, 0));
  CHECK_FALSE(takes(RecordType::put, Form::packed, 100, 0, false));
  CHECK_FALSE(takes(RecordType::symlink, Form::none, 0, 0));
  CHECK_FALSE(takes(RecordType::mkdir, Form::run, 5, 5));
  CHECK_FALSE(takes(RecordType::commit, Form::run, 5, 5));
  CHECK_FALSE(takes(RecordType::index, Form::packed, 5, 5));
  CHECK(takes(RecordType::extent, Form::run, 4096, 4096));
  CHECK_FALSE(takes(RecordType::extent, Form::run, 4096, 4095));
  CHECK_FALSE(takes(RecordType::extent, Form::run, 0, 0));
  CHECK_FALSE(takes(RecordType::extent, Form::run, content::kMaxExtentBytes + 1, content::kMaxExtentBytes + 1));
  CHECK_FALSE(takes(RecordType::extent, Form::chained, 0, 4096));
  CHECK(takes(RecordType::extent_map, Form::run, 48, 9999));
  CHECK(takes(RecordType::extent_map, Form::none, 0, 9999));
  CHECK_FALSE(takes(RecordType::extent_map, Form::run, 47, 9999));
  CHECK_FALSE(takes(RecordType::extent_map, Form::packed, 48, 9999));
}

TEST_CASE("an extent that ends beyond the greatest file is refused", "[log][record]") {
  std::mt19937_64 random(test_seed());
  OwnedRecord owned;
  make_record(random, fields_of(RecordType::extent), 0, owned);
  owned.record.form = Form::run;
  owned.record.size = owned.record.content_length = 100;
  owned.record.offset = INT64_MAX - 100;
  CHECK_FALSE(refused(owned.record));
  owned.record.offset = INT64_MAX - 99;
  CHECK(refused(owned.record));
}

TEST_CASE("lengths over their limits are corrupt before anything is read by them", "[log][record]") {
  std::mt19937_64 random(test_seed());
  OwnedRecord owned;
  make_record(random, fields_of(RecordType::commit), 0, owned);
  const Bytes head = encoded(owned.record, kSegment, 64);
  std::array<std::byte, 32> fixed{};
  const auto peek_with = [&](std::size_t at, auto value) {
    std::copy_n(head.begin(), 32, fixed.begin());
    base::store_le(fixed.data() + at, value);
    return log::peek_head(fixed, 64);
  };
  const auto type = std::uint32_t{13};
  CHECK(peek_with(8, type | (1U << 20 << 8)).value().head_bytes > (1U << 20));
  CHECK_FALSE(peek_with(8, type | (((1U << 20) + 1) << 8)));
  CHECK(peek_with(12, std::uint32_t{64U << 20}).value().head_bytes == 32 + (64U << 20));
  CHECK_FALSE(peek_with(12, std::uint32_t{(64U << 20) + 1}));
  CHECK(peek_with(16, std::uint64_t{INT64_MAX}));
  const auto failed = peek_with(16, std::uint64_t{INT64_MAX} + 1);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code() == ErrorCode::corrupt);
  CHECK(failed.error().offset() == 64);
}

TEST_CASE("a record extends over its head, aligned content, trailer and padding", "[log][record]") {
  log::Record record;
  const auto extent = [&](Form form, std::uint64_t length, std::uint64_t offset = 64, std::uint64_t head = 45) {
    record.form = form;
    record.content_length = length;
    return log::record_extent(record, offset, head);
  };
  const auto is = [](const Result<log::RecordExtent>& got, std::uint64_t begin, std::uint64_t end, std::uint64_t next) {
    return got && got->content_begin == begin && got->content_end == end && got->next == next;
  };
  CHECK(is(extent(Form::none, 0), 109, 109, 112));
  CHECK(is(extent(Form::chained, 0), 109, 109, 112));
  CHECK(is(extent(Form::run, 0), 109, 109, 112));
  CHECK(is(extent(Form::run, 1), 109, 110, 120));
  CHECK(is(extent(Form::run, 3), 109, 112, 120));
  CHECK(is(extent(Form::packed, 3), 109, 112, 112));
  CHECK(is(extent(Form::run, 65'535), 109, 65'644, 65'656));
  CHECK(is(extent(Form::run, 65'536), 4096, 69'632, 69'640));
  CHECK(is(extent(Form::packed, 65'536), 4096, 69'632, 69'632));
  CHECK(is(extent(Form::run, 65'536, 4032, 64), 4096, 69'632, 69'640));
  CHECK(is(extent(Form::run, 1'048'577), 4096, 1'052'673, 1'052'728));

  constexpr std::uint64_t kMost = INT64_MAX;
  CHECK_FALSE(extent(Form::run, kMost));
  CHECK_FALSE(extent(Form::packed, kMost));
  CHECK_FALSE(extent(Form::packed, kMost - 4096));
  CHECK(extent(Form::packed, kMost - 4096 - 7));
  CHECK_FALSE(extent(Form::none, 0, kMost));
  CHECK_FALSE(extent(Form::none, 0, UINT64_MAX - 7));
  CHECK_FALSE(extent(Form::none, 0, kMost - 45));
  CHECK_FALSE(extent(Form::run, UINT64_MAX));
  const auto failed = extent(Form::run, kMost, 640);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code() == ErrorCode::corrupt);
  CHECK(failed.error().offset() == 640);
}
