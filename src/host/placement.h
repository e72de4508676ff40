#pragma once

#include <functional>
#include <string>

#include "base/io.h"
#include "packfs/error.h"

namespace packfs::host {

/// Puts a new entry that is not a directory under a name in a directory, over an old one if there is any: then it is
/// made under a temporary name beside it and renamed at the end, so the name always stands for a whole entry.
/// What was made goes away again unless finish() succeeds. Borrows `io` and the directory.
class Placement {
 public:
  /// Makes an entry under the name it is given, never over another: returns as the syscalls do.
  using Make = std::function<int(const char* name)>;

  /// Calls `make`, again with other names while they are taken. Errors: is_a_directory (`name` is one); busy (names
  /// were taken again and again); an errno of `make`.
  [[nodiscard]] static Result<Placement> make(base::Io& io, int directory, std::string name, const Make& make);
  Placement(Placement&& other) noexcept;
  Placement& operator=(Placement&&) = delete;
  ~Placement();

  /// What `make` returned at last.
  [[nodiscard]] int made() const noexcept { return made_; }
  /// The name under which the entry stands until finish().
  [[nodiscard]] const char* name() const noexcept { return temporary_.empty() ? name_.c_str() : temporary_.c_str(); }

  /// Errors: is_a_directory, or another errno of rename.
  [[nodiscard]] Result<void> finish();
  /// finish() for a further name of a file: renaming it over another name of the same file would do nothing.
  [[nodiscard]] Result<void> finish_link();

 private:
  Placement(base::Io& io, int directory, std::string name) : io_(io), directory_(directory), name_(std::move(name)) {}
  [[nodiscard]] Result<void> make_beside(const Make& make);

  base::Io& io_;
  int directory_;
  std::string name_;
  std::string temporary_;  // empty when it was made under its own name
  int made_ = 0;
  bool pending_ = false;
};

}  // namespace packfs::host
