#include "pack/interned.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"

namespace packfs::pack {

namespace {

constexpr std::size_t kListAlignment = 8;

template <class T>
void append_le(std::vector<std::byte>& out, T value) {
  std::byte bytes[sizeof(T)];
  base::store_le<T>(bytes, value);
  out.insert(out.end(), bytes, bytes + sizeof bytes);
}

void append(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

std::vector<std::byte> encode_list(std::span<const log::XattrRef> xattrs) {
  std::vector<std::byte> list(sizeof(XattrHeader));
  for (const auto& xattr : xattrs) {
    append_le(list, static_cast<std::uint16_t>(xattr.name.size()));
    append_le(list, static_cast<std::uint32_t>(xattr.value.size()));
    append(list, base::as_bytes(xattr.name));
    append(list, xattr.value);
  }
  XattrHeader header;
  header.length.set(static_cast<std::uint32_t>(list.size() - sizeof header));
  header.count.set(static_cast<std::uint32_t>(xattrs.size()));
  std::memcpy(list.data(), &header, sizeof header);
  list.resize((list.size() + kListAlignment - 1) / kListAlignment * kListAlignment);
  list.shrink_to_fit();
  return list;
}

/// The number under `hash` for which `same` holds.
template <class Same>
std::optional<std::uint32_t> find_number(const std::unordered_multimap<std::uint64_t, std::uint32_t>& numbers,
                                         std::uint64_t hash, Same same) {
  const auto [begin, end] = numbers.equal_range(hash);
  const auto known = std::find_if(begin, end, [&](const auto& each) { return same(each.second); });
  if (known == end) return std::nullopt;
  return known->second;
}

}  // namespace

std::uint32_t Interned::attribute_set(std::uint32_t mode, std::uint32_t uid, std::uint32_t gid) {
  AttributeSet set{};
  set.mode.set(mode);
  set.uid.set(uid);
  set.gid.set(gid);
  const auto same = [&](std::uint32_t number) { return std::memcmp(&sets_[number], &set, sizeof set) == 0; };
  if (last_set_ < sets_.size() && same(last_set_)) return last_set_;
  const std::uint64_t hash = base::xxh3(std::as_bytes(std::span(&set, 1)));
  if (const auto known = find_number(set_numbers_, hash, same)) return last_set_ = *known;
  sets_.push_back(set);
  last_set_ = static_cast<std::uint32_t>(sets_.size() - 1);
  set_numbers_.emplace(hash, last_set_);
  return last_set_;
}

std::uint32_t Interned::xattr_list(std::span<const log::XattrRef> xattrs) {
  auto list = encode_list(xattrs);
  const std::uint64_t hash = base::xxh3(list);
  const auto same = [&](std::uint32_t number) { return lists_[number] == list; };
  if (const auto known = find_number(list_numbers_, hash, same)) return *known;
  lists_.push_back(std::move(list));
  const auto number = static_cast<std::uint32_t>(lists_.size() - 1);
  list_numbers_.emplace(hash, number);
  return number;
}

void Renumbering::use(std::uint32_t old_number) {
  if (number_[old_number] != kUnused) return;
  order_.push_back(old_number);
  number_[old_number] = static_cast<std::uint32_t>(order_.size() - 1);
}

}  // namespace packfs::pack
