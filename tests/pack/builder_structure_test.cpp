#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "pack/builder_model.h"
#include "pack/builder_raw.h"
#include "pack/format.h"
#include "packfs/packfs.h"
#include "support/packs.h"
#include "support/seed.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;
using pack::Section;

namespace {

RawPack built(const std::function<void(PackBuilder&)>& fill, const BuildOptions& options = {}) {
  const TempDir dir;
  build_pack(dir.path("a.pack"), fill, options);
  return RawPack(read_host_file(dir.path("a.pack")));
}

/// Many small entries of every kind, over several index pages.
RawPack built_tree(std::uint64_t seed, std::size_t entries = 3000) {
  Random random(seed);
  const ModelNode tree = random_tree(random, entries);
  const auto steps = steps_of(tree, random);
  return built([&](PackBuilder& builder) { add_steps(builder, steps, random); },
               {.codec = {.kind = Codec::Kind::zstd, .level = 1}, .root = tree.attributes});
}

/// One tree for all tests that only look: building it takes longer than looking.
const RawPack& tree_pack() {
  static const RawPack pack = built_tree(test_seed());
  return pack;
}

std::uint64_t as_u64(std::span<const std::byte> bytes, std::uint64_t at) {
  return base::load_le<std::uint64_t>(bytes.data() + at);
}

/// Which directory each entry is in: tables follow one another in the order of their numbers.
std::vector<std::uint64_t> directories_of(const RawPack& pack, const std::vector<RawEntry>& entries) {
  std::vector<std::uint64_t> numbers{0};
  std::uint64_t number = 0;
  for (const auto& directory : pack.elements<pack::DirectoryElement>(Section::directories)) {
    for (std::uint64_t i = 0; i < directory.entry_count.get(); ++i) numbers.push_back(number);
    ++number;
  }
  REQUIRE(numbers.size() == entries.size());
  return numbers;
}

}  // namespace

TEST_CASE("an empty pack has the bytes that the format tells", "[pack][structure]") {
  const RawPack pack = built([](PackBuilder&) {});
  const auto header = pack.bytes().first(64);
  CHECK(text_of(header.first(8)) == std::string("\x89PFS\r\n\x1A\n", 8));
  CHECK(base::load_le<std::uint32_t>(header.data() + 8) == 1);
  CHECK(as_u64(header, 16) == 0x5061636B46530001);
  CHECK(as_u64(header, 56) == base::xxh3(header.first(56)));

  const auto log = pack.log();
  REQUIRE(log.size() == 2);
  CHECK(log[0].type == 1);
  CHECK(log[0].name.empty());
  CHECK(log[1].type == 13);
  const auto& footer = pack.footer();
  CHECK(footer.version.get() == 1);
  CHECK(footer.footer_length.get() == 512);
  CHECK(footer.total_length.get() == pack.bytes().size());
  CHECK(footer.log_end.get() == log[1].next);
  CHECK(footer.segment_id.get() == 0x5061636B46530001);
  CHECK(footer.record_count.get() == 2);
  CHECK(footer.directory_count.get() == 1);
  CHECK(footer.entry_count.get() == 0);
  CHECK(footer.next_inode.get() == 2);
  CHECK(footer.next_link_id.get() == 1);
  CHECK(footer.hash_seed.get() == 0);
  CHECK(footer.hash_slots.get() == 1);
  CHECK(footer.max_probe.get() == 0);
  CHECK(footer.page_log2.get() == 14);
  CHECK(as_u64(pack.section(Section::hash), 0) == 0);
  const auto entries = pack.entries();
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].name.empty());
  CHECK(entries[0].type == 2);
  CHECK(entries[0].inode == 1);
  CHECK(pack.section(Section::xattrs).empty());
  CHECK(pack.section(Section::links).empty());
  CHECK(pack.section(Section::dependencies).empty());
  CHECK(pack.section(Section::attribute_sets).size() == 16);
}

TEST_CASE("every record is sound and the log is the root, then anything, then one commit of all", "[pack][structure]") {
  const RawPack& pack = tree_pack();
  const auto log = pack.log();
  CHECK(std::ranges::all_of(log, &RawRecord::is_sound));
  CHECK(log.front().type == 1);
  CHECK(log.back().type == 13);
  CHECK(std::ranges::count(log, 13U, &RawRecord::type) == 1);
  CHECK(pack.footer().record_count.get() == log.size());
  CHECK(std::ranges::any_of(log, [](const RawRecord& each) { return each.content_length >= 65536; }));
  std::set<unsigned> types;
  std::set<std::pair<unsigned, unsigned>> forms;
  for (const RawRecord& record : log) {
    types.insert(record.type);
    if (record.type == 2) forms.emplace(record.type, record.form);
  }
  CHECK(types == std::set<unsigned>{1, 2, 3, 4, 5, 13, 16, 17});
  CHECK(forms.size() == 4);
}

TEST_CASE("index records hold the sections in order, where the footer says they are", "[pack][structure]") {
  const RawPack& pack = tree_pack();
  std::size_t number = 0;
  for (const RawRecord& record : pack.index()) {
    CHECK(record.is_sound);
    CHECK(record.type == 15);
    do ++number;
    while (number <= pack::kSections && pack.footer().sections[number - 1].length.get() == 0);
    REQUIRE(number <= pack::kSections);
    CHECK(pack.footer().sections[number - 1].offset.get() == record.content);
    CHECK(pack.footer().sections[number - 1].length.get() == record.content_length);
  }
  CHECK(number == pack::kSections);
}

TEST_CASE("every page of the index has its checksum, up to the footer's", "[pack][structure]") {
  const RawPack& pack = tree_pack();
  const auto checksums = [&](std::size_t first, std::size_t last) {
    std::vector<std::byte> bytes;
    for (std::size_t number = first; number <= last; ++number) {
      const auto all = pack.section(static_cast<Section>(number));
      for (std::size_t at = 0; at < all.size(); at += 16384) {
        bytes.resize(bytes.size() + 8);
        const auto page = all.subspan(at, std::min<std::size_t>(16384, all.size() - at));
        base::store_le<std::uint64_t>(bytes.data() + bytes.size() - 8, base::xxh3(page));
      }
    }
    return bytes;
  };
  CHECK(std::ranges::equal(pack.section(Section::page_checksums), checksums(1, 7)));
  CHECK(std::ranges::equal(pack.section(Section::root_checksums), checksums(8, 8)));
  CHECK(pack.footer().root_checksum.get() == base::xxh3(pack.section(Section::root_checksums)));
  const auto footer = pack.bytes().last(512);
  CHECK(pack.footer().checksum.get() == base::xxh3(footer.first(504)));
}

TEST_CASE("runs have a checksum for each block and a source length when they are long", "[pack][structure]") {
  Random random(1);
  const Bytes content = noise(random, 1048577);
  const RawPack pack = built([&](PackBuilder& builder) {
    must(builder.add_file("long", {}, std::span<const std::byte>(content)));
    must(builder.add_file("short", {}, std::span(content).first(1048576)));
  });
  const auto log = pack.log();
  REQUIRE(log.size() == 4);
  CHECK(log[1].trailer_length == 6 * 8);
  CHECK(log[2].trailer_length == 4 * 8);
  for (const RawRecord& record : {log[1], log[2]}) {
    CHECK(record.content % 4096 == 0);
    const auto stored = pack.bytes().subspan(record.content, record.content_length);
    CHECK(std::ranges::equal(stored, std::span(content).first(record.content_length)));
    const std::uint64_t trailer = record.content + record.content_length;
    for (std::uint64_t block = 0; block * 262144 < record.content_length; ++block) {
      const auto bytes =
          stored.subspan(block * 262144, std::min<std::uint64_t>(262144, stored.size() - block * 262144));
      CHECK(as_u64(pack.bytes(), trailer + 8 * block) == base::xxh3(bytes));
    }
  }
  CHECK(as_u64(pack.bytes(), log[1].content + log[1].content_length + 40) == 1048577);
}

TEST_CASE("the pack id covers the checksums of all records in their order", "[pack][structure]") {
  const RawPack& pack = tree_pack();
  base::Xxh3Stream128 stream;
  for (const RawRecord& record : pack.records(64, pack.bytes().size() - 512)) {
    stream.update(pack.bytes().subspan(record.offset, 8));
    const std::uint64_t trailer = record.content + record.content_length;
    if (record.form == 1) stream.update(pack.bytes().subspan(trailer, record.trailer_length));
    if (record.form != 2) continue;
    // The blocks' stored lengths add up to what is behind the table: that is where the table ends.
    std::uint64_t table = record.content + 4;
    std::uint64_t stored = 0;
    while (table + stored < trailer) {
      stored += base::load_le<std::uint32_t>(pack.bytes().data() + table) & 0x0FFFFFFFU;
      stream.update(pack.bytes().subspan(table + 4, 8));
      table += 12;
    }
    CHECK(table + stored == trailer);
  }
  CHECK(stream.digest() == pack.footer().pack_id);
}

TEST_CASE("tables are sorted, marked, and where their directories say", "[pack][structure]") {
  const RawPack& pack = tree_pack();
  const auto entries = pack.entries();
  const auto numbers = directories_of(pack, entries);
  const auto directories = pack.elements<pack::DirectoryElement>(Section::directories);
  REQUIRE(directories.size() > 20);
  CHECK(entries[0].name.empty());
  std::size_t next = 1;
  for (std::size_t number = 0; number < directories.size(); ++number) {
    const auto& directory = directories[number];
    const std::size_t count = directory.entry_count.get();
    const std::uint64_t before = entries[next - 1].offset + entries[next - 1].bytes;
    if (count == 0) {
      CHECK(directory.table_offset.get() == before);
      CHECK(directory.table_length.get() == 0);
      continue;
    }
    CHECK(directory.table_offset.get() == entries[next].offset);
    const RawEntry& last = entries[next + count - 1];
    CHECK(directory.table_offset.get() + directory.table_length.get() == last.offset + last.bytes);
    for (std::size_t i = next; i < next + count; ++i) {
      CHECK(entries[i].first_in_table == (i == next));
      if (i > next) CHECK(entries[i - 1].name < entries[i].name);
      if (entries[i].type != 2) continue;
      CHECK(directories[entries[i].location].self_entry.get() == entries[i].offset);
      CHECK(directories[entries[i].location].parent.get() == number);
      CHECK(entries[i].location > number);
    }
    next += count;
  }
  CHECK(next == entries.size());
  CHECK(pack.section(Section::entries).size() > 5 * 16384);
}

TEST_CASE("totals of directories count everything below them", "[pack][structure]") {
  const RawPack& pack = tree_pack();
  const auto entries = pack.entries();
  const auto numbers = directories_of(pack, entries);
  const auto directories = pack.elements<pack::DirectoryElement>(Section::directories);
  struct Sum {
    std::uint64_t entries = 0, bytes = 0, linked = 0, subdirectories = 0;
  };
  std::vector<Sum> sums(directories.size());
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].type == 2) ++sums[numbers[i]].subdirectories;
    for (std::uint64_t at = numbers[i];; at = directories[at].parent.get()) {
      ++sums[at].entries;
      if (entries[i].type == 1) sums[at].bytes += entries[i].size;
      if (entries[i].link_id != 0) ++sums[at].linked;
      if (at == 0) break;
    }
  }
  for (std::size_t i = 0; i < directories.size(); ++i) {
    CHECK(directories[i].total_entries.get() == sums[i].entries);
    CHECK(directories[i].total_bytes.get() == sums[i].bytes);
    CHECK(directories[i].total_linked.get() == sums[i].linked);
    CHECK(directories[i].subdirectory_count.get() == sums[i].subdirectories);
  }
  CHECK(pack.footer().total_bytes.get() == sums[0].bytes);
  CHECK(pack.footer().total_linked.get() == sums[0].linked);
  CHECK(pack.footer().entry_count.get() == sums[0].entries);
  CHECK(sums[0].linked > 0);
}

TEST_CASE("the hash is placed by the rule of the format", "[pack][structure]") {
  const RawPack& pack = tree_pack();
  const auto entries = pack.entries();
  const auto numbers = directories_of(pack, entries);
  const std::uint64_t slots = pack.footer().hash_slots.get();
  CHECK(slots == pack.footer().entry_count.get() * 5 / 4 + 1);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> placed;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    placed.emplace_back(base::xxh3(bytes_of(entries[i].name), pack.footer().hash_seed.get() + numbers[i] * kFactor),
                        entries[i].offset);
  }
  std::ranges::sort(placed);
  std::map<std::uint64_t, std::uint64_t> table;
  std::uint64_t greatest = 0;
  for (const auto& [hash, offset] : placed) {
    __extension__ using Wide = unsigned __int128;
    const auto home = static_cast<std::uint64_t>((Wide{hash} * slots) >> 64);
    std::uint64_t slot = home;
    while (table.contains(slot)) ++slot;
    table[slot] = (hash & 0xFFFFFF) << 40 | (offset / 4 + 1);
    greatest = std::max(greatest, slot - home);
  }
  CHECK(pack.footer().max_probe.get() == greatest);
  const auto section = pack.section(Section::hash);
  REQUIRE(section.size() == 8 * (slots + greatest));
  for (std::uint64_t slot = 0; slot < slots + greatest; ++slot) {
    const auto expected = table.contains(slot) ? table[slot] : 0;
    if (as_u64(section, 8 * slot) != expected) FAIL_CHECK("slot " << slot);
  }
}

TEST_CASE("attribute sets and xattr lists are numbered by first use in the order of the entries", "[pack][structure]") {
  const RawPack& pack = tree_pack();
  std::uint32_t next_set = 0;
  std::uint64_t next_list = 0;
  const auto lists = pack.section(Section::xattrs);
  for (const RawEntry& entry : pack.entries()) {
    CHECK(entry.attribute_set <= next_set);
    if (entry.attribute_set == next_set) ++next_set;
    if (!entry.has_xattrs) continue;
    CHECK(entry.xattrs <= next_list);
    if (entry.xattrs != next_list) continue;
    const std::uint64_t length = base::load_le<std::uint32_t>(lists.data() + next_list);
    next_list += (8 + length + 7) / 8 * 8;
  }
  CHECK(next_set == pack.elements<pack::AttributeSet>(Section::attribute_sets).size());
  CHECK(next_list == lists.size());
  CHECK(next_list > 0);
  std::set<std::string> sets;
  for (const auto& set : pack.elements<pack::AttributeSet>(Section::attribute_sets)) {
    sets.insert(text_of(std::as_bytes(std::span(&set, 1))));
  }
  CHECK(sets.size() == next_set);
}

TEST_CASE("every group of linked names stands in the links, ascending", "[pack][structure]") {
  const RawPack& pack = tree_pack();
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> groups;  // link id: inode, names
  std::set<std::uint64_t> single;
  for (const RawEntry& entry : pack.entries()) {
    if (entry.link_id == 0) {
      CHECK(single.insert(entry.inode).second);
      continue;
    }
    auto& [inode, names] = groups[entry.link_id];
    if (names > 0) CHECK(inode == entry.inode);
    inode = entry.inode;
    ++names;
  }
  const auto links = pack.elements<pack::LinkElement>(Section::links);
  REQUIRE(links.size() == groups.size());
  std::uint64_t id = 0;
  for (const auto& link : links) {
    CHECK(link.link_id.get() == ++id);
    CHECK(link.inode.get() == groups[id].first);
    CHECK(link.nlink.get() == groups[id].second);
    CHECK(link.nlink.get() >= 2);
    CHECK(!single.contains(link.inode.get()));
  }
  CHECK(pack.footer().next_link_id.get() == id + 1);
  CHECK(id > 3);
}

TEST_CASE("entries fill their pages exactly when they fit exactly", "[pack][structure]") {
  // The root's entry is 32 bytes; 127 entries of 128 bytes follow in the first page, then 96 bytes are left.
  const RawPack pack = built([](PackBuilder& builder) {
    for (int i = 100; i < 400; ++i)
      must(builder.add_special(std::string(93, 'n') + std::to_string(i), {}, FileType::fifo));
  });
  const auto entries = pack.entries();
  REQUIRE(entries.size() == 301);
  CHECK(entries[127].offset == 32 + 126 * 128);
  CHECK(entries[128].offset == 16384);
  CHECK(entries[128 + 127].offset == 16384 + 127 * 128);
  CHECK(entries[128 + 128].offset == 2 * 16384);
}
