#include "tree/block.h"

#include <algorithm>
#include <bit>
#include <span>

#include "tree/owner.h"

namespace packfs::tree {
namespace {

constexpr std::uint64_t kLows = 0x0101010101010101;
constexpr std::uint64_t kHighs = 0x8080808080808080;

/// A high bit for each byte of `word` that equals `byte`; perhaps for one behind such a byte too.
std::uint64_t matches(std::uint64_t word, std::uint8_t byte) noexcept {
  const std::uint64_t differing = word ^ (kLows * byte);
  return (differing - kLows) & ~differing & kHighs;
}

std::uint64_t load_word(const void* bytes) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, 8);
  return word;  // byte 0 in the low bits: this code runs on little-endian machines, as the pack's does
}

std::uint64_t prefix_of(std::string_view name, std::size_t common) noexcept {
  if (name.size() <= common) return 0;
  name.remove_prefix(common);
  std::uint64_t word = 0;
  std::memcpy(&word, name.data(), std::min<std::size_t>(name.size(), 8));
  return std::byteswap(word);
}

bool has_name(const Dentry& entry, std::string_view name) noexcept {
  return entry.name_length == name.size() && std::memcmp(entry.name_begin(), name.data(), name.size()) == 0;
}

/// Where that name is in the base; the base's count when it is not there.
std::size_t find_in_base(const BlockBase& base, std::string_view name, std::uint8_t print) noexcept {
  const std::uint8_t* const prints = base.prints();
  Dentry* const* const entries = base.entries();
  const std::size_t count = base.count;
  for (std::size_t i = 0; i < count; i += 8) {
    for (std::uint64_t found = matches(load_word(prints + i), print); found != 0; found &= found - 1) {
      const std::size_t index = i + static_cast<std::size_t>(std::countr_zero(found)) / 8;
      if (index < count && has_name(*entries[index], name)) return index;
    }
  }
  return count;
}

/// The first position in the base whose name is not below `name`.
std::size_t lower_bound_in_base(const BlockBase& base, std::string_view name) noexcept {
  if (base.count == 0) return 0;
  const std::string_view first = base.entries()[0]->name();
  const int order = name.substr(0, base.common).compare(first.substr(0, base.common));
  if (order != 0) return order < 0 ? 0 : base.count;
  const std::uint64_t key = prefix_of(name, base.common);
  const std::span prefixes(base.prefixes(), base.count);
  auto at = static_cast<std::size_t>(std::ranges::lower_bound(prefixes, key) - prefixes.begin());
  while (at < base.count && prefixes[at] == key && base.entries()[at]->name() < name) ++at;
  return at;
}

/// Where a name stands, or would stand, in a block.
struct Place {
  std::size_t change = 0;    // of the change that has it, or before which a new one belongs
  std::size_t position = 0;  // in the base
  bool in_changes = false;
  bool in_base = false;  // the base has the name (`position` is its place)
};

Place locate(const Block& block, std::string_view name, std::uint8_t print) noexcept {
  Place place;
  for (std::size_t i = 0; i < block.count; ++i) {
    if (block.prints[i] != print || block.entries[i] == nullptr || !has_name(*block.entries[i], name)) continue;
    place.change = i;
    place.position = block.at[i] / 2;
    place.in_changes = true;
    place.in_base = (block.at[i] & 1) != 0;
    return place;
  }
  if (block.base != nullptr) {
    const std::size_t found = find_in_base(*block.base, name, print);
    place.in_base = found < block.base->count;
    place.position = place.in_base ? found : lower_bound_in_base(*block.base, name);
  }
  // Changes before that position come first; at it, those whose names are less.
  while (place.change < block.count) {
    const std::size_t at = block.at[place.change];
    if (at / 2 > place.position) break;
    if (at / 2 == place.position) {
      if ((at & 1) != 0) {  // it stands for the base's entry
        place.in_changes = place.in_base;
        break;
      }
      if (!(block.entries[place.change]->name() < name)) break;
    }
    ++place.change;
  }
  return place;
}

std::size_t common_length(std::string_view a, std::string_view b) noexcept {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t length = 0;
  while (length < most && a[length] == b[length]) ++length;
  return length;
}

void fill_prefixes(BlockBase& base) noexcept {
  if (base.count == 0) return;
  Dentry* const* const entries = base.entries();
  // Sorted names share what the first and the last share.
  base.common = static_cast<std::uint16_t>(common_length(entries[0]->name(), entries[base.count - 1]->name()));
  for (std::size_t i = 0; i < base.count; ++i) base.prefixes()[i] = prefix_of(entries[i]->name(), base.common);
}

/// Room for so many in a base that will go on growing in place, or in one that will not.
std::size_t capacity_for(std::size_t count) noexcept {
  return std::min(std::max<std::size_t>(8, count + count / 4), Block::kMaxEntries);
}

/// One entry of a block with its print, in order.
struct Held {
  Dentry* entry;
  std::uint8_t print;
  bool is_change;
};
using HeldEntries = std::array<Held, 2 * Block::kMaxEntries>;

std::size_t collect(const Block& block, Held* out) noexcept {
  std::size_t filled = 0;
  std::size_t position = 0;
  const std::size_t in_base = block.base != nullptr ? block.base->count : 0;
  const auto take_base = [&](std::size_t end) {
    for (; position < end; ++position) {
      // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): without a base no change has a position behind 0
      out[filled++] = {block.base->entries()[position], block.base->prints()[position], false};
    }
  };
  for (std::size_t i = 0; i < block.count; ++i) {
    take_base(block.at[i] / 2u);
    if (block.entries[i] != nullptr) out[filled++] = {block.entries[i], block.prints[i], true};
    position += block.at[i] & 1u;
  }
  take_base(in_base);
  return filled;
}

void insert_change(Block& block, std::size_t change, Dentry* entry, std::uint8_t print, std::size_t at) noexcept;

/// Gives the block these entries and nothing else; they are shared anew, and what it held before is let go. Those for
/// which `apart` is true become changes, all others a new base.
template <class Apart>
void rebuild(Owner& owner, Block& block, std::span<const Held> held, Apart apart) noexcept {
  PartHeap& heap = owner.heap();
  const auto in_base = held.size() - static_cast<std::size_t>(std::ranges::count_if(held, apart));
  BlockBase* const base = in_base != 0 ? owner.make_base(capacity_for(in_base)) : nullptr;
  Block fresh;
  std::size_t position = 0;
  for (const Held& one : held) {
    heap.share(one.entry);
    if (apart(one)) {
      insert_change(fresh, fresh.count, one.entry, one.print, position * 2);
    } else {
      // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): one that is not apart was counted in in_base
      base->entries()[position] = one.entry;
      base->prints()[position] = one.print;
      ++position;
    }
  }
  if (base != nullptr) {
    base->count = static_cast<std::uint16_t>(position);
    fill_prefixes(*base);
  }
  for (std::size_t i = 0; i < block.count; ++i) heap.let_go(block.entries[i]);
  heap.let_go(block.base);
  block.base = base;
  block.count = fresh.count;
  block.prints = fresh.prints;
  block.at = fresh.at;
  block.entries = fresh.entries;
}

bool none_apart(const Held&) noexcept { return false; }

void consolidate(Owner& owner, Block& block) noexcept {
  HeldEntries held;
  rebuild(owner, block, {held.data(), collect(block, held.data())}, none_apart);
}

/// Whether an entry keeps more alive than itself. Such a one must not linger in a base when it is gone from the block.
bool is_heavy(const Dentry& entry) noexcept {
  return entry.type == FileType::directory || entry.content || entry.xattrs != nullptr;
}

/// Makes a base without the entry of that name. Directories that were changed lately stay apart, up to half of what
/// there is room for: they are likely to be changed again, and would have to leave the base again for that.
void drop_from_base(Owner& owner, Block& block, const Dentry* entry) noexcept {
  HeldEntries held;
  std::size_t count = collect(block, held.data());
  count = static_cast<std::size_t>(
      std::ranges::remove_if(held.data(), held.data() + count, [&](const Held& one) { return one.entry == entry; })
          .begin() -
      held.data());
  std::size_t apart = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (held[i].is_change && held[i].entry->type == FileType::directory && apart < Block::kMaxChanges / 2) {
      ++apart;
    } else {
      held[i].is_change = false;
    }
  }
  rebuild(owner, block, {held.data(), count}, [](const Held& one) { return one.is_change; });
}

template <class T>
void shift_up(T* array, std::size_t at, std::size_t count) noexcept {
  std::copy_backward(array + at, array + count, array + count + 1);
}
template <class T>
void shift_down(T* array, std::size_t at, std::size_t count) noexcept {
  std::copy(array + at + 1, array + count, array + at);
}

void grow_base(Owner& owner, Block& block) noexcept {
  BlockBase* const old = block.base;
  BlockBase* const base = owner.make_base(std::min<std::size_t>(Block::kMaxEntries, old->count + old->count / 2u + 8));
  base->count = old->count;
  base->common = old->common;
  std::memcpy(base->prints(), old->prints(), old->count);
  std::copy_n(old->entries(), old->count, base->entries());
  std::memcpy(base->prefixes(), old->prefixes(), old->count * sizeof(std::uint64_t));
  old->count = 0;  // its references went over
  owner.heap().let_go(old);
  block.base = base;
}

/// Puts the entry into a base that is the owner's, when the block has no changes.
void insert_into_base(Owner& owner, Block& block, Dentry* entry, std::uint8_t print, std::size_t position) noexcept {
  if (block.base->count == block.base->capacity) grow_base(owner, block);
  BlockBase& base = *block.base;
  const std::string_view name = entry->name();
  shift_up(base.prints(), position, base.count);
  shift_up(base.entries(), position, base.count);
  shift_up(base.prefixes(), position, base.count);
  base.prints()[position] = print;
  base.entries()[position] = entry;
  ++base.count;
  if (base.count == 1 || common_length(name, base.entries()[position == 0 ? 1 : 0]->name()) < base.common) {
    fill_prefixes(base);
  } else {
    base.prefixes()[position] = prefix_of(name, base.common);
  }
}

void insert_change(Block& block, std::size_t change, Dentry* entry, std::uint8_t print, std::size_t at) noexcept {
  shift_up(block.prints.data(), change, block.count);
  shift_up(block.at.data(), change, block.count);
  shift_up(block.entries.data(), change, block.count);
  block.prints[change] = print;
  block.at[change] = static_cast<std::uint16_t>(at);
  block.entries[change] = entry;
  ++block.count;
}

bool base_is_owned(const Owner& owner, const Block& block) noexcept {
  return block.base != nullptr && block.count == 0 && owner.owns(*block.base);
}

}  // namespace

std::size_t Block::entry_count() const noexcept {
  std::size_t all = base != nullptr ? base->count : 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (entries[i] == nullptr) {
      --all;
    } else if ((at[i] & 1) == 0) {
      ++all;
    }
  }
  return all;
}

std::size_t block_copy_bytes(const Block& block) noexcept {
  const std::size_t entries = (block.base != nullptr ? block.base->count : 0) + Block::kMaxChanges + 1;
  const std::size_t bytes = 2 * BlockBase::bytes_for(capacity_for(entries));
  return bytes <= SlabHeap::kLargestShared ? bytes : SlabHeap::kSlabBytes;
}

BlockCursor::BlockCursor(const Block& block, std::string_view from) noexcept : block_(&block) {
  if (block.base != nullptr) position_ = lower_bound_in_base(*block.base, from);
  while (change_ < block.count) {
    const std::size_t at = block.at[change_];
    if (at / 2 > position_) break;
    if (at / 2 == position_ && ((at & 1) != 0 || !(block.entries[change_]->name() < from))) break;
    ++change_;
  }
}

const Dentry* find_in_block(const Block& block, std::string_view name, std::uint64_t hash) noexcept {
  const std::uint8_t print = print_of(hash);
  for (std::uint64_t found = matches(load_word(block.prints.data()), print); found != 0; found &= found - 1) {
    const std::size_t i = static_cast<std::size_t>(std::countr_zero(found)) / 8;
    if (i < block.count && block.entries[i] != nullptr && has_name(*block.entries[i], name)) return block.entries[i];
  }
  if (block.base == nullptr) return nullptr;
  const std::size_t index = find_in_base(*block.base, name, print);
  if (index == block.base->count) return nullptr;
  for (std::size_t i = 0; i < block.count; ++i) {
    if (block.at[i] == index * 2 + 1) return nullptr;  // removed: were it replaced, the loop above had found it
  }
  return block.base->entries()[index];
}

void put_in_block(Owner& owner, Block& block, Dentry* entry, std::uint64_t hash) noexcept {
  const std::uint8_t print = print_of(hash);
  const std::string_view name = entry->name();
  const Place place = locate(block, name, print);
  if (place.in_changes) {
    owner.heap().let_go(std::exchange(block.entries[place.change], entry));
    block.prints[place.change] = print;
    return;
  }
  if (place.in_base && !base_is_owned(owner, block)) {
    Dentry* const old = block.base->entries()[place.position];
    if (is_heavy(*old)) {
      drop_from_base(owner, block, old);
      const Place apart = locate(block, name, print);
      return insert_change(block, apart.change, entry, print, apart.position * 2);
    }
  }
  if (base_is_owned(owner, block)) {
    if (place.in_base) {
      owner.heap().let_go(std::exchange(block.base->entries()[place.position], entry));
    } else {
      insert_into_base(owner, block, entry, print, place.position);
    }
    return;
  }
  if (block.count == Block::kMaxChanges || block.base == nullptr) {
    consolidate(owner, block);
    if (block.base == nullptr) block.base = owner.make_base(capacity_for(1));
    return put_in_block(owner, block, entry, hash);
  }
  insert_change(block, place.change, entry, print, place.position * 2 + (place.in_base ? 1 : 0));
}

void remove_from_block(Owner& owner, Block& block, std::string_view name, std::uint64_t hash) noexcept {
  PartHeap& heap = owner.heap();
  const Place place = locate(block, name, print_of(hash));
  if (place.in_changes) {
    heap.let_go(std::exchange(block.entries[place.change], nullptr));
    if (place.in_base) return;
    shift_down(block.prints.data(), place.change, block.count);
    shift_down(block.at.data(), place.change, block.count);
    shift_down(block.entries.data(), place.change, block.count);
    --block.count;
    return;
  }
  if (base_is_owned(owner, block)) {
    BlockBase& base = *block.base;
    heap.let_go(base.entries()[place.position]);
    shift_down(base.prints(), place.position, base.count);
    shift_down(base.entries(), place.position, base.count);
    shift_down(base.prefixes(), place.position, base.count);
    --base.count;
    return;
  }
  if (Dentry* const old = block.base->entries()[place.position]; is_heavy(*old)) {
    return drop_from_base(owner, block, old);
  }
  if (block.count == Block::kMaxChanges) {
    consolidate(owner, block);
    return remove_from_block(owner, block, name, hash);
  }
  insert_change(block, place.change, nullptr, print_of(hash), place.position * 2 + 1);
}

Block* split_block(Owner& owner, Block& block, std::string_view from) noexcept {
  HeldEntries held;
  const std::size_t count = collect(block, held.data());
  const Held* const border = std::ranges::partition_point(held.data(), held.data() + count,
                                                          [&](const Held& one) { return one.entry->name() < from; });
  const auto kept = static_cast<std::size_t>(border - held.data());
  Block* const tail = owner.make_block();
  rebuild(owner, *tail, {border, count - kept}, none_apart);
  rebuild(owner, block, {held.data(), kept}, none_apart);
  return tail;
}

void append_block(Owner& owner, Block& block, Block* tail) noexcept {
  HeldEntries held;
  const std::size_t kept = collect(block, held.data());
  const std::size_t added = collect(*tail, held.data() + kept);
  rebuild(owner, block, {held.data(), kept + added}, none_apart);
  owner.heap().let_go(tail);
}

}  // namespace packfs::tree
