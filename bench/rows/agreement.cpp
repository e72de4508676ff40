#include "rows/agreement.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace packfs::bench {

namespace {

std::vector<std::string> all_paths(const Corpus& corpus) {
  std::vector<std::string> paths = corpus.directories;
  for (const CorpusFile& file : corpus.files) paths.push_back(file.path);
  return paths;
}

}  // namespace

std::vector<std::string> all_directories(const Corpus& corpus) {
  std::vector<std::string> directories{""};
  directories.insert(directories.end(), corpus.directories.begin(), corpus.directories.end());
  return directories;
}

void must_list(const PackStore& store, const Corpus& corpus) {
  std::map<std::string, std::vector<std::string>> names_in;
  for (const std::string& path : all_paths(corpus)) {
    const std::size_t slash = path.rfind('/');
    const bool in_root = slash == std::string::npos;
    names_in[in_root ? "" : path.substr(0, slash)].push_back(in_root ? path : path.substr(slash + 1));
  }
  std::vector<std::string> expected;
  const std::vector<std::string> directories = all_directories(corpus);
  for (const std::string& directory : directories) {
    std::vector<std::string>& names = names_in[directory];
    std::ranges::sort(names);
    expected.insert(expected.end(), names.begin(), names.end());
  }
  std::vector<std::string> listed;
  store.list_all(directories, [&](std::string_view name) { listed.emplace_back(name); });
  must_hold(listed == expected, "packfs: lists other names");
}

void must_list(const LmdbStore& store, const Corpus& corpus) {
  std::vector<std::string> expected = all_paths(corpus);
  std::ranges::sort(expected);
  std::vector<std::string> listed;
  store.list_all([&](std::string_view path) { listed.emplace_back(path); });
  must_hold(listed == expected, "LMDB: lists other paths");
}

}  // namespace packfs::bench
