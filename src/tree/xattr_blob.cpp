#include "tree/xattr_blob.h"

#include <cstring>
#include <new>

#include "base/alloc.h"
#include "tree/owner.h"

namespace packfs::tree {
namespace {

struct Head {
  std::uint32_t name_length;
  std::uint32_t value_length;
};

}  // namespace

Result<XattrBlob*> make_xattr_blob(PartHeap& heap, std::span<const Xattr> sorted) {
  if (sorted.empty()) return nullptr;
  std::size_t length = 0;
  for (const Xattr& xattr : sorted) length += sizeof(Head) + xattr.name.size() + xattr.value.size();
  void* const memory = base::try_allocate(sizeof(XattrBlob) + length);
  if (memory == nullptr) return std::unexpected(Error(ErrorCode::no_memory));
  auto* const blob = new (memory) XattrBlob;
  blob->count = static_cast<std::uint32_t>(sorted.size());
  blob->length = length;
  std::byte* at = blob->begin();
  const auto add = [&at](const void* bytes, std::size_t count) {
    if (count != 0) std::memcpy(at, bytes, count);
    at += count;
  };
  for (const Xattr& xattr : sorted) {
    const Head head{static_cast<std::uint32_t>(xattr.name.size()), static_cast<std::uint32_t>(xattr.value.size())};
    add(&head, sizeof(head));
    add(xattr.name.data(), xattr.name.size());
    add(xattr.value.data(), xattr.value.size());
  }
  ++heap.counts().xattrs;
  heap.count_made(sizeof(XattrBlob) + length);
  return blob;
}

std::vector<Xattr> xattrs_of(const XattrBlob* blob) {
  std::vector<Xattr> all;
  if (blob == nullptr) return all;
  const std::byte* at = blob->begin();
  for (std::uint32_t i = 0; i < blob->count; ++i) {
    Head head;
    std::memcpy(&head, at, sizeof(head));
    at += sizeof(head);
    const auto* const name = reinterpret_cast<const char*>(at);
    const std::byte* const value = at + head.name_length;
    all.push_back({{name, head.name_length}, {value, value + head.value_length}});
    at = value + head.value_length;
  }
  return all;
}

}  // namespace packfs::tree
