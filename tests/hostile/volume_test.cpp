// A volume over a pack that says wrong things: whatever it is told, no crash, and nothing that was made is left over.
#include <catch2/catch.hpp>
#include <random>

#include "base/bytes.h"
#include "hostile/sample.h"
#include "hostile/specimen.h"
#include "hostile/sweep.h"
#include "pack/name_hash.h"
#include "packfs/volume.h"
#include "support/packs.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;
using pack::Section;

namespace {

const std::vector<std::string>& places() {
  static const std::vector<std::string> paths{"link1",  "link2", "d",      "d/second", "d/deep", "d/deep/leaf",
                                              "d/none", "z",     "vast",   "packed",   "run",    "sym",
                                              "hole",   "empty", "z/last", "c",        "c/deep", "c/second",
                                              "x",      "z/y",   "d/l",    "fifo",     "chr",    "c/deep/leaf"};
  return paths;
}

/// One call or another; what it gives does not matter.
void call_something(Writable& volume, std::mt19937& random) {
  const auto any = [&]() -> const std::string& { return places()[random() % places().size()]; };
  const std::string& path = any();
  const std::string& other = any();
  switch (random() % 14) {
    case 0:
      return void(volume.write(path, bytes_of("written")));
    case 1:
      return void(volume.append(path, bytes_of("appended")));
    case 2:
      return void(volume.truncate(path, random() % 1000));
    case 3:
      return void(volume.make_directory(path));
    case 4:
      return void(volume.remove_directory(path));
    case 5:
    case 6:
      return void(volume.unlink(path));
    case 7:
      return void(volume.remove_tree(path));
    case 8:
    case 9:
      return void(volume.rename(path, other, random() % 3 == 0 ? RenameMode::exchange : RenameMode::replace));
    case 10:
      return void(volume.clone(path, other));
    case 11:
      return void(volume.link(path, other));
    case 12:
      return void(volume.chmod(path, 0600));
    default:
      return void(volume.set_xattr(path, "user.x", bytes_of("value")));
  }
}

void look_everywhere(const View& view, const std::string& path, unsigned depth) {
  for (const Result<Entry>& entry : view.list(path)) {
    if (!entry) return;
    const std::string child = path.empty() ? std::string(entry->name()) : path + "/" + std::string(entry->name());
    std::array<std::byte, 64> buffer{};
    static_cast<void>(entry->stat());
    static_cast<void>(view.lstat(child));
    static_cast<void>(view.xattrs(child));
    static_cast<void>(view.readlink(child));
    static_cast<void>(view.read(child, buffer));
    static_cast<void>(view.totals(child));
    if (entry->type() == FileType::directory && depth != 0) look_everywhere(view, child, depth - 1);
  }
}

void use(std::span<const std::byte> bytes, unsigned seed) {
  const auto open = open_bytes(bytes, ReadMode::mmap);
  if (!open) return;
  auto made = Volume::memory(open->pack);
  if (!made) return;
  Volume volume = std::move(*made);
  std::mt19937 random(seed);
  static_cast<void>(volume.unlink("vast"));  // 5 GiB, which a diff would read
  const Snapshot before = volume.snapshot();
  for (unsigned i = 0; i < 40; ++i) call_something(volume, random);
  if (auto transaction = volume.begin()) {
    for (unsigned i = 0; i < 20; ++i) call_something(*transaction, random);
    if (random() % 2 == 0) static_cast<void>(transaction->commit());
  }
  look_everywhere(volume.snapshot(), "", 8);
  static_cast<void>(diff(before, volume.snapshot()));
}

}  // namespace

TEST_CASE("a file with more names than its pack says is lost to a volume once those are gone", "[hostile][volumes]") {
  PackEditor editor(specimen());
  editor.element<pack::LinkElement>(Section::links, 0).nlink.set(GENERATE(as<std::uint64_t>(), 0, 1, 2));
  const auto bytes = editor.seal();
  const auto open = open_bytes(bytes, ReadMode::mmap);
  REQUIRE(open);
  Volume volume = *Volume::memory(open->pack);
  must(volume.rename("link1", "moved"));
  must(volume.unlink("link2"));
  must(volume.unlink("d/second"));
  const auto stat = volume.stat("moved");
  CHECK((stat || stat.error().code() == ErrorCode::corrupt));
  bool is_listed = false;
  for (const Result<Entry>& entry : volume.list()) is_listed = is_listed || !entry || entry->name() == "moved";
  CHECK(is_listed);
  static_cast<void>(volume.unlink("moved"));
  CHECK(volume.totals());
}

TEST_CASE("a directory with linked names that lookups do not find is cloned, or refused as damaged",
          "[hostile][volumes]") {
  const TempDir directory;
  build_pack(directory.path("pack"), [](PackBuilder& builder) {
    must(builder.add_directory("d", kPlain));
    must(builder.add_directory("d/sub", kPlain));
    must(builder.add_file("d/sub/name", kPlain, bytes_of("linked")));
    must(builder.add_link("d/sub/other", "d/sub/name"));
  });
  PackEditor editor(read_host_file(directory.path("pack")));
  const std::string hidden = GENERATE("name", "sub");
  auto& hash = editor.section(Section::hash);
  for (std::uint64_t at = 0; at < hash.size(); at += 8) {
    const auto slot = base::load_le<std::uint64_t>(hash.data() + at);
    if (slot != 0 && pack::slot_entry(slot) == editor.entry(hidden)) base::store_le(hash.data() + at, std::uint64_t{0});
  }
  const auto bytes = editor.seal();
  const auto open = open_bytes(bytes, ReadMode::mmap);
  REQUIRE(open);
  Volume volume = *Volume::memory(open->pack);
  const auto cloned = volume.clone("d", "copy");
  REQUIRE_FALSE(cloned);
  CHECK(cloned.error().code() == ErrorCode::corrupt);
  CHECK_FALSE(*volume.exists("copy"));
}

TEST_CASE("whatever numbers a pack gives, a volume over it can be changed and read", "[hostile][volumes]") {
  constexpr unsigned kRounds = 4;
  PackEditor editor(specimen());
  std::uint64_t cases = 0;
  const auto try_all = [&](const std::string& where, std::byte* number) {
    const auto current = base::load_le<std::uint64_t>(number);
    for (const std::uint64_t value : hostile_values(current, 8, {2, 3})) {
      ++cases;
      if (!sampled(where + " = " + std::to_string(value))) continue;
      base::store_le(number, value);
      const auto bytes = editor.seal();
      for (unsigned round = 0; round < kRounds; ++round) use(bytes, static_cast<unsigned>(cases) * kRounds + round);
    }
    base::store_le(number, current);
  };
  for (const Section section : {Section::directories, Section::hash, Section::links}) {
    auto& bytes = editor.section(section);
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      try_all(std::to_string(static_cast<int>(section)) + " at " + std::to_string(at), bytes.data() + at);
    }
  }
  try_all("next inode", reinterpret_cast<std::byte*>(&editor.footer().next_inode));
  try_all("next link id", reinterpret_cast<std::byte*>(&editor.footer().next_link_id));
  CHECK(cases > 800);
}
