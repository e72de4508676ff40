#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace packfs::pack {

/// Takes a list of extended attributes (docs/format.md 4.4) apart where it lies, one after another. Borrows the bytes.
class XattrList {
 public:
  struct Attribute {
    std::string_view name;
    std::span<const std::byte> value;
  };
  /// `bytes` are those behind the list's header, `count` what that says.
  XattrList(std::span<const std::byte> bytes, std::uint32_t count) noexcept : rest_(bytes), left_(count) {}

  /// The next attribute. Nothing at the end, or where the list is not one: is_sound() tells which.
  [[nodiscard]] std::optional<Attribute> next() noexcept;
  [[nodiscard]] bool is_sound() const noexcept { return left_ == 0 && rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
  std::uint32_t left_;
  std::string_view previous_;  // names ascend, and none is empty
};

}  // namespace packfs::pack
