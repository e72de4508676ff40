#pragma once

#include <array>
#include <string>

#include "arms/lmdb_store.h"
#include "arms/pack_store.h"
#include "check.h"
#include "corpus/corpus.h"
#include "corpus/lookups.h"

namespace packfs::bench {

/// Ends the program unless the store returns the bytes and attributes of every file of the corpus, and nothing under
/// the names that miss.
template <class Store>
void must_agree(const Store& store, const Corpus& corpus, const Lookups& lookups, const std::string& who) {
  std::array<std::byte, kMaxFileBytes> buffer;
  Status status;
  for (std::size_t i = 0; i < lookups.hits.size(); ++i) {
    const CorpusFile& file = corpus.files[lookups.files[i]];
    const std::vector<std::byte> expected = content_of(file);
    must_hold(store.read(lookups.hits[i], buffer) == expected.size() &&
                  std::equal(expected.begin(), expected.end(), buffer.begin()),
              who + ": wrong bytes in " + file.path);
    must_hold(store.status(lookups.hits[i], status) && status == status_of(file), who + ": wrong stat of " + file.path);
    must_hold(!store.status(lookups.misses[i], status) && store.read(lookups.misses[i], buffer) == Store::kMissing,
              who + ": finds what is not there, beside " + file.path);
  }
}

/// The directories of the corpus, the root ("") included.
[[nodiscard]] std::vector<std::string> all_directories(const Corpus& corpus);

/// Ends the program unless both list every name, in order within its directory.
void must_list(const PackStore& store, const Corpus& corpus);
void must_list(const LmdbStore& store, const Corpus& corpus);

}  // namespace packfs::bench
