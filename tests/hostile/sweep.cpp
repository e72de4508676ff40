#include "hostile/sweep.h"

#include <cstring>
#include <limits>
#include <set>

#include "hostile/sample.h"

namespace packfs::testing {
namespace {

constexpr std::size_t kMostComplaints = 40;

std::uint64_t load(const std::byte* at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = (value << 8) | std::to_integer<std::uint64_t>(at[i]);
  return value;
}

void store(std::byte* at, std::size_t bytes, std::uint64_t value) {
  for (std::size_t i = 0; i < bytes; ++i) at[i] = static_cast<std::byte>(value >> (8 * i));
}

}  // namespace

std::vector<std::uint64_t> hostile_values(std::uint64_t current, std::size_t bytes,
                                          const std::vector<std::uint64_t>& others) {
  const std::uint64_t greatest =
      bytes == 8 ? std::numeric_limits<std::uint64_t>::max() : (std::uint64_t{1} << (8 * bytes)) - 1;
  std::set<std::uint64_t> values{0, 1, greatest, greatest - 1, greatest / 2, greatest / 2 + 1};
  const auto add_around = [&](std::uint64_t value) {
    for (const std::uint64_t each : {value - 1, value, value + 1}) values.insert(each & greatest);
  };
  add_around(current);
  for (const std::uint64_t other : others) add_around(other);
  values.erase(current);
  return {values.begin(), values.end()};
}

void Sweep::field(const std::string& where, std::vector<std::byte>& bytes, std::uint64_t at, std::size_t width,
                  const std::vector<std::uint64_t>& others) {
  const std::uint64_t current = load(bytes.data() + at, width);
  for (const std::uint64_t value : hostile_values(current, width, others)) {
    store(bytes.data() + at, width, value);
    now(where + " = " + std::to_string(value) + " (was " + std::to_string(current) + ")");
  }
  store(bytes.data() + at, width, current);
}

void Sweep::fields(const std::string& where, std::vector<std::byte>& bytes, std::uint64_t at,
                   std::span<const Field> fields, const std::vector<std::uint64_t>& others) {
  for (const Field& each : fields) field(where + "." + each.name, bytes, at + each.offset, each.bytes, others);
}

void Sweep::now(const std::string& where) {
  ++cases_;
  if (!sampled(where)) return;
  ++tried_;
  for (const std::string& complaint : judge_.complaints(editor_.seal(), noticed)) {
    if (complaints_.size() < kMostComplaints) complaints_.push_back(where + ": " + complaint);
  }
}

}  // namespace packfs::testing
