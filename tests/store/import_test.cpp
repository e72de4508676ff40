#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/system_io.h"
#include "content/content.h"
#include "host/buffer_source.h"
#include "host/export.h"
#include "host/import.h"
#include "store/stores.h"
#include "support/odd_tree.h"
#include "support/temp_dir.h"
#include "support/tree_compare.h"
#include "volume/transaction_sink.h"

using namespace packfs;
using namespace packfs::testing;
using volume::TransactionSink;

namespace {

constexpr const char* kMemory = "/dev/shm";  // keeps all attributes

/// All of a host directory into a directory of the volume, as one commit.
host::ImportReport import_into(Volume& volume, const std::string& source, const std::string& path) {
  auto transaction = volume.begin();
  REQUIRE(transaction);
  auto at = TransactionSink::at(*transaction, path);
  REQUIRE(at);
  TransactionSink& sink = *at;
  host::ImportReport report;
  const std::vector<std::string> sources{source};
  const auto imported = host::import_tree(base::system_io(), sources, sink, {}, report);
  INFO((imported ? "" : imported.error().message()));
  REQUIRE(imported);
  must(sink.finish());
  REQUIRE(transaction->commit());
  return report;
}

void export_to(const View& view, const std::string& target) {
  auto exporter = host::Exporter::open(base::system_io(), view, target, {.privileged = true});
  REQUIRE(exporter);
  REQUIRE(exporter->write_all());
  CHECK(exporter->report().exact());
}

Attributes attributes_of(std::uint32_t mode, std::int64_t seconds) {
  return {.mode = mode, .uid = 7, .gid = 8, .mtime = {seconds, 5}, .xattrs = {}};
}

/// Content that has to be read piece by piece, and may fail.
class Pieces final : public tree::ContentSource {
 public:
  Pieces(std::string bytes, std::size_t fails_at) : bytes_(std::move(bytes)), fails_at_(fails_at) {}
  [[nodiscard]] bool in_memory() const override { return false; }
  [[nodiscard]] std::span<const std::byte> bytes() const override { return {}; }
  [[nodiscard]] bool rereadable() const override { return false; }
  [[nodiscard]] std::uint64_t expected_size() const override { return 0; }
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) override {
    if (offset >= fails_at_) return std::unexpected(Error(ErrorCode::io_error));
    const std::size_t count = std::min({buffer.size(), bytes_.size() - offset, fails_at_ - offset});
    std::memcpy(buffer.data(), bytes_.data() + offset, count);
    return count;
  }
  [[nodiscard]] Result<std::uint64_t> next_data(std::uint64_t offset) override { return offset; }

 private:
  std::string bytes_;
  std::size_t fails_at_;
};

}  // namespace

TEST_CASE("an odd tree comes back as it was, through a store that was closed or killed", "[store][import]") {
  const TempDir directory(kMemory);
  const std::string source = directory.path("source");
  REQUIRE(::mkdir(source.c_str(), 0751) == 0);
  make_odd_tree(source);
  const std::string path = directory.path("store");
  const std::string killed = directory.path("killed");
  {
    Volume volume = open_store_at(path);
    must(volume.make_directory("in"));
    const Snapshot before = volume.snapshot();
    const auto report = import_into(volume, source, "in");
    CHECK(report.exact());
    CHECK(volume.totals("in")->entries == report.entries);
    CHECK(before.totals("in")->entries == 0);
    CHECK(volume.snapshot().commit() == before.commit() + 1);
    export_to(*volume.snapshot().directory("in"), directory.path("live"));
    copy_killed(path, killed);
  }
  CHECK(compare_trees(source, directory.path("live")) == std::vector<std::string>{});
  for (const std::string& from : {path, killed}) {
    export_to(*open_store_at(from).snapshot().directory("in"), directory.path("found"));
    CHECK(compare_trees(source, directory.path("found")) == std::vector<std::string>{});
    std::filesystem::remove_all(directory.path("found"));
  }
}

TEST_CASE("what comes in meets what is there: directories merge, else the new one counts", "[store][import]") {
  auto made = Volume::memory();
  Volume& volume = *made;
  must(volume.write("in/kept", bytes_of("kept"), make_parents));
  must(volume.write("in/file", bytes_of("old")));
  must(volume.write("outside", bytes_of("outside")));
  must(volume.symlink("../outside", "in/link"));
  must(volume.make_directories("in/dir/sub"));
  must(volume.symlink("dir", "in/to dir"));
  {
    auto transaction = volume.begin();
    auto at = TransactionSink::at(*transaction, "in");
    REQUIRE(at);
    TransactionSink& sink = *at;
    must(sink.set_root(attributes_of(0700, 1)));
    host::BufferSource bytes(bytes_of("new"));
    const auto root = TransactionSink::kRoot;
    REQUIRE(sink.add_file(root, "file", attributes_of(0600, 2), bytes));
    REQUIRE(sink.add_file(root, "link", attributes_of(0601, 3), bytes));
    CHECK(sink.add_file(root, "dir", attributes_of(0602, 4), bytes).error().code() == ErrorCode::exists);
    const auto dir = sink.add_directory(root, "dir", attributes_of(0710, 5));
    REQUIRE(dir);
    CHECK(sink.add_directory(root, "to dir", attributes_of(0711, 6)).error().code() == ErrorCode::exists);
    CHECK(sink.add_directory(root, "file", attributes_of(0711, 6)).error().code() == ErrorCode::exists);
    CHECK(sink.add_directory(root, "..", attributes_of(0711, 6)).error().code() == ErrorCode::invalid);
    CHECK(sink.add_directory(root, "a/b", attributes_of(0711, 6)).error().code() == ErrorCode::invalid);
    CHECK(sink.add_file(root, "bad", attributes_of(010000, 6), bytes).error().code() == ErrorCode::invalid);
    CHECK(sink.add_file(root, "kept", attributes_of(010000, 6), bytes).error().code() == ErrorCode::invalid);
    CHECK(sink.add_symlink(root, "kept", attributes_of(0777, 6), "").error().code() == ErrorCode::invalid);
    const auto entry = sink.add_symlink(*dir, "new link", attributes_of(0777, 7), "sub");
    REQUIRE(entry);
    must(sink.add_link(root, "second", *entry));
    must(sink.finish());
    REQUIRE(transaction->commit());
  }
  CHECK(read_text(volume, "in/kept") == "kept");
  CHECK(read_text(volume, "in/file") == "new");
  CHECK(read_text(volume, "in/link") == "new");
  CHECK(read_text(volume, "outside") == "outside");
  CHECK(volume.lstat("in/link")->type == FileType::regular);
  CHECK(*volume.exists("in/dir/sub"));
  CHECK(volume.stat("in/dir")->mode == 0710);
  CHECK(volume.stat("in/dir")->mtime == Time{5, 5});
  CHECK(volume.stat("in")->mtime == Time{1, 5});
  CHECK(volume.stat("in")->uid == 7);
  CHECK(volume.lstat("in/second")->nlink == 2);
  CHECK(volume.lstat("in/second")->mtime == Time{7, 5});
}

TEST_CASE("a content that fails half way leaves what was there", "[store][import]") {
  const TempDir directory;
  Volume volume = open_store_at(directory.path("store"));
  const std::string large(3'000'000, 'x');
  const std::string longest(255, 'n');
  must(volume.write(longest, bytes_of("old")));
  must(volume.chmod(longest, 0604));
  {
    auto transaction = volume.begin();
    auto at = TransactionSink::at(*transaction, "");
    REQUIRE(at);
    TransactionSink& sink = *at;
    Pieces failing(large, 2'500'000);
    CHECK(sink.add_file(TransactionSink::kRoot, longest, attributes_of(0600, 2), failing).error().code() ==
          ErrorCode::io_error);
    Pieces failing_too(large, 2'500'000);
    CHECK(sink.add_file(TransactionSink::kRoot, "fresh", attributes_of(0600, 2), failing_too).error().code() ==
          ErrorCode::io_error);
    Pieces good(large, SIZE_MAX);
    const auto added = sink.add_file(TransactionSink::kRoot, "good", attributes_of(0600, 2), good);
    REQUIRE(added);
    CHECK(added->size == large.size());
    must(sink.finish());
    REQUIRE(transaction->commit());
  }
  CHECK(volume.totals()->entries == 2);
  CHECK(read_text(volume, longest) == "old");
  CHECK(volume.stat(longest)->mode == 0604);
  CHECK(read_text(volume, "good") == large);
  CHECK(volume.stat("good")->mtime == Time{2, 5});
  {
    auto transaction = volume.begin();
    auto at = TransactionSink::at(*transaction, "");
    REQUIRE(at);
    TransactionSink& sink = *at;
    Pieces good(large, SIZE_MAX);
    REQUIRE(sink.add_file(TransactionSink::kRoot, longest, attributes_of(0600, 2), good));
    must(sink.finish());
    REQUIRE(transaction->commit());
  }
  CHECK(volume.totals()->entries == 2);
  CHECK(read_text(volume, longest) == large);
}

TEST_CASE("a sparse file of any size comes in with its holes", "[store][import]") {
  const TempDir directory(kMemory);
  const std::string source = directory.path("source");
  std::filesystem::create_directory(source);
  write_host_file(source + "/sparse", bytes_of("begin"));
  std::filesystem::resize_file(source + "/sparse", std::uintmax_t{1} << 40);
  const std::string path = directory.path("store");
  {
    Volume volume = open_store_at(path);
    const auto chunks = content::live_chunks();
    CHECK(import_into(volume, source, "").exact());
    CHECK(content::live_chunks() <= chunks + 1);
  }
  CHECK(std::filesystem::file_size(segment_of(path)) < 3'000'000);
  const Volume volume = open_store_at(path);
  CHECK(volume.stat("sparse")->size == std::uint64_t{1} << 40);
  export_to(volume.snapshot(), directory.path("found"));
  CHECK(compare_trees(source, directory.path("found")) == std::vector<std::string>{});
}
