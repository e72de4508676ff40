#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stress/model.h"
#include "stress/operation.h"
#include "stress/random.h"

namespace packfs::stress {

/// Makes operations that meet each other: paths come from a small pool of odd names and from a model that is led along,
/// each sequence with a leaning of its own (deep, wide, links, clones, transactions ...).
class Generator {
 public:
  /// `start` is the tree on which the operations begin.
  Generator(std::uint64_t seed, Model start);

  /// Any operation, or only calls (no handles, no transactions).
  Operation next();
  Operation next_call();

 private:
  enum class Leaning : std::uint8_t {
    even,
    deep,
    links,
    symlinks,
    clones,
    renames,
    contents,
    attributes,
    transactions
  };

  Operation::Kind pick_kind();
  Operation make(Operation::Kind kind);
  void fill_in(Operation& operation);
  void fill_in_content(Operation& operation);
  void fill_in_attributes(Operation& operation);
  void fill_in_given(Operation& operation);
  void fill_in_mtime(Operation& operation);
  void lead_along(const Operation& operation);

  [[nodiscard]] std::string name();
  [[nodiscard]] std::string existing_path(unsigned stop_percent);
  [[nodiscard]] std::string free_path();
  [[nodiscard]] std::string path();
  [[nodiscard]] std::string decorated(std::string path);
  [[nodiscard]] std::string malformed_path();
  [[nodiscard]] std::string target();
  [[nodiscard]] std::uint64_t content_size();
  [[nodiscard]] std::uint32_t mode();

  Random random_;
  Leaning leaning_;
  bool wide_;
  Model model_;
  Model committed_;
  bool in_transaction_ = false;
};

/// `count` operations for a tree that begins as `start`.
[[nodiscard]] std::vector<Operation> generate(std::uint64_t seed, const Model& start, std::size_t count);

}  // namespace packfs::stress
