#include <catch2/catch.hpp>
#include <random>

#include "base/bytes.h"
#include "base/hash.h"
#include "content/image.h"
#include "support/seed.h"

using namespace packfs;
using namespace packfs::testing;
using content::Form;
using content::Stored;

namespace {

template <class T>
std::optional<std::uint64_t> corrupt_offset(const Result<T>& result) {
  return !result && result.error().code() == ErrorCode::corrupt ? result.error().offset() : std::nullopt;
}

// Where reading all of a content finds it corrupt; nothing when it does not.
std::optional<std::uint64_t> read_corrupt_at(const Bytes& bytes, const Stored& stored, bool map) {
  return corrupt_offset(OpenImage(bytes, map).read_all(stored));
}

std::optional<std::uint64_t> verify_corrupt_at(const Bytes& bytes, const Stored& stored, bool map) {
  return corrupt_offset(OpenImage(bytes, map).reader().verify(stored));
}

void flip(Bytes& bytes, std::uint64_t bit) { bytes[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8)); }

void put_u32(Bytes& bytes, std::uint64_t at, std::uint32_t value) { base::store_le(bytes.data() + at, value); }
void put_u64(Bytes& bytes, std::uint64_t at, std::uint64_t value) { base::store_le(bytes.data() + at, value); }
std::uint32_t get_u32(const Bytes& bytes, std::uint64_t at) { return base::load_le<std::uint32_t>(bytes.data() + at); }

}  // namespace

TEST_CASE("any flipped bit of a content gives its bytes or an error", "[content][damage]") {
  const bool map = GENERATE(true, false);
  const int which = GENERATE(range(0, 5));
  Image image;
  Bytes raw = prose(1, 600);
  Stored stored;
  if (which == 0) stored = image.add_run(raw);
  if (which == 1) stored = image.add_packed(raw);
  if (which == 2) stored = image.add_packed(raw = noise(1, 600));
  if (which == 3) {
    raw.resize(3 * 4096);
    const Bytes tail = noise(2, 50);
    raw.insert(raw.end(), tail.begin(), tail.end());
    stored = image.add_chained(raw, 5000, 2);
  }
  if (which == 4) stored = image.add_run(raw = noise(3, 90));

  OpenImage open(image.bytes(), map);
  std::size_t wrong = 0;
  std::size_t caught = 0;
  for (std::uint64_t at = 64; at < image.bytes().size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      const std::byte old = image.bytes()[at];
      open.overwrite(at, old ^ static_cast<std::byte>(1 << bit));
      open.forget();
      const auto read = open.read_all(stored);
      if (read && *read != raw) ++wrong;
      if (!read) ++caught;
      open.overwrite(at, old);
    }
  }
  CHECK(wrong == 0);
  CHECK(caught > 8 * 90);
}

TEST_CASE("a file cut off anywhere gives an error", "[content][damage]") {
  const bool map = GENERATE(true, false);
  Image image;
  const Stored run = image.add_run(noise(1, 90));
  const Stored packed = image.add_packed(prose(1, 600));
  const Stored chained = image.add_chained(noise(2, 100), 40);
  const auto all_readable = [&](std::size_t length) {
    const OpenImage open(std::span(image.bytes()).first(length), map);
    return open.read_all(run) && open.read_all(packed) && open.read_all(chained);
  };
  REQUIRE(all_readable(image.bytes().size()));
  for (std::size_t length = 0; length < image.bytes().size(); ++length) REQUIRE_FALSE(all_readable(length));
}

TEST_CASE("a run's damaged block is corrupt at its offset, the others are read", "[content][damage]") {
  const bool map = GENERATE(true, false);
  Image image;
  const Bytes raw = noise(1, 3 * 262'144 + 1000);
  const Stored run = image.add_run(raw);
  const std::uint64_t block = GENERATE(as<std::uint64_t>(), 0, 1, 3);
  const bool in_trailer = GENERATE(true, false);
  Bytes bytes = image.bytes();
  const std::uint64_t begin = run.location + block * 262'144;
  flip(bytes, 8 * (in_trailer ? run.location + run.size + 8 * block : begin + 999));

  CHECK(read_corrupt_at(bytes, run, map) == begin);
  CHECK(verify_corrupt_at(bytes, run, map) == begin);
  const OpenImage open(bytes, map);
  for (std::uint64_t other = 0; other < 4; ++other) {
    Bytes buffer(100);
    const auto count = open.reader().read(run, other * 262'144 + 500, buffer);
    CHECK(count.has_value() == (other != block));
  }
  if (map) CHECK(corrupt_offset(open.reader().borrow(run)) == begin);
}

TEST_CASE("a run's source length must be its file's size", "[content][damage]") {
  const bool map = GENERATE(true, false);
  Image image;
  const Stored run = image.add_shrunk_run(noise(1, 1'000'000), 1'200'000);
  const std::uint64_t at = run.location + 1'200'000 + 5 * 8;
  Bytes bytes = image.bytes();
  put_u64(bytes, at, 1'000'001);
  CHECK(verify_corrupt_at(bytes, run, map) == at);
}

TEST_CASE("a run whose lengths or place cannot be is corrupt at its location", "[content][damage]") {
  const bool map = GENERATE(true, false);
  Image image;
  const Stored good = image.add_run(noise(1, 1000));
  const std::uint64_t end = image.bytes().size();
  const auto at_location = [&](Stored stored) {
    stored.form = Form::run;
    const OpenImage open(image.bytes(), map);
    Bytes buffer(10);
    const auto read = open.reader().read(stored, 0, buffer);
    const auto verified = open.reader().verify(stored);
    return !read && !verified && corrupt_offset(read) == stored.location && corrupt_offset(verified) == stored.location;
  };
  const std::uint64_t here = good.location;
  CHECK(at_location({.size = 1000, .location = here, .stored_length = 999}));
  CHECK(at_location({.size = 999, .location = here, .stored_length = 1000}));
  CHECK(at_location({.size = 1001, .location = here, .stored_length = 1001}));
  CHECK(at_location({.size = 1000, .location = here - 1000, .stored_length = 1000}));
  CHECK(at_location({.size = 1, .location = 63, .stored_length = 1}));
  CHECK(at_location({.size = 1, .location = 0, .stored_length = 1}));
  CHECK(at_location({.size = 1, .location = end - 8, .stored_length = 1}));
  CHECK(at_location({.size = 1, .location = end, .stored_length = 1}));
  CHECK(at_location({.size = 1, .location = UINT64_MAX, .stored_length = 1}));
  CHECK(at_location({.size = 1, .location = here, .stored_length = UINT64_MAX}));
  CHECK(at_location({.size = UINT64_MAX, .location = here, .stored_length = UINT64_MAX}));
  CHECK(at_location({.size = INT64_MAX, .location = here, .stored_length = INT64_MAX}));
  CHECK(at_location({.size = INT64_MAX, .location = UINT64_MAX - 5, .stored_length = INT64_MAX}));
}

TEST_CASE("a reader looks at nothing outside its region, though the file goes on", "[content][damage]") {
  const bool map = GENERATE(true, false);
  Image image;
  const Stored stored[] = {image.add_run(noise(1, 100)), image.add_packed(prose(1, 1000)),
                           image.add_chained(noise(2, 50), 50)};
  const OpenImage open(image.bytes(), map);
  for (const Stored& content : stored) {
    // Where it ends: behind the last byte without which it cannot be read.
    std::uint64_t end = content.location;
    Bytes buffer(content.size);
    const auto readable_up_to = [&](std::uint64_t begin, std::uint64_t limit) {
      const auto reader = content::StoredReader::make(open.source(), begin, limit);
      REQUIRE(reader);
      return (*reader)->read(content, 0, buffer).has_value();
    };
    while (end < image.bytes().size() && !readable_up_to(64, end)) ++end;
    REQUIRE(readable_up_to(64, end));
    if (content.form == Form::run) CHECK(end == content.location + 108);
    CHECK_FALSE(readable_up_to(64, end - 1));
    CHECK_FALSE(readable_up_to(content.location + 1, image.bytes().size()));
  }
}

TEST_CASE("a content without a known form has no bytes to give", "[content][damage]") {
  Image image;
  const Stored good = image.add_run(noise(1, 1000));
  const OpenImage open(image.bytes(), true);
  for (const int form : {0, 4, 15, 255}) {
    Stored stored = good;
    stored.form = static_cast<Form>(form);
    CHECK(corrupt_offset(open.read_all(stored)) == good.location);
    CHECK(corrupt_offset(open.reader().verify(stored)) == good.location);
    CHECK(corrupt_offset(open.reader().next_data(stored, 0)) == good.location);
  }
}

TEST_CASE("a packed content's header and table fields are checked", "[content][damage]") {
  const bool map = GENERATE(true, false);
  Image image;
  Bytes raw = prose(1, 2 * 4096);
  const Bytes tail = noise(1, 100);
  raw.insert(raw.end(), tail.begin(), tail.end());
  const Stored packed = image.add_packed(raw, 12);
  image.add_run(noise(2, 10'000));  // so that lengths are refused for themselves, not for the file's end
  const std::uint64_t at = packed.location;
  const auto with_u32 = [&](std::uint64_t where, std::uint32_t value) {
    Bytes bytes = image.bytes();
    put_u32(bytes, where, value);
    const auto read = read_corrupt_at(bytes, packed, map);
    CHECK(read == verify_corrupt_at(bytes, packed, map));
    return read;
  };
  for (const unsigned log2 : {0U, 1U, 11U, 19U, 63U, 64U, 255U}) CHECK(with_u32(at, log2) == at);
  CHECK(with_u32(at, 12 | 0x100) == at + 1);
  CHECK(with_u32(at, 12 | 0x8000'0000) == at + 1);
  // Another block size: the first block is not what its checksum was made for.
  CHECK(with_u32(at, 13).has_value());

  const std::uint64_t first = at + 4;
  const std::uint64_t last = first + 2 * 12;
  const std::uint32_t length = get_u32(image.bytes(), first) & 0xFFF'FFFF;
  CHECK(with_u32(first, 1U << 28) == first);
  CHECK(with_u32(first, (1U << 28) | 4097) == first);
  CHECK(with_u32(first, (1U << 28) | 0xFFF'FFFF) == first);
  CHECK(with_u32(first, length) == first);
  CHECK(with_u32(last, 99) == last);
  CHECK(with_u32(last, 101) == last);
  const std::uint64_t first_block = at + 4 + 3 * 12;
  CHECK(with_u32(first, (1U << 28) | (length + 1)) == first_block);
  CHECK(with_u32(first, (1U << 28) | (length - 1)) == first_block);
  CHECK(with_u32(first + 4, 12345) == first_block);
  CHECK(with_u32(first_block + 10, 0xFFFF'FFFF) == first_block);
}

TEST_CASE("a packed content's place and raw length are checked", "[content][damage]") {
  const bool map = GENERATE(true, false);
  Image image;
  const Stored packed = image.add_packed(prose(1, 10'000), 12);
  const OpenImage open(image.bytes(), map);
  const auto at_location = [&](std::uint64_t location, std::uint64_t size) {
    const Stored stored{.form = Form::packed, .size = size, .location = location};
    Bytes buffer(10);
    const auto read = open.reader().read(stored, 0, buffer);
    return !read && corrupt_offset(read) == location;
  };
  CHECK(at_location(packed.location, content::kMaxExtentBytes + 1));
  CHECK(at_location(packed.location, UINT64_MAX));
  CHECK(at_location(image.bytes().size() - 3, 10));
  CHECK(at_location(image.bytes().size(), 10));
  CHECK(at_location(63, 10));
  CHECK(at_location(UINT64_MAX, 10));
  CHECK(at_location(UINT64_MAX - 3, 10));
  CHECK(corrupt_offset(open.reader().verify({.form = Form::packed, .location = packed.location})) == packed.location);
  // A header alone, with no room for the table behind it.
  Bytes bytes = image.bytes();
  bytes.resize(bytes.size() + 7);
  bytes[image.bytes().size()] = std::byte{12};
  const Stored cut{.form = Form::packed, .size = 10, .location = image.bytes().size()};
  CHECK(read_corrupt_at(bytes, cut, map) == image.bytes().size() + 4);
  // The table of that many blocks would not fit.
  const Stored long_one{.form = Form::packed, .size = content::kMaxExtentBytes, .location = packed.location};
  Bytes buffer(10);
  CHECK(corrupt_offset(open.reader().read(long_one, 0, buffer)) == packed.location + 4);
}

TEST_CASE("a codec of a later version is unsupported, if its checksum says it was meant", "[content][damage]") {
  const bool map = GENERATE(true, false);
  Image image;
  const Stored packed = image.add_packed(prose(1, 1000));
  const std::uint32_t codec = GENERATE(as<std::uint32_t>(), 2, 3, 15);
  Bytes bytes = image.bytes();
  const std::uint64_t element = packed.location + 4;
  const std::uint32_t codec_and_length = (codec << 28) | (get_u32(bytes, element) & 0xFFF'FFFF);
  put_u32(bytes, element, codec_and_length);
  CHECK(read_corrupt_at(bytes, packed, map) == packed.location + 16);

  const auto block = std::span(bytes).subspan(packed.location + 16, codec_and_length & 0xFFF'FFFF);
  put_u64(bytes, element + 4, base::xxh3(block, content::packed_block_seed(codec_and_length, 18, 1000)));
  const OpenImage open(bytes, map);
  CHECK(open.read_all(packed).error().code() == ErrorCode::unsupported_version);
  CHECK(open.reader().verify(packed).error().code() == ErrorCode::unsupported_version);
}

TEST_CASE("a block that its checksum vouches for but that does not decode is corrupt", "[content][damage]") {
  const bool map = GENERATE(true, false);
  Image image;
  const Stored packed = image.add_packed(prose(1, 1000));
  const std::uint64_t element = packed.location + 4;
  const std::uint32_t codec_and_length = get_u32(image.bytes(), element);
  const std::uint64_t begin = packed.location + 16;
  const std::size_t length = codec_and_length & 0xFFF'FFFF;
  std::mt19937_64 random(test_seed());
  std::size_t refused = 0;
  for (int round = 0; round < 200; ++round) {
    Bytes bytes = image.bytes();
    for (int i = 0; i < 3; ++i) bytes[begin + random() % length] = static_cast<std::byte>(random());
    put_u64(
        bytes, element + 4,
        base::xxh3(std::span(bytes).subspan(begin, length), content::packed_block_seed(codec_and_length, 18, 1000)));
    const OpenImage open(bytes, map);
    const auto read = open.read_all(packed);
    if (read) continue;
    ++refused;
    REQUIRE(corrupt_offset(read) == begin);
  }
  CHECK(refused > 0);
}

TEST_CASE("an extent map's elements are checked by themselves and against their neighbours", "[content][damage]") {
  const bool map = GENERATE(true, false);
  Image image;
  const Stored run = image.add_run(noise(1, 1000));
  const auto good = [&](std::uint64_t begin) { return map_element(begin, 1000, Form::run, run.location); };
  const std::vector sound{good(0), good(1000), good(5000), good(7000)};
  const std::size_t index = GENERATE(as<std::size_t>(), 0, 1, 2, 3);
  const auto corrupt_with = [&](const content::ExtentMapElement& element) {
    auto elements = sound;
    elements[index] = element;
    Image broken = image;
    const Stored chained = broken.add_map(elements, 8000);
    const auto read = read_corrupt_at(broken.bytes(), chained, map);
    CHECK(verify_corrupt_at(broken.bytes(), chained, map) == read);
    return read ? std::optional((*read - chained.location) / 24) : std::nullopt;
  };
  CHECK_FALSE(corrupt_with(sound[index]).has_value());
  const std::uint64_t begin = sound[index].raw_offset.get();
  const std::optional<std::uint64_t> here = index;
  CHECK(corrupt_with(map_element(begin, 0, Form::run, run.location)) == here);
  CHECK(corrupt_with(map_element(begin, content::kMaxExtentBytes + 1, Form::run, run.location)) == here);
  CHECK(corrupt_with(map_element(begin, (std::uint64_t{1} << 60) - 1, Form::run, run.location)) == here);
  CHECK(corrupt_with(map_element(begin, 1000, Form::none, run.location)) == here);
  CHECK(corrupt_with(map_element(begin, 1000, Form::chained, run.location)) == here);
  CHECK(corrupt_with(map_element(begin, 1000, static_cast<Form>(15), run.location)) == here);
  CHECK(corrupt_with(map_element(8000, 1000, Form::run, run.location)) == here);
  CHECK(corrupt_with(map_element(7001, 1000, Form::run, run.location)) == here);
  CHECK(corrupt_with(map_element(UINT64_MAX, 1000, Form::run, run.location)) == here);
  if (index > 0) CHECK(corrupt_with(map_element(begin - 4001, 1000, Form::run, run.location)).has_value());
  if (index < 3) CHECK(corrupt_with(good(7000)).has_value());
}

TEST_CASE("a read that touches one of two overlapping extents is refused", "[content][damage]") {
  Image image;
  const Stored run = image.add_run(noise(1, 1000));
  const Stored chained = image.add_map(
      std::vector{map_element(0, 1000, Form::run, run.location), map_element(500, 1000, Form::run, run.location),
                  map_element(2000, 1000, Form::run, run.location)},
      8000);
  const OpenImage open(image.bytes(), GENERATE(true, false));
  Bytes buffer(10);
  const std::uint64_t offset = GENERATE(as<std::uint64_t>(), 100, 1400);
  CHECK(corrupt_offset(open.reader().read(chained, offset, buffer)) == chained.location + 24);
  CHECK(corrupt_offset(open.reader().next_data(chained, offset)) == chained.location + 24);
  CHECK(open.reader().read(chained, 2100, buffer));
}

TEST_CASE("an extent that lies elsewhere or has another length is corrupt", "[content][damage]") {
  const bool map = GENERATE(true, false);
  Image image;
  const Stored run = image.add_run(noise(1, 1000));
  const auto corrupt_with = [&](const content::ExtentMapElement& element) {
    Image broken = image;
    const Stored chained = broken.add_map(std::vector{element}, 4 << 20);
    return read_corrupt_at(broken.bytes(), chained, map);
  };
  CHECK_FALSE(corrupt_with(map_element(50, 1000, Form::run, run.location)).has_value());
  CHECK(corrupt_with(map_element(50, 1000, Form::run, run.location + 1)) == run.location + 1);
  CHECK(corrupt_with(map_element(50, 999, Form::run, run.location)) == run.location);
  CHECK(corrupt_with(map_element(50, 1000, Form::run, UINT64_MAX)) == UINT64_MAX);
  CHECK(corrupt_with(map_element(50, 1000, Form::run, 63)) == 63);
  CHECK(corrupt_with(map_element(50, 1000, Form::packed, 10)) == 10);
}

TEST_CASE("an extent map of an odd length, in no place, or for too large a file is corrupt", "[content][damage]") {
  const bool map = GENERATE(true, false);
  Image image;
  const Stored run = image.add_run(noise(1, 1000));
  const Stored good = image.add_map(std::vector{map_element(0, 1000, Form::run, run.location)}, 1000);
  const OpenImage open(image.bytes(), map);
  REQUIRE(open.read_all(good));
  const auto at = [&](Stored stored) {
    Bytes buffer(10);
    const auto read = open.reader().read(stored, 0, buffer);
    return corrupt_offset(read);
  };
  for (const std::uint64_t length : {23UL, 25UL, 48UL, UINT64_MAX, UINT64_MAX - UINT64_MAX % 24}) {
    Stored stored = good;
    stored.stored_length = length;
    CHECK(at(stored) == good.location);
  }
  Stored stored = good;
  stored.size = UINT64_MAX;
  CHECK(at(stored) == good.location);
  stored = good;
  stored.location = UINT64_MAX - 7;
  CHECK(at(stored) == UINT64_MAX - 7);
  Bytes bytes = image.bytes();
  flip(bytes, 8 * (good.location + 24));
  CHECK(read_corrupt_at(bytes, good, map) == good.location);
}

TEST_CASE("verify finds an unordered map that single reads pass over", "[content][damage]") {
  Image image;
  const Stored run = image.add_run(noise(1, 10));
  std::vector<content::ExtentMapElement> elements;
  elements.reserve(1000);
  for (std::uint64_t i = 0; i < 1000; ++i) elements.push_back(map_element(20 * i, 10, Form::run, run.location));
  std::swap(elements[700], elements[701]);
  const Stored chained = image.add_map(elements, 20'000);
  const OpenImage open(image.bytes(), GENERATE(true, false));
  Bytes buffer(10);
  CHECK(open.reader().read(chained, 100, buffer));
  const auto verified = open.reader().verify(chained);
  REQUIRE_FALSE(verified);
  CHECK(corrupt_offset(verified) == chained.location + 24 * 701);
}

TEST_CASE("a small content is hashed at every read, so that a later change in place is seen", "[content][damage]") {
  const bool map = GENERATE(true, false);
  const std::size_t length = GENERATE(as<std::size_t>(), 1, 128, 512);
  Image image;
  const Stored run = image.add_run(noise(1, length));
  OpenImage open(image.bytes(), map);
  REQUIRE(open.read_all(run));
  open.overwrite(run.location + length / 2, image.bytes()[run.location + length / 2] ^ std::byte{1});
  const auto again = open.read_all(run);
  REQUIRE_FALSE(again);
  CHECK(corrupt_offset(again) == run.location);
}

TEST_CASE("what is read without a mapping was verified then, whatever was verified before", "[content][damage]") {
  Image image;
  const Bytes raw = noise(1, 2 * 262'144 + 1000);
  const Stored run = image.add_run(raw);
  OpenImage open(image.bytes(), false);
  REQUIRE(open.read_all(run));
  Bytes part(100);
  REQUIRE(open.reader().read(run, 5000, part));
  // The first block is now held in memory as it was; the second was read whole, and is not.
  open.overwrite(run.location + 5050, raw[5050] ^ std::byte{1});
  open.overwrite(run.location + 262'144 + 5050, raw[262'144 + 5050] ^ std::byte{1});
  REQUIRE(open.reader().read(run, 5000, part));
  CHECK(std::ranges::equal(part, std::span(raw).subspan(5000, 100)));
  CHECK(corrupt_offset(open.reader().read(run, 262'144 + 5000, part)) == run.location + 262'144);
  CHECK(corrupt_offset(open.reader().read(run, 262'144 + 7000, part)) == run.location + 262'144);
  CHECK(corrupt_offset(open.read_all(run)) == run.location);
}

TEST_CASE("verify hashes anew what reads have verified before", "[content][damage]") {
  const bool map = GENERATE(true, false);
  const bool packed = GENERATE(true, false);
  Image image;
  const Stored stored = packed ? image.add_packed(prose(1, 50'000), 15) : image.add_run(noise(1, 50'000));
  OpenImage open(image.bytes(), map);
  REQUIRE(open.read_all(stored));
  const std::uint64_t last = image.bytes().size() - 20;
  open.overwrite(last, image.bytes()[last] ^ std::byte{1});
  CHECK_FALSE(open.reader().verify(stored));
}

TEST_CASE("a file that shrinks while open gives an error, not bytes", "[content][damage]") {
  Image image;
  const Stored small = image.add_run(noise(1, 100));
  const Stored large = image.add_run(noise(2, 100'000));
  const Stored packed = image.add_packed(prose(3, 100'000), 12);
  const Stored chained = image.add_chained(noise(4, 100'000), 10'000);
  OpenImage open(image.bytes(), false);
  REQUIRE(open.read_all(large));
  open.truncate(80);
  for (const Stored& stored : {small, large, packed, chained}) {
    const auto read = open.read_all(stored);
    REQUIRE_FALSE(read);
    CHECK(read.error().code() == ErrorCode::corrupt);
    CHECK_FALSE(open.reader().verify(stored));
  }
}
