#include "pack/xattr_list.h"

#include "base/bytes.h"

namespace packfs::pack {
namespace {

constexpr std::size_t kLengthsBytes = 6;
constexpr std::size_t kMaxName = 255;

}  // namespace

std::optional<XattrList::Attribute> XattrList::next() noexcept {
  if (left_ == 0 || rest_.size() < kLengthsBytes) return std::nullopt;
  const auto name_length = base::load_le<std::uint16_t>(rest_.data());
  const auto value_length = base::load_le<std::uint32_t>(rest_.data() + 2);
  const auto bytes = rest_.subspan(kLengthsBytes);
  if (name_length > kMaxName || name_length > bytes.size() || value_length > bytes.size() - name_length) {
    return std::nullopt;
  }
  const std::string_view name = base::as_text(bytes.first(name_length));
  if (name <= previous_ || name.find('\0') != std::string_view::npos) return std::nullopt;
  previous_ = name;
  rest_ = bytes.subspan(name_length + value_length);
  --left_;
  return Attribute{name, bytes.subspan(name_length, value_length)};
}

}  // namespace packfs::pack
