#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace packfs::kill {

/// One line of a ledger.
struct Line {
  enum class Kind : char {
    begun = 'b',   ///< thread, index: is about to do this step
    ended = 'e',   ///< thread, index, its outcomes, its commit (0: not told)
    writer = 'w',  ///< round, seed, threads: a writer begins
    found = 'f',   ///< the number of steps of each thread that were found after its writer was gone
    wrong = 'x',   ///< a writer met what must not be
  };
  Kind kind{};
  std::vector<std::uint64_t> numbers;

  [[nodiscard]] std::string to_text() const;
};

/// What was begun and what was acknowledged, in the order in which it was: a file outside of the store, appended to by
/// one write(2) a line, so that what stands in it was there before what comes behind was done. A writer that is killed
/// may leave its last line cut off; a cut line is no line.
///
/// Threads: any, all at once.
class Ledger {
 public:
  /// Made when it is missing. Throws std::runtime_error.
  explicit Ledger(const std::string& path);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  ~Ledger();

  void append(const Line& line);
  [[nodiscard]] std::uint64_t size() const;
  /// All whole lines behind those that were read before.
  [[nodiscard]] std::vector<Line> read();

 private:
  int fd_;
  std::uint64_t read_ = 0;
};

}  // namespace packfs::kill
