#include "log/record_content.h"

#include <catch2/catch.hpp>

#include "base/bytes.h"
#include "content/encode.h"
#include "log/log_file.h"

using namespace packfs;
using namespace packfs::testing;
using content::Form;

namespace {

Bytes patterned(std::size_t length) {
  Bytes bytes(length);
  for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<std::byte>(i * i / 7);
  return bytes;
}

Bytes packed(std::span<const std::byte> raw, unsigned block_log2) {
  auto compressor = content::Compressor::make();
  Bytes out;
  if (!compressor || !content::encode_packed(raw, 3, block_log2, *compressor, out)) throw std::bad_alloc();
  return out;
}

struct Scanned {
  LogFile file;
  std::unique_ptr<content::StoredReader> reader;
  log::Scanner scanner;
  log::ScannedRecord record;

  Scanned(Bytes& bytes, bool map)
      : file(bytes, map),
        reader(*content::StoredReader::make(file.source(), LogBytes::kBegin, bytes.size())),
        scanner(file.source(), LogBytes::kSegment, LogBytes::kBegin, bytes.size()),
        record(**scanner.next()) {}

  [[nodiscard]] Result<void> verify() const { return log::verify_content(file.source(), *reader, record); }
  [[nodiscard]] auto stored() const { return log::stored_content(file.source(), record); }
};

std::array<std::uint8_t, 16> digest_of(std::span<const std::byte> bytes) {
  base::Xxh3Stream128 checksums;
  checksums.update(bytes);
  return checksums.digest();
}

std::array<std::uint8_t, 16> pack_id_of(const Scanned& scanned) {
  base::Xxh3Stream128 checksums;
  REQUIRE(log::add_to_pack_id(scanned.file.source(), scanned.record, checksums));
  return checksums.digest();
}

}  // namespace

TEST_CASE("a run's record tells where its bytes lie and verifies", "[log][record_content]") {
  const bool map = GENERATE(true, false);
  const std::size_t length = GENERATE(as<std::size_t>(), 0, 1, 300, 65'536, 1'048'577);
  LogBytes log;
  const Bytes raw = patterned(length);
  log.add(put_record("name", Form::run), raw);
  const Scanned scanned(log.bytes(), map);
  const auto stored = scanned.stored();
  REQUIRE(stored);
  CHECK(stored->form == Form::run);
  CHECK(stored->size == length);
  Bytes read(length + 1);
  CHECK(scanned.reader->read(*stored, 0, read) == length);
  CHECK(std::equal(raw.begin(), raw.end(), read.begin()));
  CHECK(scanned.verify());

  // The head's checksum, then the trailer with its source length if it has one.
  Bytes fed(log.bytes().begin() + 64, log.bytes().begin() + 72);
  content::append_run_trailer(raw, fed);
  CHECK(pack_id_of(scanned) == digest_of(fed));
}

TEST_CASE("a shrunk run's size is its source length, which may not exceed it", "[log][record_content]") {
  const bool map = GENERATE(true, false);
  const Bytes raw = patterned(1'100'000);
  const std::uint64_t source_length = GENERATE(as<std::uint64_t>(), 0, 5, 1'099'999, 1'100'001, UINT64_MAX);
  content::RunTrailer trailer;
  trailer.update(raw);
  Bytes trailer_bytes;
  trailer.finish(source_length, trailer_bytes);
  LogBytes log;
  log.add(put_record("name", Form::run), raw, trailer_bytes);
  const Scanned scanned(log.bytes(), map);
  const auto stored = scanned.stored();
  if (source_length <= raw.size()) {
    REQUIRE(stored);
    CHECK(stored->size == source_length);
    CHECK(stored->stored_length == raw.size());
    CHECK(scanned.verify());
  } else {
    REQUIRE_FALSE(stored);
    CHECK(stored.error().code() == ErrorCode::corrupt);
    CHECK(stored.error().offset() == scanned.record.extent.content_end + 5 * 8);
    CHECK_FALSE(scanned.verify());
  }
}

TEST_CASE("a put whose source failed is void, no other run is", "[log][record_content]") {
  const bool map = GENERATE(true, false);
  const Bytes raw = patterned(1'100'000);
  const auto void_with = [&](const log::Record& record, std::uint64_t source_length) {
    content::RunTrailer trailer;
    trailer.update(raw);
    Bytes trailer_bytes;
    trailer.finish(source_length, trailer_bytes);
    LogBytes log;
    log.add(record, raw, trailer_bytes);
    const Scanned scanned(log.bytes(), map);
    const auto is_void = log::is_void(scanned.file.source(), scanned.record);
    REQUIRE(is_void);
    if (*is_void) CHECK_FALSE(scanned.verify());
    return *is_void;
  };
  CHECK(void_with(put_record("name", Form::run), content::kSourceFailed));
  CHECK_FALSE(void_with(put_record("name", Form::run), raw.size()));
  CHECK_FALSE(void_with(put_record("name", Form::run), content::kSourceFailed - 1));
  log::Record index;
  index.type = log::RecordType::index;
  index.form = Form::run;
  index.fields = log::kSection;
  index.section = 2;
  CHECK_FALSE(void_with(index, content::kSourceFailed));
}

TEST_CASE("only a file's run may have shrunk", "[log][record_content]") {
  const Bytes raw = patterned(1'100'000);
  content::RunTrailer trailer;
  trailer.update(raw);
  Bytes trailer_bytes;
  trailer.finish(5, trailer_bytes);
  log::Record record;
  record.type = log::RecordType::index;
  record.form = Form::run;
  record.fields = log::kSection;
  record.section = 2;
  LogBytes log;
  log.add(record, raw, trailer_bytes);
  CHECK_FALSE(Scanned(log.bytes(), true).verify());
}

TEST_CASE("a packed record verifies and adds its blocks' checksums", "[log][record_content]") {
  const bool map = GENERATE(true, false);
  const Bytes raw = patterned(20'000);
  const Bytes content = packed(raw, 12);
  LogBytes log;
  log.add(put_record("name", Form::packed, raw.size()), content);
  const Scanned scanned(log.bytes(), map);
  CHECK(scanned.verify());
  Bytes fed(log.bytes().begin() + 64, log.bytes().begin() + 72);
  for (std::size_t i = 0; i < 5; ++i) {
    const auto checksum = std::span(content).subspan(4 + 12 * i + 4, 8);
    fed.insert(fed.end(), checksum.begin(), checksum.end());
  }
  CHECK(pack_id_of(scanned) == digest_of(fed));
}

TEST_CASE("packed content must fill its record", "[log][record_content]") {
  const bool map = GENERATE(true, false);
  const Bytes raw = patterned(20'000);
  Bytes content = packed(raw, 12);
  const std::size_t length = content.size();
  content.push_back(std::byte{0});
  LogBytes log;
  log.add(put_record("name", Form::packed, raw.size()), content);
  const Scanned longer(log.bytes(), map);
  const auto verified = longer.verify();
  REQUIRE_FALSE(verified);
  CHECK(verified.error().code() == ErrorCode::corrupt);
  CHECK(verified.error().offset() == longer.record.extent.content_begin + length);

  LogBytes cut;
  content.resize(length - 1);
  cut.add(put_record("name", Form::packed, raw.size()), content);
  CHECK_FALSE(Scanned(cut.bytes(), map).verify());
}

TEST_CASE("any damaged byte of a content is found", "[log][record_content]") {
  const bool map = GENERATE(true, false);
  const bool as_run = GENERATE(true, false);
  const Bytes raw = patterned(500);
  LogBytes log;
  if (as_run) log.add(put_record("name", Form::run), raw);
  if (!as_run) log.add(put_record("name", Form::packed, raw.size()), packed(raw, 12));
  const auto extent = Scanned(log.bytes(), map).record.extent;
  const std::uint64_t end = extent.content_end + (as_run ? 8 : 0);
  std::size_t missed = 0;
  for (std::uint64_t at = extent.content_begin; at < end; ++at) {
    Bytes bytes = log.bytes();
    bytes[at] ^= std::byte{0x10};
    if (Scanned(bytes, map).verify()) ++missed;
  }
  CHECK(missed == 0);
}

TEST_CASE("records without content of their own add their heads alone", "[log][record_content]") {
  LogBytes log;
  log.add(put_record("name", GENERATE(Form::none, Form::chained)));
  const Scanned scanned(log.bytes(), true);
  REQUIRE(scanned.stored());
  CHECK(scanned.stored()->form == Form::none);
  CHECK(scanned.verify());
  CHECK(pack_id_of(scanned) == digest_of(std::span(log.bytes()).subspan(64, 8)));
}
