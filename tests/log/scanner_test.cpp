#include "log/scanner.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <deque>

#include "base/bytes.h"
#include "base/hash.h"
#include "log/log_file.h"
#include "support/fault_io.h"
#include "support/seed.h"

using namespace packfs;
using namespace packfs::testing;
using content::Form;

namespace {

log::Scanner scan(const LogFile& file, std::uint64_t end, std::uint64_t begin = LogBytes::kBegin) {
  return {file.source(), LogBytes::kSegment, begin, end};
}

// The error that ends a scan, and the records before it.
struct Outcome {
  std::size_t records = 0;
  std::optional<Error> error;
};
Outcome scan_all(const Bytes& bytes, bool map, std::uint64_t end) {
  const LogFile file(bytes, map);
  log::Scanner scanner = scan(file, end);
  Outcome outcome;
  std::uint64_t before = scanner.position();
  while (true) {
    const auto next = scanner.next();
    if (!next) {
      outcome.error = next.error();
      // An error ends the scan for good.
      REQUIRE_FALSE(scanner.next());
      REQUIRE(scanner.position() == before);
      return outcome;
    }
    if (!*next) return outcome;
    ++outcome.records;
    REQUIRE(scanner.position() > before);
    before = scanner.position();
  }
}
Outcome scan_all(const Bytes& bytes, bool map) { return scan_all(bytes, map, bytes.size()); }

bool corrupt_at(const Outcome& outcome, std::size_t records, std::uint64_t offset) {
  return outcome.records == records && outcome.error && outcome.error->code() == ErrorCode::corrupt &&
         outcome.error->offset() == offset;
}

}  // namespace

TEST_CASE("a scan gives the records that were written, in order", "[log][scanner]") {
  const bool map = GENERATE(true, false);
  std::mt19937_64 random(test_seed());
  LogBytes log;
  std::deque<OwnedRecord> written;
  std::vector<std::uint64_t> offsets;
  for (int i = 0; i < 300; ++i) {
    OwnedRecord& owned = written.emplace_back();
    make_record(random, all_types()[random() % 17], static_cast<std::uint32_t>(random()), owned);
    log::Record& record = owned.record;
    // Contents short enough to be written, some long enough to be aligned.
    const bool has_content = record.form == Form::run || record.form == Form::packed;
    std::uint64_t length = has_content ? 24 * (random() % 20 == 0 ? 3000 : random() % 20) : 0;
    if (record.type == log::RecordType::extent && record.form == Form::run) {
      length = std::max<std::uint64_t>(length, 24);
      record.size = length;
      record.offset = 0;
    }
    if (record.type <= log::RecordType::special && record.form < Form::packed) record.size = length;
    record.content_length = length;
    offsets.push_back(log.add(record, Bytes(length, std::byte{7})));
  }
  const LogFile file(log.bytes(), map);
  log::Scanner scanner = scan(file, log.end());
  for (std::size_t i = 0; i < written.size(); ++i) {
    const auto next = scanner.next();
    REQUIRE(next);
    REQUIRE(*next);
    const log::ScannedRecord& scanned = **next;
    CHECK(scanned.offset == offsets[i]);
    CHECK(same(scanned.record, written[i].record));
    CHECK(scanned.head_checksum == base::load_le<std::uint64_t>(log.bytes().data() + scanned.offset));
    CHECK(scanned.extent.next == (i + 1 < offsets.size() ? offsets[i + 1] : log.end()));
  }
  const auto end = scanner.next();
  REQUIRE(end);
  CHECK_FALSE(*end);
  CHECK_FALSE(*scanner.next());
}

TEST_CASE("an empty log has no records", "[log][scanner]") {
  const LogBytes log;
  const LogFile file(LogBytes().bytes(), true);
  CHECK_FALSE(*scan(file, LogBytes::kBegin).next());
}

TEST_CASE("every flipped bit outside a content ends the scan where it is", "[log][scanner]") {
  const bool map = GENERATE(true, false);
  LogBytes log;
  log.add(put_record("first", Form::run), Bytes(10, std::byte{1}));
  const std::uint64_t second = log.add(put_record("second", Form::run), Bytes(10, std::byte{2}));
  log.add(put_record("third", Form::none));
  const LogFile file(log.bytes(), map);
  log::Scanner scanner = scan(file, log.end());
  REQUIRE(scanner.next());
  const auto extent = (*scanner.next())->extent;
  for (std::uint64_t at = second; at < extent.next; ++at) {
    const bool in_head = at < extent.content_begin;
    const bool in_content = !in_head && at < extent.content_end + 8;
    for (int bit = 0; bit < 8; ++bit) {
      Bytes bytes = log.bytes();
      bytes[at] ^= static_cast<std::byte>(1 << bit);
      const Outcome outcome = scan_all(bytes, map);
      INFO("byte " << at - second << " bit " << bit);
      if (in_content) {
        REQUIRE((outcome.records == 3 && !outcome.error));
      } else {
        REQUIRE(corrupt_at(outcome, 1, in_head ? second : at));
      }
    }
  }
}

TEST_CASE("a log cut off anywhere but between records is corrupt at the record that is cut", "[log][scanner]") {
  const bool map = GENERATE(true, false);
  LogBytes log;
  std::vector<std::uint64_t> offsets;
  offsets.reserve(3);
  for (int i = 0; i < 3; ++i) offsets.push_back(log.add(put_record("name", Form::run), Bytes(30, std::byte{1})));
  for (std::uint64_t end = LogBytes::kBegin; end < log.end(); ++end) {
    const std::size_t whole = static_cast<std::size_t>(std::ranges::count_if(
        offsets, [&](std::uint64_t offset) { return offset + (offsets[1] - offsets[0]) <= end; }));
    const bool between = end == LogBytes::kBegin || end == offsets[1] || end == offsets[2];
    for (const bool cut_file : {true, false}) {
      const Bytes bytes(log.bytes().begin(),
                        cut_file ? log.bytes().begin() + static_cast<std::ptrdiff_t>(end) : log.bytes().end());
      const Outcome outcome = scan_all(bytes, map, end);
      INFO("end " << end);
      if (between) {
        REQUIRE((outcome.records == whole && !outcome.error));
      } else {
        REQUIRE(corrupt_at(outcome, whole, offsets[whole]));
      }
    }
  }
}

TEST_CASE("padding before an aligned content must be zero", "[log][scanner]") {
  const bool map = GENERATE(true, false);
  LogBytes log;
  log.add(put_record("large", Form::run), Bytes(65'536, std::byte{1}));
  CHECK(scan_all(log.bytes(), map).records == 1);
  log.bytes()[3000] = std::byte{1};
  CHECK(corrupt_at(scan_all(log.bytes(), map), 0, 3000));
}

TEST_CASE("a head longer than the file is refused without memory for it", "[log][scanner]") {
  const bool map = GENERATE(true, false);
  LogBytes log;
  const std::uint64_t at = log.add(put_record("name", Form::none));
  // 64 MiB of attributes in a file of a hundred bytes.
  base::store_le(log.bytes().data() + at + 12, std::uint32_t{64U << 20});
  FaultIo io(base::system_io());
  const LogFile file(log.bytes(), map, io);
  io.clear_log();
  const auto next = scan(file, log.end()).next();
  REQUIRE_FALSE(next);
  CHECK(next.error().code() == ErrorCode::corrupt);
  CHECK(next.error().offset() == at);
  CHECK(io.count("pread") == (map ? 0 : 1));
}

TEST_CASE("a content that ends behind the log, or overflows, is corrupt at its record", "[log][scanner]") {
  const bool map = GENERATE(true, false);
  const std::uint64_t length = GENERATE(as<std::uint64_t>(), 1, 100, 65'536, 1UL << 40, INT64_MAX);
  LogBytes log;
  log.add(put_record("whole", Form::none));
  log::Record record = put_record("name", Form::run);
  record.content_length = length;
  const std::uint64_t at = log.end();
  const Bytes head = encoded(record, LogBytes::kSegment, at);
  log.bytes().insert(log.bytes().end(), head.begin(), head.end());
  log.bytes().resize((log.bytes().size() + 7) / 8 * 8);
  CHECK(corrupt_at(scan_all(log.bytes(), map), 1, at));
}

TEST_CASE("an unknown type ends the scan as unsupported", "[log][scanner]") {
  LogBytes log;
  const std::uint64_t at = log.add(put_record("name", Form::none));
  const auto head = std::span(log.bytes()).subspan(at, (log.bytes().size() - at));
  head[8] = std::byte{99};
  const std::size_t head_bytes = encoded(put_record("name", Form::none), LogBytes::kSegment, at).size();
  base::store_le(head.data(),
                 base::xxh3(head.subspan(8, head_bytes - 8), LogBytes::kSegment + at * log::kOffsetFactor));
  const Outcome outcome = scan_all(log.bytes(), GENERATE(true, false));
  REQUIRE(outcome.error);
  CHECK(outcome.error->code() == ErrorCode::unsupported_version);
  CHECK(outcome.error->offset() == at);
}

TEST_CASE("any bytes at all end the scan", "[log][scanner]") {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 200; ++round) {
    Bytes bytes(64 + 8 * (random() % 100));
    for (std::byte& byte : bytes) byte = random() % 2 == 0 ? std::byte{0} : static_cast<std::byte>(random());
    const Outcome outcome = scan_all(bytes, true);
    CHECK(outcome.records == 0);
    CHECK(outcome.error.has_value() == (bytes.size() > 64));
  }
}

TEST_CASE("a failing pread ends the scan with its errno", "[log][scanner]") {
  LogBytes log;
  log.add(put_record("first", Form::run), Bytes(10, std::byte{1}));
  for (std::uint64_t nth = 1;; ++nth) {
    FaultIo io(base::system_io());
    const LogFile file(log.bytes(), false, io);
    io.fail({.call = "pread", .nth = nth}, EIO);
    const auto next = scan(file, log.end()).next();
    if (!io.struck()) {
      CHECK(next);
      CHECK(nth > 2);
      break;
    }
    REQUIRE_FALSE(next);
    CHECK(next.error().code() == ErrorCode::io_error);
  }
}
