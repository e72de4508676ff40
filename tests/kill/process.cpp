#include "kill/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>

extern char** environ;  // NOLINT(readability-redundant-declaration): not everywhere declared

namespace packfs::kill {

Process::Process(const std::vector<std::string>& arguments, const std::string& output) {
  std::array<int, 2> input{};
  if (::pipe2(input.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  std::vector<std::string> owned{PACKFS_KILL_VICTIM};
  owned.insert(owned.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(owned.size() + 1);
  for (std::string& argument : owned) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int failed = ::posix_spawn(&pid_, argv.front(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(input[0]);
  input_ = input[1];
  if (failed != 0) {
    ::close(input_);
    throw std::runtime_error("the victim cannot be started");
  }
}

Process::~Process() {
  kill();
  end_input();
}

bool Process::has_ended() {
  if (!is_over_) is_over_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
  return is_over_;
}

bool Process::kill() {
  if (!is_over_) {
    ::kill(pid_, SIGKILL);
    wait();
  }
  return WIFSIGNALED(status_) && WTERMSIG(status_) == SIGKILL;
}

void Process::end_input() {
  if (input_ >= 0) ::close(input_);
  input_ = -1;
}

std::optional<int> Process::wait() {
  if (!is_over_) is_over_ = ::waitpid(pid_, &status_, 0) == pid_;
  return WIFEXITED(status_) ? std::optional(WEXITSTATUS(status_)) : std::nullopt;
}

}  // namespace packfs::kill
