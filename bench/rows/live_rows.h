#pragma once

#include "recorder.h"
#include "rows/live_work.h"

namespace packfs::bench {

/// Which rows of a volume in memory are measured for a corpus.
enum class LivePeers : bool {
  fast,  ///< those that are compared, with what lies in memory
  all,   ///< host filesystems, SQLite, LevelDB and a syncing LMDB as well
};

/// Creating every file, one by one and in one transaction; removing them, in order and shuffled.
void measure_live_writes(Recorder& recorder, const LiveWork& work, LivePeers peers);
/// Eight threads, each of which creates, reads and removes files of its own directory.
void measure_live_threads(Recorder& recorder);
/// Random reads by path, stat, a miss, listing; in stores that hold the whole corpus.
void measure_live_reads(Recorder& recorder, const LiveWork& work, LivePeers peers);
/// Bytes that a file costs beyond its name and content.
void record_live_memory(Recorder& recorder, const LiveWork& work);

/// Files of 1, 16 and 64 MB, appended to in pieces of 64 KiB.
void measure_live_appends(Recorder& recorder);
/// Snapshots; renaming, cloning and removing large directories; diff.
void measure_live_trees(Recorder& recorder);
/// The same work with five times the files.
void measure_live_growth(Recorder& recorder);
/// How long single reads take while another thread writes.
void measure_live_latency(Recorder& recorder);

}  // namespace packfs::bench
