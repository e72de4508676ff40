// build_workload_pack PACK FILES: builds a pack of workload W, in a process of its own so that its memory can be told.
#include <cstdlib>
#include <string>

#include "check.h"
#include "corpus/corpus.h"
#include "packfs/packfs.h"

using namespace packfs::bench;  // NOLINT(google-build-using-namespace): all of this program is part of it

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  const auto files = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  auto builder = must(packfs::PackBuilder::create(argv[1]), "create pack");
  for (unsigned i = 0; i < files; ++i) {
    const std::string path = workload_path(i);
    if (i % kWorkloadDirectoryFiles == 0) {
      must(builder.add_directory(path.substr(0, path.find('/')), attributes_of(directory_status())), "add directory");
    }
    const CorpusFile file{.path = path, .size = kWorkloadFileBytes, .seed = i + 1};
    must(builder.add_file(path, attributes_of(status_of(file)), content_of(file)), "add file");
  }
  must(builder.finish(), "finish pack");
  return 0;
}
