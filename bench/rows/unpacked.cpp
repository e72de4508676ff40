#include "rows/unpacked.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <vector>

#include "arms/raw_tree.h"
#include "check.h"

namespace packfs::bench {

namespace {

/// Every file in whole blocks, as many again for directories, and the journal.
std::uint64_t room_for(const Corpus& corpus) {
  constexpr std::uint64_t kBlock = 4096;
  constexpr std::uint64_t kJournal = 256ULL << 20;
  return 2 * corpus.entries() * kBlock + corpus.bytes() + kJournal;
}

bool keeps(Keeps what, const Status& found, Status expected) {
  if (what == Keeps::whole_seconds) expected.mtime.nanoseconds = 0;
  return what == Keeps::none || found == expected;
}

}  // namespace

UnpackTarget::UnpackTarget(const Settings& settings, const Corpus& corpus)
    : filesystem_(settings.directory, "unpacked", corpus.entries() * 2, room_for(corpus)),
      path_(filesystem_.path() + "/tree") {
  std::filesystem::create_directory(path_);
}

void must_hold_corpus(const std::string& directory, const Corpus& corpus, Keeps what, const std::string& who) {
  const RawTree tree(directory);
  std::vector<std::byte> buffer(kMaxFileBytes);
  Status status;
  for (const CorpusFile& file : corpus.files) {
    const std::vector<std::byte> expected = content_of(file);
    const std::size_t length = tree.read(file.path, buffer);
    must_hold(length == expected.size() && std::equal(expected.begin(), expected.end(), buffer.begin()),
              who + ": wrong bytes in " + file.path);
    must_hold(tree.status(file.path, status) && keeps(what, status, status_of(file)),
              who + ": wrong attributes of " + file.path);
  }
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::recursive_directory_iterator(directory)) ++entries;
  must_hold(entries == corpus.entries(), who + ": another number of entries");
}

}  // namespace packfs::bench
