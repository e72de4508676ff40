#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <unordered_map>

#include "corpus/corpus.h"
#include "corpus/random.h"
#include "corpus/words.h"

namespace packfs::bench {

namespace {

constexpr std::uint64_t kSeed = 53'600;
constexpr std::uint32_t kMinFileBytes = 128;
constexpr double kMedianBytes = 900;
constexpr double kSigma = 0.9;

class RepositoryBuilder {
 public:
  explicit RepositoryBuilder(const RepositoryShape& shape) : shape_(shape) {}

  Corpus build() {
    corpus_.name = "repository tree";
    make_own_directories();
    make_module_directories();
    add_own_files();
    add_module_files();
    draw_sizes();
    meet_total();
    return std::move(corpus_);
  }

 private:
  const std::string& directory(std::string path) { return corpus_.directories.emplace_back(std::move(path)); }

  /// Two words in camel case and how many files the directory has by now, which makes the name unlike all others.
  void file(const std::string& directory, std::string_view extension) {
    std::string name(random_word(random_));
    std::string second(random_word(random_));
    second.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(second.front())));
    name += second + std::to_string(++files_in_[directory]);
    fixed_file(directory, name + std::string(extension));
  }

  void fixed_file(const std::string& directory, const std::string& name) {
    corpus_.files.push_back({directory + "/" + name, 0, kSeed + corpus_.files.size()});
  }

  void make_own_directories() {
    constexpr unsigned kFilesOfFeature = 32;
    constexpr unsigned kFilesOfPackage = 130;
    directory("src");
    for (unsigned i = 0; i < shape_.own_files / kFilesOfFeature; ++i) {
      own_.push_back(directory("src/" + std::string(random_word(random_)) + std::to_string(i)));
    }
    directory("packages");
    for (unsigned i = 0; i < shape_.own_files / kFilesOfPackage; ++i) {
      const std::string root = directory("packages/" + std::string(random_word(random_)) + std::to_string(i));
      own_.push_back(directory(root + "/src"));
      own_.push_back(directory(root + "/src/components"));
      own_.push_back(directory(root + "/test"));
    }
  }

  void make_module(const std::string& root) {
    roots_.push_back(directory(root));
    libraries_.push_back(directory(root + "/lib"));
  }

  void make_module_directories() {
    directory("node_modules");
    for (unsigned i = 0; i < shape_.modules; ++i) {
      const std::string root = "node_modules/" + std::string(random_word(random_)) + "-" +
                               std::string(random_word(random_)) + std::to_string(i);
      make_module(root);
      const bool has_nested =
          i * shape_.nested_modules / shape_.modules != (i + 1) * shape_.nested_modules / shape_.modules;
      if (!has_nested) continue;
      directory(root + "/node_modules");
      make_module(root + "/node_modules/" + std::string(random_word(random_)) + "-" + std::to_string(i));
    }
    const std::vector<std::string> tops = libraries_;
    for (std::size_t i = 0; corpus_.directories.size() < shape_.directories; ++i) {
      libraries_.push_back(
          directory(tops[i % tops.size()] + "/" + std::string(random_word(random_)) + std::to_string(i / tops.size())));
    }
  }

  void add_own_files() {
    for (unsigned i = 0; i < shape_.own_files; ++i) {
      file(own_[random_.below(own_.size())], i % 3 == 0 ? ".tsx" : ".ts");
    }
  }

  void add_module_files() {
    for (const std::string& root : roots_) {
      for (const char* name : {"package.json", "README.md", "index.js"}) fixed_file(root, name);
    }
    constexpr std::array<std::string_view, 5> kExtensions{".js", ".js.map", ".js", ".json", ".cjs"};
    for (unsigned i = 0; corpus_.files.size() < shape_.files; ++i) {
      const std::string& where = libraries_[random_.below(libraries_.size())];
      file(where, i < shape_.module_typescript ? ".d.ts" : kExtensions[i % kExtensions.size()]);
    }
  }

  static std::uint32_t bounded(double bytes) {
    return static_cast<std::uint32_t>(std::clamp<double>(bytes, kMinFileBytes, kMaxFileBytes));
  }

  void draw_sizes() {
    for (CorpusFile& each : corpus_.files) each.size = bounded(kMedianBytes * std::exp(kSigma * random_.normal()));
  }

  /// Scales the sizes to the total, then mends what rounding and bounds left, a byte of a file at a time.
  void meet_total() {
    constexpr int kScalings = 4;
    for (int i = 0; i < kScalings; ++i) {
      const double factor = static_cast<double>(shape_.bytes) / static_cast<double>(corpus_.bytes());
      for (CorpusFile& each : corpus_.files) each.size = bounded(each.size * factor);
    }
    std::uint64_t sum = corpus_.bytes();
    for (std::size_t i = 0; sum != shape_.bytes; i = (i + 1) % corpus_.files.size()) {
      std::uint32_t& size = corpus_.files[i].size;
      if (sum < shape_.bytes && size < kMaxFileBytes) {
        ++size, ++sum;
      } else if (sum > shape_.bytes && size > kMinFileBytes) {
        --size, --sum;
      }
    }
  }

  RepositoryShape shape_;
  Random random_{kSeed};
  Corpus corpus_;
  std::vector<std::string> own_;        // directories for own files
  std::vector<std::string> roots_;      // of modules
  std::vector<std::string> libraries_;  // lib directories and those below
  std::unordered_map<std::string, unsigned> files_in_;
};

}  // namespace

RepositoryShape RepositoryShape::twentieth() {
  return {.files = 2'680,
          .directories = 180,
          .own_files = 130,
          .module_typescript = 240,
          .modules = 20,
          .nested_modules = 10,
          .bytes = 3'575'000};
}

Corpus repository_tree(const RepositoryShape& shape) { return RepositoryBuilder(shape).build(); }

}  // namespace packfs::bench
