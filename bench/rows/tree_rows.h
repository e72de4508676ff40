#pragma once

#include <string>

#include "corpus/corpus.h"
#include "recorder.h"
#include "rows/lookup_rows.h"

namespace packfs::bench {

/// Imports a host tree into an uncompressed pack at `path`, two threads, without a sync. Ends the program unless it is
/// exact.
void pack_tree(const std::string& tree, const std::string& path);

/// Building a pack from a host tree, against tar; both write a file and do not sync it.
void measure_build(Recorder& recorder, const Corpus& corpus, const Stores& stores);

/// Verifying a pack, one thread.
void measure_verify(Recorder& recorder, const Corpus& corpus, const Stores& stores);

/// Unpacking to ext4, against `tar xf` and `cp -r`; each time onto a new filesystem.
void measure_unpack(Recorder& recorder, const Corpus& corpus, const Stores& stores);

}  // namespace packfs::bench
