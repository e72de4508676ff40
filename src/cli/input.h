#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/unique_fd.h"
#include "cli/context.h"
#include "packfs/error.h"

namespace packfs::cli {

/// Where the content of a new file comes from: a host file, or standard input. One thread.
class Input {
 public:
  /// "-" is standard input. Errors: an errno of open or stat, with the path.
  [[nodiscard]] static Result<Input> open(const std::string& name, Context& context);

  /// Of what comes next: how many bytes a host file is known not to hold, which are zero, and how many that may be data
  /// follow them, if that is known; else it goes on to the end.
  struct Stretch {
    std::uint64_t hole = 0;
    std::uint64_t data = UINT64_MAX;
  };
  /// Goes on behind the hole. Errors, with the path: an errno of lseek.
  [[nodiscard]] Result<Stretch> next_stretch();
  /// Fills `buffer`, but for the end of the input; returns how much it filled. Errors, with the path: ECANCELED (the
  /// command was stopped meanwhile); an errno of read.
  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> buffer);
  /// Permission bits for a new file: those of a regular host file without set-ID and sticky bits, else 0644.
  [[nodiscard]] std::uint32_t mode() const noexcept { return mode_; }
  /// Whether a regular host file is no more what it was when it was opened. Errors: an errno of stat.
  [[nodiscard]] Result<bool> has_changed() const;
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  Input(Context& context, std::string name) : context_(&context), name_(std::move(name)) {}

  Context* context_;
  std::string name_;
  base::unique_fd file_;  // none: standard input
  int descriptor_ = -1;
  std::uint32_t mode_ = 0644;
  struct statx opened_{};
};

}  // namespace packfs::cli
