#pragma once

#include <string>
#include <string_view>

#include "corpus/corpus.h"
#include "recorder.h"

namespace packfs::bench {

/// Where the stores of one corpus lie.
struct Stores {
  std::string pack;
  std::string lmdb;
  std::string tree;  ///< host files
  std::string filesystem;
};

/// Rows for one corpus, everything in the page cache: random read by path, stat, a miss, and listing every directory;
/// packfs (mapped, and with pread), LMDB, host files. Checks first that all of them return what the corpus says.
void measure_lookups(Recorder& recorder, const Corpus& corpus, const Stores& stores);

/// Rows for bytes in the pack beyond contents, for each entry.
void record_overhead(Recorder& recorder, const Corpus& corpus, const Stores& stores);

/// Part of the conditions of most rows.
inline constexpr std::string_view kOrdinaryMemory =
    "no huge pages asked for, no memory recycled from other rows' data (a process for each group)";

/// A corpus's name as part of a row's id.
[[nodiscard]] std::string id_part(const Corpus& corpus);

}  // namespace packfs::bench
