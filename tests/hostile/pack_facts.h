#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "packfs/error.h"
#include "packfs/pack.h"

namespace packfs::testing {

/// All that a pack tells when everything in it is asked for: one text for each question ("stat of a/b"), or
/// "error CODE". Contents of more than 1 MiB are read at their beginning and end.
struct PackFacts {
  std::map<std::string, std::string> answers;
  std::vector<Error> errors;
  /// What no file may bring about: more entries than it has room for, a walk that does not go forward.
  std::vector<std::string> offences;
  std::uint64_t entries = 0;
};

/// Asks for everything: walks down from the root by nodes, and looks up each of `names` by its path besides.
/// `file_bytes` bounds how many entries there may be.
[[nodiscard]] PackFacts facts_of(const Pack& pack, std::uint64_t file_bytes, const std::vector<std::string>& names);

/// The paths of all entries.
[[nodiscard]] std::vector<std::string> names_in(const Pack& pack);

/// What `found` says that is neither what `truth` says nor an error; one line each.
[[nodiscard]] std::vector<std::string> wrong_answers(const PackFacts& truth, const PackFacts& found);

}  // namespace packfs::testing
