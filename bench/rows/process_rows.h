#pragma once

#include "recorder.h"

namespace packfs::bench {

/// A new process that opens a store and reads one file: workload W of 20,000 and of 2,000,000 files; packfs, LMDB, and
/// one host file. And the peak memory of building the larger pack.
void measure_processes(Recorder& recorder);

}  // namespace packfs::bench
