#include "corpus/corpus.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "corpus/random.h"
#include "corpus/words.h"

namespace packfs::bench {

namespace {

std::string numbered(const char* format, unsigned number) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), format, number);
  return text.data();
}

CorpusFile workload_file(std::string path, unsigned i) { return {std::move(path), kWorkloadFileBytes, i + 1}; }

}  // namespace

std::uint64_t Corpus::bytes() const {
  std::uint64_t sum = 0;
  for (const CorpusFile& file : files) sum += file.size;
  return sum;
}

void fill_content(std::uint64_t seed, std::span<std::byte> out) {
  Random random(seed);
  while (!out.empty()) {
    const std::string_view word = random_word(random);
    const std::size_t length = std::min(word.size(), out.size());
    std::memcpy(out.data(), word.data(), length);
    out = out.subspan(length);
    if (out.empty()) return;
    out.front() = std::byte{' '};
    out = out.subspan(1);
  }
}

std::vector<std::byte> content_of(const CorpusFile& file) {
  std::vector<std::byte> bytes(file.size);
  fill_content(file.seed, bytes);
  return bytes;
}

Status status_of(const CorpusFile& file) {
  Random random(~file.seed);
  const auto seconds = static_cast<std::int64_t>(1'600'000'000 + random.below(100'000'000));
  return {.type = FileType::regular,
          .mode = 0644,
          .uid = geteuid(),
          .gid = getegid(),
          .size = file.size,
          .mtime = {seconds, static_cast<std::uint32_t>(random.below(1'000'000'000))}};
}

Status directory_status() {
  return {.type = FileType::directory,
          .mode = 0755,
          .uid = geteuid(),
          .gid = getegid(),
          .size = 0,
          .mtime = {1'700'000'000, 0}};
}

Attributes attributes_of(const Status& status) {
  return {.mode = status.mode, .uid = status.uid, .gid = status.gid, .mtime = status.mtime, .xattrs = {}};
}

std::string workload_path(unsigned i) { return numbered("d%03u", i / kWorkloadDirectoryFiles) + numbered("/f%05u", i); }

Corpus workload(unsigned files) {
  Corpus corpus{.name = "W " + std::to_string(files), .directories = {}, .files = {}};
  for (unsigned i = 0; i < files; ++i) {
    if (i % kWorkloadDirectoryFiles == 0) {
      corpus.directories.push_back(numbered("d%03u", i / kWorkloadDirectoryFiles));
    }
    corpus.files.push_back(workload_file(workload_path(i), i));
  }
  return corpus;
}

Corpus flat_workload(unsigned files) {
  Corpus corpus{.name = "W flat " + std::to_string(files), .directories = {}, .files = {}};
  for (unsigned i = 0; i < files; ++i) corpus.files.push_back(workload_file(numbered("f%05u", i), i));
  return corpus;
}

}  // namespace packfs::bench
