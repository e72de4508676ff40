#include "rows/journal_groups.h"

#include "base/io.h"
#include "check.h"
#include "log/group_reader.h"
#include "store/directory.h"
#include "store/segment_file.h"

namespace packfs::bench {

std::vector<std::size_t> journal_groups(const std::string& store) {
  const auto directory = must(store::Directory::open(base::system_io(), store), store);
  const auto manifest = must(directory.manifest(), store);
  must_hold(manifest && manifest->segments.size() == 1, store + ": not one segment");
  const auto segment = must(store::SegmentFile::open(directory, manifest->segments.front().id), store);
  const content::Source& source = segment->source();
  log::GroupReader groups(source, segment->header().segment_id, sizeof(log::FileHeader), source.length(), 0);
  std::vector<std::size_t> bytes;
  for (;;) {
    const auto group = must(groups.next(), store);
    if (!group) return bytes;
    if (!group->is_closed) bytes.push_back(static_cast<std::size_t>(group->end - group->begin));
  }
}

}  // namespace packfs::bench
