#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "log/record.h"
#include "pack/format.h"

namespace packfs::pack {

/// What many entries have in common, kept once: owner and mode, and lists of extended attributes. Numbers are given by
/// first use and may be given anew for another order of use. One thread at a time.
class Interned {
 public:
  /// The number of this set, or of this list (sorted by name, at least one attribute). Throws std::bad_alloc.
  [[nodiscard]] std::uint32_t attribute_set(std::uint32_t mode, std::uint32_t uid, std::uint32_t gid);
  [[nodiscard]] std::uint32_t xattr_list(std::span<const log::XattrRef> xattrs);

  [[nodiscard]] const std::vector<AttributeSet>& attribute_sets() const noexcept { return sets_; }
  /// Each as section 5 holds it: header, attributes, zero bytes up to a multiple of 8.
  [[nodiscard]] const std::vector<std::vector<std::byte>>& xattr_lists() const noexcept { return lists_; }

 private:
  std::vector<AttributeSet> sets_;
  std::vector<std::vector<std::byte>> lists_;
  // By hash of the bytes; equal hashes are told apart by the bytes themselves.
  std::unordered_multimap<std::uint64_t, std::uint32_t> set_numbers_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> list_numbers_;
  std::uint32_t last_set_ = 0;
};

/// Gives numbers to what is used, in order of first use.
class Renumbering {
 public:
  explicit Renumbering(std::size_t count) : number_(count, kUnused) {}
  void use(std::uint32_t old_number);
  /// Of one that was used.
  [[nodiscard]] std::uint32_t number(std::uint32_t old_number) const noexcept { return number_[old_number]; }
  /// The old numbers in their new order.
  [[nodiscard]] const std::vector<std::uint32_t>& order() const noexcept { return order_; }

 private:
  static constexpr std::uint32_t kUnused = ~std::uint32_t{0};
  std::vector<std::uint32_t> number_;
  std::vector<std::uint32_t> order_;
};

}  // namespace packfs::pack
