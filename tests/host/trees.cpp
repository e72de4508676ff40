#include "host/trees.h"

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace packfs::testing {

Imported import_into_memory(const std::vector<std::string>& sources, const host::ImportOptions& options, base::Io& io) {
  Imported imported;
  imported.result = host::import_tree(io, sources, imported.tree, options, imported.report);
  return imported;
}

std::vector<std::string> lines_of(const std::vector<host::Problem>& problems) {
  std::vector<std::string> lines;
  lines.reserve(problems.size());
  for (const host::Problem& problem : problems) lines.push_back(problem.path + ": " + problem.error.message());
  return lines;
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << content;
  if (!file.flush()) throw std::runtime_error("write " + path);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

int as_nobody(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) {
    constexpr unsigned kNobody = 65534;
    if (::setgroups(0, nullptr) != 0 || ::setresgid(kNobody, kNobody, kNobody) != 0 ||
        ::setresuid(kNobody, kNobody, kNobody) != 0) {
      ::_exit(200);
    }
    ::_exit(body());
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
  }
  if (!WIFEXITED(status)) throw std::runtime_error("the child was killed");
  return WEXITSTATUS(status);
}

}  // namespace packfs::testing
