#pragma once

#include <cstddef>
#include <vector>

namespace packfs::testing {

/// A pack of a few KiB with every type of entry, every form of content and most optional fields:
///
///   /            root with an attribute     d/            directory with an attribute
///   blk, chr, fifo, sock                    d/deep/       directory
///   empty, hole (chained), packed, run      d/deep/leaf   a small run
///   link1, link2 (one file), old (mtime     d/none/       an empty directory
///   before 1970), setuid, sym, vast (a      d/second      a further name of link1
///   hole of 5 GiB)                          z/, z/last    after all others
[[nodiscard]] const std::vector<std::byte>& specimen();

/// A pack whose index has several pages in each of the larger sections: /many holds 1,500 files of 21-byte names,
/// /dirs 400 directories with one file each.
[[nodiscard]] const std::vector<std::byte>& wide_specimen();

}  // namespace packfs::testing
