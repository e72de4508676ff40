#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hostile/pack_facts.h"
#include "packfs/error.h"
#include "packfs/pack.h"
#include "support/memory_io.h"

namespace packfs::testing {

/// What came of opening bytes as a pack, asking for everything in it, and verifying it.
struct Verdict {
  std::optional<Error> refused;  ///< by open
  PackFacts facts;
  std::vector<Error> damage;  ///< what verify() named
  /// What no file may bring about: offences of the walk, an error without a place, an errno, a failing verify().
  std::vector<std::string> offences;

  /// open() or verify() says that something is wrong.
  [[nodiscard]] bool noticed() const { return refused || !damage.empty(); }
};

/// A pack over bytes in memory, which it borrows.
struct OpenBytes {
  std::unique_ptr<MemoryIo> io;
  Pack pack;
};
[[nodiscard]] Result<OpenBytes> open_bytes(std::span<const std::byte> bytes, ReadMode mode);

/// `names` are paths to look up besides.
[[nodiscard]] Verdict judge(std::span<const std::byte> bytes, ReadMode mode, const std::vector<std::string>& names);

/// Checks of a changed pack against the one it was made from.
class Judge {
 public:
  explicit Judge(std::span<const std::byte> sound);

  /// For a pack that was changed and sealed again: offences, and what open() and verify() do not notice though they
  /// should: any change at all, or one that changes an answer, or none (the change makes another sound pack). Both read
  /// modes must agree.
  enum class Noticed : std::uint8_t { never, when_answers_change, always };
  [[nodiscard]] std::vector<std::string> complaints(std::span<const std::byte> changed,
                                                    Noticed noticed = Noticed::always) const;
  /// For damage: also any answer that is neither right nor an error, and damage that goes unnoticed.
  [[nodiscard]] std::vector<std::string> complaints_of_damage(std::span<const std::byte> damaged, ReadMode mode) const;

  [[nodiscard]] const PackFacts& truth() const { return truth_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  PackFacts truth_;
};

}  // namespace packfs::testing
