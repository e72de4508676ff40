#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace packfs::host {

/// Many names in two allocations, each with a value of the caller's. Each is followed by a NUL byte, for the kernel.
template <class Value>
class Names {
 public:
  void add(std::string_view name, Value value) {
    items_.push_back({.offset = bytes_.size(), .length = name.size(), .value = std::move(value)});
    bytes_.append(name);
    bytes_.push_back('\0');
  }
  /// In byte order; of equal names one stays.
  void sort() {
    const auto name = [this](const Item& item) { return view(item); };
    std::ranges::sort(items_, {}, name);
    const auto rest = std::ranges::unique(items_, {}, name);
    items_.erase(rest.begin(), rest.end());
  }

  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
  [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
  /// Valid until the next add().
  [[nodiscard]] std::string_view operator[](std::size_t index) const noexcept { return view(items_[index]); }
  [[nodiscard]] const char* c_str(std::size_t index) const noexcept { return bytes_.data() + items_[index].offset; }
  [[nodiscard]] const Value& value(std::size_t index) const noexcept { return items_[index].value; }

 private:
  struct Item {
    std::size_t offset;
    std::size_t length;
    [[no_unique_address]] Value value;
  };
  [[nodiscard]] std::string_view view(const Item& item) const noexcept {
    return {bytes_.data() + item.offset, item.length};
  }

  std::string bytes_;
  std::vector<Item> items_;
};

}  // namespace packfs::host
