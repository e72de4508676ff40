#pragma once

#include "recorder.h"

namespace packfs::bench {

/// Files created one by one, each durable before the next: by one thread, on the work directory's filesystem and on a
/// rested one, and by eight.
void measure_durable_creates(Recorder& recorder);
/// Files created 500 at a time, each time one durable transaction.
void measure_durable_transactions(Recorder& recorder);
/// Opening a store whose files all stand in its journal: closed in order, and as a killed process leaves it.
void measure_replay(Recorder& recorder);

}  // namespace packfs::bench
