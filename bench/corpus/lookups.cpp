#include "corpus/lookups.h"

#include <numeric>
#include <utility>

#include "corpus/random.h"

namespace packfs::bench {

void PathList::add(std::string_view path) {
  text_.append(path);
  text_.push_back('\0');
  starts_.push_back(static_cast<std::uint32_t>(text_.size()));
}

Lookups::Lookups(const Corpus& corpus) : files(corpus.files.size()), bytes(corpus.bytes()) {
  std::iota(files.begin(), files.end(), 0U);
  Random random(files.size());
  for (std::size_t i = files.size(); i > 1; --i) std::swap(files[i - 1], files[random.below(i)]);
  for (const std::uint32_t file : files) {
    const std::string& path = corpus.files[file].path;
    hits.add(path);
    misses.add(path + "~");
  }
}

}  // namespace packfs::bench
