#include "arms/pack_store.h"

namespace packfs::bench {

PackInfo write_pack(const Corpus& corpus, const std::string& path) {
  BuildOptions options;
  options.root = attributes_of(directory_status());
  PackBuilder builder = must(PackBuilder::create(path, options), "create pack");
  const Attributes directory = attributes_of(directory_status());
  for (const std::string& each : corpus.directories) must(builder.add_directory(each, directory), "add directory");
  for (const CorpusFile& file : corpus.files) {
    must(builder.add_file(file.path, attributes_of(status_of(file)), content_of(file)), "add file");
  }
  return must(builder.finish(), "finish pack");
}

}  // namespace packfs::bench
