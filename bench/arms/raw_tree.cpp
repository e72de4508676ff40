#include "arms/raw_tree.h"

#include <array>
#include <ranges>

#include "check.h"

namespace packfs::bench {

namespace {

std::array<timespec, 2> times_of(const Time& mtime) {
  const timespec time{mtime.seconds, mtime.nanoseconds};
  return {time, time};
}

void write_file(int root, const CorpusFile& file) {
  const std::vector<std::byte> content = content_of(file);
  const Status status = status_of(file);
  const int fd = must_call(openat(root, file.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), file.path);
  must_hold(write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size()), "write " + file.path);
  must_call(fchmod(fd, status.mode), "fchmod");
  must_call(futimens(fd, times_of(status.mtime).data()), "futimens");
  must_call(close(fd), "close");
}

}  // namespace

void write_tree(const Corpus& corpus, const std::string& directory) {
  must_call(mkdir(directory.c_str(), 0755), directory);
  const int root = must_call(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), directory);
  for (const std::string& each : corpus.directories) must_call(mkdirat(root, each.c_str(), 0755), each);
  for (const CorpusFile& file : corpus.files) write_file(root, file);
  const Status status = directory_status();
  const auto finish = [&](const char* path) {
    must_call(fchmodat(root, path, status.mode, 0), "fchmodat");
    must_call(utimensat(root, path, times_of(status.mtime).data(), 0), "utimensat");
  };
  for (const std::string& each : std::views::reverse(corpus.directories)) finish(each.c_str());
  finish(".");
  close(root);
}

RawTree::RawTree(const std::string& directory)
    : root_(must_call(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), directory)) {}

RawTree::~RawTree() { close(root_); }

}  // namespace packfs::bench
