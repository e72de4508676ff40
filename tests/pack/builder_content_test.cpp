#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/io.h"
#include "pack/builder_model.h"
#include "pack/builder_raw.h"
#include "pack/builder_sources.h"
#include "pack/output_file.h"
#include "pack/writer.h"
#include "packfs/packfs.h"
#include "support/packs.h"
#include "support/temp_dir.h"
#include "tree/table.h"

using namespace packfs;
using namespace packfs::testing;
using pack::Writer;

namespace {

constexpr std::size_t kMiB = 1048576;
constexpr std::size_t kBlock = 4096;
const Codec kZstd{.kind = Codec::Kind::zstd, .level = 3};

/// A writer into a temporary file, and what it wrote.
class Writing {
 public:
  explicit Writing(const Codec& codec = {})
      : file_(*pack::OutputFile::create(base::system_io(), dir_.path("a.pack"))),
        writer_(*Writer::create(base::system_io(), file_.descriptor(), {.codec = codec, .root = {}})) {}

  Result<Writer::Added> add(std::string_view name, tree::ContentSource& source) {
    return writer_->add_file(tree::Sink::kRoot, name, {}, source);
  }
  Result<Writer::Added> add(std::string_view name, const Bytes& bytes) {
    ScriptedSource source(bytes);
    return add(name, source);
  }
  Pack finish() {
    if (const auto info = writer_->finish(); !info) throw std::runtime_error(info.error().message());
    must(file_.commit());
    return open_pack(dir_.path("a.pack"));
  }
  RawPack raw() const { return RawPack(read_host_file(dir_.path("a.pack"))); }

 private:
  TempDir dir_;
  pack::OutputFile file_;
  std::unique_ptr<Writer> writer_;
};

/// The entry of that name.
RawEntry entry_of(const RawPack& pack, std::string_view name) {
  for (RawEntry& entry : pack.entries()) {
    if (entry.name == name) return entry;
  }
  throw std::runtime_error("no such entry");
}

Bytes content_of(const Pack& pack, const std::string& path) {
  auto file = pack.root().open(path);
  auto bytes = file ? file->read_all() : Result<Bytes>(std::unexpected(file.error()));
  if (!bytes) throw std::runtime_error(bytes.error().message());
  return std::move(*bytes);
}

std::vector<std::string> damage_of(const Pack& pack) {
  const auto report = pack.verify();
  std::vector<std::string> found;
  if (!report) return {report.error().message()};
  for (const Error& error : report->damage) found.push_back(error.message());
  return found;
}

unsigned form_of(const Bytes& bytes, const Codec& codec, bool stream = false) {
  Writing writing(codec);
  ScriptedSource source(bytes);
  if (stream) source.stream();
  REQUIRE(writing.add("f", source));
  const Pack pack = writing.finish();
  CHECK(damage_of(pack) == std::vector<std::string>{});
  CHECK(content_of(pack, "f") == bytes);
  return entry_of(writing.raw(), "f").form;
}

/// The stretches of data of a file, each begin and end.
std::vector<std::pair<std::uint64_t, std::uint64_t>> data_of(const Pack& pack, std::string_view name) {
  const View root = pack.root();
  const auto& table = root.table();
  const auto node = table->find(*table->root(), name);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  for (std::uint64_t at = 0;;) {
    const auto range = table->next_data(*node, at);
    REQUIRE(range);
    if (range->begin == range->end) return found;
    found.emplace_back(range->begin, range->end);
    at = range->end;
  }
}

void clear(Bytes& bytes, std::size_t begin, std::size_t end) {
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.begin() + static_cast<std::ptrdiff_t>(end),
            std::byte{0});
}

std::span<const std::byte> head(const Bytes& bytes, std::size_t count) { return std::span(bytes).first(count); }

/// Reads zeros everywhere but in one byte in the middle; reading it all would take hours.
class Sparse final : public tree::ContentSource {
 public:
  static constexpr std::uint64_t kSize = (std::uint64_t{1} << 62) + 5;
  static constexpr std::uint64_t kData = std::uint64_t{1} << 61;
  bool in_memory() const override { return false; }
  std::span<const std::byte> bytes() const override { return {}; }
  bool rereadable() const override { return true; }
  std::uint64_t expected_size() const override { return kSize; }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) override {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), kSize - offset));
    std::fill_n(buffer.begin(), count, std::byte{0});
    if (offset <= kData && kData < offset + count) buffer[static_cast<std::size_t>(kData - offset)] = std::byte{9};
    return count;
  }
  Result<std::uint64_t> next_data(std::uint64_t offset) override { return offset <= kData ? kData : kSize; }
};

enum Form : unsigned { none = 0, run = 1, packed = 2, chained = 3 };

}  // namespace

TEST_CASE("each content is stored in the form that suits it", "[pack][content]") {
  Random random(3);
  const Bytes easy = text(random, 3 * kMiB);
  const Bytes hard = noise(random, 3 * kMiB);
  const auto part = [](const Bytes& bytes, std::size_t size) {
    return Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
  };
  for (const bool stream : {false, true}) {
    CHECK(form_of({}, {}, stream) == none);
    CHECK(form_of({}, kZstd, stream) == none);
    CHECK(form_of(part(easy, 1), kZstd, stream) == run);
    for (const std::size_t size : {std::size_t{1}, kBlock, std::size_t{65536}, std::size_t{262145}, kMiB}) {
      CHECK(form_of(part(easy, size), {}, stream) == run);
      CHECK(form_of(part(hard, size), kZstd, stream) == run);
      if (size > 1) CHECK(form_of(part(easy, size), kZstd, stream) == packed);
    }
  }
  CHECK(form_of(part(easy, kMiB + 1), {}) == run);
  CHECK(form_of(part(hard, kMiB + 1), kZstd) == run);
  CHECK(form_of(part(easy, kMiB + 1), kZstd) == chained);
  CHECK(form_of(part(easy, kMiB + 1), {}, true) == chained);
  CHECK(form_of(part(easy, kMiB + 1), kZstd, true) == chained);
  CHECK(form_of(hard, {}) == run);
}

TEST_CASE("holes are whole zero blocks, wherever they are and whatever the source says", "[pack][content]") {
  using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  Random random(4);
  const Bytes full = noise(random, 2 * kMiB + 100);
  struct Case {
    std::size_t size, from, to;
    Ranges data;
  };
  const std::uint64_t end = full.size();
  const std::vector<Case> cases{
      {2 * kBlock, 0, kBlock, {{kBlock, 2 * kBlock}}},
      {2 * kBlock, kBlock, 2 * kBlock, {{0, kBlock}}},
      {kBlock, 0, kBlock, {}},
      {kBlock + 1, 0, kBlock + 1, {{kBlock, kBlock + 1}}},  // the short last block is never a hole
      {3 * kBlock, 1, 2 * kBlock, {{0, kBlock}, {2 * kBlock, 3 * kBlock}}},
      {3 * kBlock, 100, kBlock + 100, {{0, 3 * kBlock}}},  // not aligned
      {full.size(), kMiB - kBlock, kMiB + kBlock, {{0, kMiB - kBlock}, {kMiB + kBlock, end}}},
      {full.size(), 0, full.size(), {{2 * kMiB, end}}},
      {2 * kMiB, 0, 2 * kMiB, {}},
      {2 * kMiB, kMiB, 2 * kMiB, {{0, kMiB}}},
  };
  for (const Codec& codec : {Codec{}, kZstd}) {
    for (const Case& each : cases) {
      INFO("size " << each.size << " from " << each.from << " to " << each.to);
      Bytes bytes(full.begin(), full.begin() + static_cast<std::ptrdiff_t>(each.size));
      clear(bytes, each.from, each.to);
      Writing writing(codec);
      ScriptedSource plain(bytes);
      ScriptedSource hinting(bytes);
      ScriptedSource stream(bytes);
      REQUIRE(writing.add("plain", plain));
      REQUIRE(writing.add("hinting", hinting.hints()));
      REQUIRE(writing.add("stream", stream.stream()));
      const Pack pack = writing.finish();
      for (const char* name : {"plain", "hinting", "stream"}) {
        CHECK(content_of(pack, name) == bytes);
        CHECK(data_of(pack, name) == each.data);
      }
      CHECK(damage_of(pack) == std::vector<std::string>{});
      const RawPack raw = writing.raw();
      // The same extents, too.
      CHECK(entry_of(raw, "plain").form == entry_of(raw, "hinting").form);
      CHECK(entry_of(raw, "plain").stored_length == entry_of(raw, "hinting").stored_length);
    }
  }
}

TEST_CASE("a huge hole costs nothing when the source tells of it", "[pack][content]") {
  for (const Codec& codec : {Codec{}, kZstd}) {
    Writing writing(codec);
    Sparse sparse;
    const auto added = writing.add("f", sparse);
    REQUIRE(added);
    CHECK(added->size == Sparse::kSize);
    const Pack pack = writing.finish();
    CHECK(pack.info().file_bytes < 10000);
    CHECK(pack.root().stat("f")->size == Sparse::kSize);
    using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
    CHECK(data_of(pack, "f") == Ranges{{Sparse::kData, Sparse::kData + kBlock}, {Sparse::kSize - 5, Sparse::kSize}});
    CHECK(damage_of(pack) == std::vector<std::string>{});
  }
}

TEST_CASE("a source that shrinks is stored as far as it went", "[pack][content]") {
  Random random(5);
  const Bytes bytes = noise(random, 3 * kMiB);
  Bytes holey = bytes;
  clear(holey, kBlock, 2 * kBlock);
  // Reads of a plain large source: the first window, three of the scan, then those that are written.
  for (const std::uint64_t at : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{5}, std::uint64_t{6}}) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{1000}, kMiB, 2 * kMiB + 77}) {
      INFO("from read " << at << " on " << size << " bytes");
      Writing writing;
      ScriptedSource plain(bytes);
      ScriptedSource chain(holey);
      const auto added = writing.add("plain", plain.shrink(at, size));
      const auto chained_added = writing.add("chain", chain.shrink(at, size));
      REQUIRE(added);
      REQUIRE(chained_added);
      const Pack pack = writing.finish();
      CHECK(damage_of(pack) == std::vector<std::string>{});
      const auto stored = content_of(pack, "plain");
      CHECK(stored.size() == added->size);
      CHECK(added->size >= size);
      CHECK(std::ranges::equal(stored, head(bytes, stored.size())));
      CHECK(std::ranges::equal(content_of(pack, "chain"), head(holey, chained_added->size)));
    }
  }
}

TEST_CASE("a run whose source shrank is filled with zeros and tells how long it is", "[pack][content]") {
  Random random(6);
  const Bytes bytes = noise(random, 3 * kMiB);
  Writing writing;
  ScriptedSource source(bytes);
  const auto added = writing.add("f", source.shrink(6, kMiB + 10));
  REQUIRE(added);
  CHECK(added->size == kMiB + 10);
  const Pack pack = writing.finish();
  const RawPack raw = writing.raw();
  const RawEntry entry = entry_of(raw, "f");
  CHECK(entry.form == run);
  CHECK(entry.size == kMiB + 10);
  CHECK(entry.stored_length == 3 * kMiB);
  const auto filler = raw.bytes().subspan(entry.location + kMiB + 10, 2 * kMiB - 10);
  CHECK(std::ranges::all_of(filler, [](std::byte byte) { return byte == std::byte{0}; }));
  CHECK(base::load_le<std::uint64_t>(raw.bytes().data() + entry.location + 3 * kMiB + 12 * 8) == kMiB + 10);
  CHECK(std::ranges::equal(content_of(pack, "f"), head(bytes, kMiB + 10)));
}

TEST_CASE("what a source grew beyond its expected size is left out", "[pack][content]") {
  Random random(7);
  const Bytes bytes = noise(random, 3 * kMiB);
  Writing writing(GENERATE(Codec{}, kZstd));
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, kMiB, 2 * kMiB + 1}) {
    ScriptedSource source(bytes);
    const auto added = writing.add(std::to_string(size), source.expect(size));
    REQUIRE(added);
    CHECK(added->size == size);
  }
  const Pack pack = writing.finish();
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, kMiB, 2 * kMiB + 1}) {
    CHECK(std::ranges::equal(content_of(pack, std::to_string(size)), head(bytes, size)));
  }
}

TEST_CASE("a source that fails adds nothing, and the name can be given again", "[pack][content]") {
  Random random(8);
  const bool holes = GENERATE(false, true);
  const bool stream = GENERATE(false, true);
  const Codec codec = GENERATE(Codec{}, kZstd);
  Bytes bytes = text(random, 3 * kMiB);
  if (holes) clear(bytes, kBlock, 2 * kBlock);
  Writing writing(codec);
  REQUIRE(writing.add("before", Bytes(100, std::byte{1})));
  std::uint64_t failures = 0;
  for (std::uint64_t at = 1; at < 12; ++at) {
    ScriptedSource source(bytes);
    if (stream) source.stream();
    const auto added = writing.add("f", source.fail(at, 0));
    if (added) {
      CHECK(source.reads() < at);
      break;
    }
    CHECK(added.error().code() == ErrorCode::io_error);
    ++failures;
  }
  CHECK(failures >= 3);
  REQUIRE(writing.add("after", bytes));
  const Pack pack = writing.finish();
  CHECK(damage_of(pack) == std::vector<std::string>{});
  CHECK(pack.info().entries == 3);
  CHECK(content_of(pack, "f") == bytes);
  CHECK(content_of(pack, "after") == bytes);
  CHECK(pack.root().stat("after")->inode == pack.root().stat("f")->inode + 1);
}

TEST_CASE("a run whose source failed says so in its trailer", "[pack][content]") {
  Random random(9);
  const Bytes bytes = noise(random, 3 * kMiB);
  Writing writing;
  ScriptedSource source(bytes);
  const auto added = writing.add("f", source.fail(6, kMiB));
  REQUIRE(!added);
  const Pack pack = writing.finish();
  CHECK(pack.info().entries == 0);
  const auto log = writing.raw().log();
  REQUIRE(log.size() == 3);
  CHECK(log[1].type == 2);
  CHECK(log[1].form == run);
  CHECK(log[1].content_length == 3 * kMiB);
  const RawPack raw = writing.raw();
  CHECK(base::load_le<std::uint64_t>(raw.bytes().data() + log[1].content + 3 * kMiB + 12 * 8) == ~std::uint64_t{0});
  CHECK(damage_of(pack) == std::vector<std::string>{});
}

TEST_CASE("a small file whose source fails leaves no trace in the log", "[pack][content]") {
  const Bytes bytes(1000, std::byte{1});
  Writing writing;
  ScriptedSource source(bytes);
  REQUIRE(!writing.add("f", source.fail(1, 0)));
  writing.finish();
  CHECK(writing.raw().log().size() == 2);
}

TEST_CASE("a stream that claims more bytes than it was given room for is refused", "[pack][content]") {
  const TempDir dir;
  auto builder = PackBuilder::create(dir.path("a"));
  REQUIRE(builder);
  const auto added =
      builder->add_file("f", {}, [](std::span<std::byte> buffer) -> Result<std::size_t> { return buffer.size() + 1; });
  REQUIRE(!added);
  CHECK(added.error().code() == ErrorCode::invalid);
}

TEST_CASE("extents are cut at holes and at multiples of 1 MiB and never longer", "[pack][content]") {
  Random random(10);
  Bytes bytes = text(random, 4 * kMiB + 9);
  clear(bytes, kMiB / 2, kMiB / 2 + kBlock);
  Writing writing(GENERATE(Codec{}, kZstd));
  REQUIRE(writing.add("f", bytes));
  writing.finish();
  const RawPack raw = writing.raw();
  std::vector<std::uint64_t> begins;
  const RawEntry entry = entry_of(raw, "f");
  REQUIRE(entry.form == chained);
  for (std::uint64_t at = 0; at < entry.stored_length; at += 24) {
    begins.push_back(base::load_le<std::uint64_t>(raw.bytes().data() + entry.location + at));
  }
  CHECK(begins == std::vector<std::uint64_t>{0, kMiB / 2 + kBlock, kMiB, 2 * kMiB, 3 * kMiB, 4 * kMiB});
}
