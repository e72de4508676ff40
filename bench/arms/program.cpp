#include "arms/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <sstream>

#include "check.h"

namespace packfs::bench {

Ended run_program(const std::vector<std::string>& command, const std::string& output) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);

  const auto begin = std::chrono::steady_clock::now();
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  if (error != 0) {
    errno = error;
    fail_errno(command[0]);
  }
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0) must_hold(errno == EINTR, "wait4");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;

  posix_spawn_file_actions_destroy(&actions);
  must_hold(WIFEXITED(status) && WEXITSTATUS(status) == 0, command[0] + " failed");
  constexpr long kKiB = 1024;
  return {.seconds = seconds.count(), .peak_memory_bytes = usage.ru_maxrss * kKiB};
}

bool has_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access(folder.append("/").append(name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace packfs::bench
