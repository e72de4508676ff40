#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hostile/pack_editor.h"
#include "hostile/verdict.h"

namespace packfs::testing {

/// No complaints.
inline const std::vector<std::string> kNone;

/// A field of a structure that lies in a pack.
struct Field {
  const char* name;
  std::size_t offset;
  std::size_t bytes;
};

/// Values a field of that width should be tried with, the current one left out: the least and greatest, one more and
/// one less, the borders of signs and halves, and `others`, each also one less and one more.
[[nodiscard]] std::vector<std::uint64_t> hostile_values(std::uint64_t current, std::size_t bytes,
                                                        const std::vector<std::uint64_t>& others);

/// Gives hostile values to fields, one at a time, and gathers what a Judge complains of. Under sanitizers only a
/// sample of them (sample.h).
class Sweep {
 public:
  Sweep(const Judge& judge, PackEditor& editor) : judge_(judge), editor_(editor) {}

  /// Changes the field at `at` of `bytes`, which belong to the editor, and puts it back. `where` names it.
  void field(const std::string& where, std::vector<std::byte>& bytes, std::uint64_t at, std::size_t width,
             const std::vector<std::uint64_t>& others = {});
  /// All fields of a structure at `at`.
  void fields(const std::string& where, std::vector<std::byte>& bytes, std::uint64_t at, std::span<const Field> fields,
              const std::vector<std::uint64_t>& others = {});
  /// The editor's pack as it is now.
  void now(const std::string& where);

  /// What changes must be noticed; by default all.
  Judge::Noticed noticed = Judge::Noticed::always;

  /// At most a few; how many cases there were; how many of them were in the sample and judged.
  [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }
  [[nodiscard]] std::size_t cases() const { return cases_; }
  [[nodiscard]] std::size_t tried() const { return tried_; }

 private:
  const Judge& judge_;
  PackEditor& editor_;
  std::vector<std::string> complaints_;
  std::size_t cases_ = 0;
  std::size_t tried_ = 0;
};

}  // namespace packfs::testing
