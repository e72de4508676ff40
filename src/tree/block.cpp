#include "tree/block.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "tree/name_key.h"
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

std::uint64_t load_prints(const std::uint8_t* prints) noexcept {
  return detail::load_word(reinterpret_cast<const char*>(prints));
}

std::uint64_t prefix_of(std::string_view name, std::size_t common) noexcept {
  return name.size() > common ? first_word(name.data() + common, name.size() - common) : 0;
}

bool has_name(const Dentry& entry, std::string_view name) noexcept {
  return entry.name_length == name.size() && same_bytes(entry.name_begin(), name.data(), name.size());
}

/// Where that name is in the base; the base's count when it is not there.
std::size_t find_in_base(const BlockBase& base, std::string_view name, std::uint8_t print) noexcept {
  const std::uint8_t* const prints = base.prints();
  Dentry* const* const entries = base.entries();
  const std::size_t count = base.count;
  for (std::size_t i = 0; i < count; i += 8) {
    for (std::uint64_t found = matches(load_prints(prints + i), print); found != 0; found &= found - 1) {
      const std::size_t index = i + static_cast<std::size_t>(std::countr_zero(found)) / 8;
      if (index >= count) return count;
      prefetch(entries[index]);
      if (has_name(*entries[index], name)) return index;
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
struct Spot {
  std::size_t change = 0;    // of the change that has it, or before which a new one belongs
  std::size_t position = 0;  // in the base
  bool in_changes = false;
  bool in_base = false;  // the base has the name (`position` is its place)
};

/// A change that has the name; the number of changes when there is none.
std::size_t find_in_changes(const BlockChanges& changes, std::string_view name, std::uint8_t print) noexcept {
  for (std::uint64_t found = matches(load_prints(changes.prints.data()), print); found != 0; found &= found - 1) {
    const std::size_t i = static_cast<std::size_t>(std::countr_zero(found)) / 8;
    if (i < changes.count && changes.entries[i] != nullptr && has_name(*changes.entries[i], name)) return i;
  }
  return changes.count;
}

/// Where a name that is in no change belongs among those, when its place in the base is known.
void locate_among(const BlockChanges& changes, std::string_view name, Spot& place) noexcept {
  // Changes before that position come first; at it, those whose names are less.
  for (; place.change < changes.count; ++place.change) {
    const std::size_t at = changes.at[place.change];
    if (at / 2 > place.position) return;
    if (at / 2 < place.position) continue;
    if ((at & 1) != 0) {  // it stands for the base's entry
      place.in_changes = place.in_base;
      return;
    }
    if (!(changes.entries[place.change]->name() < name)) return;
  }
}

Spot locate(const Block& block, std::string_view name, std::uint8_t print) noexcept {
  Spot place;
  if (block.changes != nullptr) {
    const std::size_t found = find_in_changes(*block.changes, name, print);
    if (found < block.changes->count) {
      const std::size_t at = block.changes->at[found];
      return {.change = found, .position = at / 2, .in_changes = true, .in_base = (at & 1) != 0};
    }
  }
  if (block.base != nullptr) {
    const std::size_t found = find_in_base(*block.base, name, print);
    place.in_base = found < block.base->count;
    place.position = place.in_base ? found : lower_bound_in_base(*block.base, name);
  }
  if (block.changes != nullptr) locate_among(*block.changes, name, place);
  return place;
}

std::size_t common_length(std::string_view a, std::string_view b) noexcept {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t length = 0;
  while (length < most && a[length] == b[length]) ++length;
  return length;
}

/// What sorted names share: what the first and the last do.
std::uint8_t common_of(const Dentry& first, const Dentry& last) noexcept {
  return static_cast<std::uint8_t>(common_length(first.name(), last.name()));
}

void fill_prefixes(BlockBase& base) noexcept {
  if (base.count == 0) return;
  Dentry* const* const entries = base.entries();
  base.common = common_of(*entries[0], *entries[base.count - 1]);
  for (std::size_t i = 0; i < base.count; ++i) base.prefixes()[i] = prefix_of(entries[i]->name(), base.common);
}

/// Room for so many in a base that will go on growing in place, or in one that will not.
std::size_t capacity_for(std::size_t count) noexcept {
  return std::min(std::max<std::size_t>(8, count + count / 4), Block::kMaxEntries);
}

/// One entry of a block, in order.
struct Held {
  Dentry* entry;
  std::uint64_t prefix;  // as the base has it
  std::uint8_t print;
  bool is_change;  // it has no prefix yet
  bool is_apart;   // it is to be a change
};
using HeldEntries = std::array<Held, 2 * Block::kMaxEntries>;

std::size_t collect(const Block& block, Held* out) noexcept {
  std::size_t filled = 0;
  std::size_t position = 0;
  const BlockBase* const base = block.base;
  const auto take_base = [&](std::size_t end) {
    for (; position < end; ++position) {
      // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): without a base no change has a position behind 0
      out[filled++] = {base->entries()[position], base->prefixes()[position], base->prints()[position], false, false};
    }
  };
  for (std::size_t i = 0; block.changes != nullptr && i < block.changes->count; ++i) {
    const BlockChanges& changes = *block.changes;
    take_base(changes.at[i] / 2u);
    if (changes.entries[i] != nullptr) out[filled++] = {changes.entries[i], 0, changes.prints[i], true, false};
    position += changes.at[i] & 1u;
  }
  if (base != nullptr) take_base(base->count);
  return filled;
}

void insert_change(BlockChanges& changes, std::size_t change, Dentry* entry, std::uint8_t print,
                   std::size_t at) noexcept;

/// A base with the entries that are not apart, which it shares. Prefixes of names that had `common` bytes in common are
/// taken over when they still do, so that names are not read.
BlockBase* new_base(Owner& owner, std::span<const Held> held, std::size_t count, std::size_t common) noexcept {
  const auto in_base = [](const Held& one) { return !one.is_apart; };
  const Held& first = *std::ranges::find_if(held, in_base);
  const Held& last = *std::ranges::find_if(held.rbegin(), held.rend(), in_base);
  BlockBase* const base = owner.make_base(capacity_for(count));
  base->count = static_cast<std::uint16_t>(count);
  base->common = common_of(*first.entry, *last.entry);
  Dentry** entry = base->entries();
  std::uint8_t* print = base->prints();
  std::uint64_t* prefix = base->prefixes();
  for (const Held& one : held) {
    if (one.is_apart) continue;
    owner.heap().share(one.entry);
    *entry++ = one.entry;
    *print++ = one.print;
    *prefix++ = one.is_change || base->common != common ? prefix_of(one.entry->name(), base->common) : one.prefix;
  }
  return base;
}

/// Gives the block these entries and nothing else; they are shared anew, and what it held before is let go.
void rebuild(Owner& owner, Block& block, std::span<const Held> held, std::size_t common) noexcept {
  PartHeap& heap = owner.heap();
  const auto apart = static_cast<std::size_t>(std::ranges::count_if(held, &Held::is_apart));
  Block fresh;
  if (apart < held.size()) fresh.base = new_base(owner, held, held.size() - apart, common);
  if (apart != 0) {
    fresh.changes = owner.make_changes();
    std::size_t position = 0;
    for (const Held& one : held) {
      if (!one.is_apart) {
        ++position;
        continue;
      }
      heap.share(one.entry);
      insert_change(*fresh.changes, fresh.changes->count, one.entry, one.print, position * 2);
    }
  }
  heap.let_go(block.changes);
  heap.let_go(block.base);
  block = fresh;
}

std::size_t common_in(const Block& block) noexcept { return block.base != nullptr ? block.base->common : 0; }

void consolidate(Owner& owner, Block& block) noexcept {
  HeldEntries held;
  rebuild(owner, block, {held.data(), collect(block, held.data())}, common_in(block));
}

/// Whether an entry keeps more alive than itself. Such a one must not linger in a base when it is gone from the block.
bool is_heavy(const Dentry& entry) noexcept {
  return entry.type == FileType::directory || entry.content || entry.xattrs != nullptr;
}

/// Most churn by which a directory may be ahead of the version of it that its base still holds.
constexpr std::uint64_t kMostChurn = 4096;

/// Whether a base may go on holding `old` when a change stands for it there: `now`, which is about to churn so much
/// more.
bool may_linger(const Dentry& old, const Dentry& now, std::uint64_t churn) noexcept {
  if (!is_heavy(old)) return true;
  return old.type == FileType::directory && now.type == FileType::directory && old.inode == now.inode &&
         old.family == now.family && old.xattrs == now.xattrs &&
         now.directory().churn + churn - old.directory().churn <= kMostChurn;
}

/// Makes a base without that entry. Directories that were changed lately stay apart, up to half of what
/// there is room for: they are likely to be changed again, and would have to leave the base again for that.
void drop_from_base(Owner& owner, Block& block, const Dentry* entry) noexcept {
  HeldEntries held;
  std::size_t count = collect(block, held.data());
  count = static_cast<std::size_t>(
      std::ranges::remove_if(held.data(), held.data() + count, [&](const Held& one) { return one.entry == entry; })
          .begin() -
      held.data());
  std::size_t apart = 0;
  for (Held& one : std::span(held.data(), count)) {
    one.is_apart = one.is_change && one.entry->type == FileType::directory && apart < BlockChanges::kMost / 2;
    if (one.is_apart) ++apart;
  }
  rebuild(owner, block, {held.data(), count}, common_in(block));
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
  if (block.base->count == block.base->room()) grow_base(owner, block);
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

void insert_change(BlockChanges& changes, std::size_t change, Dentry* entry, std::uint8_t print,
                   std::size_t at) noexcept {
  shift_up(changes.prints.data(), change, changes.count);
  shift_up(changes.at.data(), change, changes.count);
  shift_up(changes.entries.data(), change, changes.count);
  changes.prints[change] = print;
  changes.at[change] = static_cast<std::uint16_t>(at);
  changes.entries[change] = entry;
  ++changes.count;
}

/// The block's changes, to be changed in place.
BlockChanges& own_changes(Owner& owner, Block& block) noexcept {
  block.changes = block.changes != nullptr ? owner.own(block.changes) : owner.make_changes();
  return *block.changes;
}

/// Takes back a change that stands for nothing in the base.
void remove_change(Owner& owner, Block& block, std::size_t change) noexcept {
  BlockChanges& changes = own_changes(owner, block);
  shift_down(changes.prints.data(), change, changes.count);
  shift_down(changes.at.data(), change, changes.count);
  shift_down(changes.entries.data(), change, changes.count);
  if (--changes.count == 0) owner.heap().let_go(std::exchange(block.changes, nullptr));
}

std::size_t change_count(const Block& block) noexcept { return block.changes != nullptr ? block.changes->count : 0; }

bool base_is_owned(const Owner& owner, const Block& block) noexcept {
  return block.base != nullptr && block.changes == nullptr && owner.owns(*block.base);
}

}  // namespace

std::size_t Block::entry_count() const noexcept {
  std::size_t all = base != nullptr ? base->count : 0;
  for (std::size_t i = 0; changes != nullptr && i < changes->count; ++i) {
    if (changes->entries[i] == nullptr) {
      --all;
    } else if ((changes->at[i] & 1) == 0) {
      ++all;
    }
  }
  return all;
}

std::size_t block_copy_bytes(const Block& block) noexcept {
  const std::size_t entries = (block.base != nullptr ? block.base->count : 0) + BlockChanges::kMost + 1;
  const std::size_t bytes = 2 * BlockBase::bytes_for(capacity_for(entries));
  return bytes <= SlabHeap::kLargestShared ? bytes : SlabHeap::kSlabBytes;
}

BlockCursor::BlockCursor(const Block& block, std::string_view from) noexcept : block_(block) {
  if (block.base != nullptr) position_ = lower_bound_in_base(*block.base, from);
  const BlockChanges* const changes = block.changes;
  while (changes != nullptr && change_ < changes->count) {
    const std::size_t at = changes->at[change_];
    if (at / 2 > position_) break;
    if (at / 2 == position_ && ((at & 1) != 0 || !(changes->entries[change_]->name() < from))) break;
    ++change_;
  }
}

const Dentry* find_in_block(const Block& block, std::string_view name, std::uint64_t hash) noexcept {
  const std::uint8_t print = print_of(hash);
  const BlockChanges* const changes = block.changes;
  if (changes != nullptr) {
    const std::size_t found = find_in_changes(*changes, name, print);
    if (found < changes->count) return changes->entries[found];
  }
  if (block.base == nullptr) return nullptr;
  const std::size_t index = find_in_base(*block.base, name, print);
  if (index == block.base->count) return nullptr;
  for (std::size_t i = 0; changes != nullptr && i < changes->count; ++i) {
    if (changes->at[i] == index * 2 + 1) return nullptr;  // removed: were it replaced, the change had been found
  }
  return block.base->entries()[index];
}

namespace {

/// As put_in_block(); a directory will churn so much more.
void put_churning(Owner& owner, Block& block, Dentry* entry, std::uint64_t hash, std::uint64_t churn) noexcept {
  const std::uint8_t print = print_of(hash);
  const std::string_view name = entry->name();
  const Spot place = locate(block, name, print);
  if (base_is_owned(owner, block)) {
    if (place.in_base) {
      owner.heap().let_go(std::exchange(block.base->entries()[place.position], entry));
    } else {
      insert_into_base(owner, block, entry, print, place.position);
    }
    return;
  }
  Dentry* const old = place.in_base ? block.base->entries()[place.position] : nullptr;
  const bool lingers = old == nullptr || may_linger(*old, *entry, churn);
  if (place.in_changes) {
    BlockChanges& changes = own_changes(owner, block);
    owner.heap().let_go(std::exchange(changes.entries[place.change], entry));
    changes.prints[place.change] = print;
    if (!lingers) drop_from_base(owner, block, old);
    return;
  }
  if (!lingers) {
    drop_from_base(owner, block, old);
    const Spot apart = locate(block, name, print);
    return insert_change(own_changes(owner, block), apart.change, entry, print, apart.position * 2);
  }
  if (change_count(block) == BlockChanges::kMost || block.base == nullptr) {
    consolidate(owner, block);
    if (block.base == nullptr) block.base = owner.make_base(capacity_for(1));
    return put_churning(owner, block, entry, hash, churn);
  }
  insert_change(own_changes(owner, block), place.change, entry, print, place.position * 2 + (place.in_base ? 1 : 0));
}

}  // namespace

void put_in_block(Owner& owner, Block& block, Dentry* entry, std::uint64_t hash) noexcept {
  put_churning(owner, block, entry, hash, 0);
}

Dentry* own_in_block(Owner& owner, Block& block, std::string_view name, std::uint64_t hash,
                     std::uint64_t churn) noexcept {
  const Spot place = locate(block, name, print_of(hash));
  Dentry* const old = place.in_base ? block.base->entries()[place.position] : nullptr;
  Dentry* const entry = place.in_changes ? block.changes->entries[place.change] : old;
  // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): the name is in the changes or in the base
  if (owner.owns(*entry)) {
    if (old != nullptr && old != entry && !may_linger(*old, *entry, churn)) drop_from_base(owner, block, old);
    return entry;
  }
  Dentry* const copy = owner.copy_dentry(*entry, name);
  put_churning(owner, block, copy, hash, churn);
  return copy;
}

void remove_from_block(Owner& owner, Block& block, std::string_view name, std::uint64_t hash) noexcept {
  PartHeap& heap = owner.heap();
  const Spot place = locate(block, name, print_of(hash));
  if (place.in_changes) {
    heap.let_go(std::exchange(own_changes(owner, block).entries[place.change], nullptr));
    if (!place.in_base) return remove_change(owner, block, place.change);
    if (Dentry* const old = block.base->entries()[place.position]; is_heavy(*old)) drop_from_base(owner, block, old);
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
  if (change_count(block) == BlockChanges::kMost) {
    consolidate(owner, block);
    return remove_from_block(owner, block, name, hash);
  }
  insert_change(own_changes(owner, block), place.change, nullptr, print_of(hash), place.position * 2 + 1);
}

Block split_block(Owner& owner, Block& block, std::string_view from) noexcept {
  HeldEntries held;
  const std::span all(held.data(), collect(block, held.data()));
  const std::size_t common = common_in(block);
  const auto border = std::ranges::partition_point(all, [&](const Held& one) { return one.entry->name() < from; });
  Block tail;
  rebuild(owner, tail, {border, all.end()}, common);
  rebuild(owner, block, {all.begin(), border}, common);
  return tail;
}

void append_block(Owner& owner, Block& block, const Block& tail) noexcept {
  HeldEntries held;
  const std::size_t kept = collect(block, held.data());
  const std::size_t added = collect(tail, held.data() + kept);
  const std::size_t common = common_in(block);
  if (common_in(tail) != common) {
    for (Held& one : std::span(held.data() + kept, added)) one.is_change = true;
  }
  rebuild(owner, block, {held.data(), kept + added}, common);
  owner.heap().let_go(tail.changes);
  owner.heap().let_go(tail.base);
}

}  // namespace packfs::tree
