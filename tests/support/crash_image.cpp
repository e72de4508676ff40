#include <algorithm>
#include <span>
#include <utility>

#include "support/crash_disk.h"

namespace packfs::testing {

using disk::DataChange;
using disk::FileContent;
using disk::Inode;
using disk::NameChange;
using disk::Names;

namespace {

using Random = std::mt19937_64;

constexpr std::uint64_t kSectorBytes = 512;

/// What becomes of one data change.
enum class Fate : std::uint8_t { kept, lost, torn_sector, torn_byte, scattered, zeroed, grown, garbage };
constexpr std::uint64_t kFates = 8;

bool coin(Random& random) { return (random() & 1) != 0; }

/// The part [from, to) of a write, counted from its start, is on the disk.
void keep_part(FileContent& file, const DataChange& write, std::uint64_t from, std::uint64_t to) {
  const auto part = std::span(write.bytes).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
  file.bytes.write(write.offset + from, part);
  file.grow(write.offset + to);
}

/// The front or the back of a write is on the disk; of the front alone, the size may be there for all of it.
void tear(FileContent& file, const DataChange& write, std::uint64_t cut, Random& random) {
  if (coin(random)) {
    keep_part(file, write, cut, write.length);
  } else {
    keep_part(file, write, 0, cut);
    if (coin(random)) file.grow(write.end());
  }
}

void tear_at_sector(FileContent& file, const DataChange& write, Random& random) {
  const std::uint64_t first = write.offset / kSectorBytes + 1;
  const std::uint64_t last = (write.end() - 1) / kSectorBytes;
  if (last < first) {
    if (coin(random)) file.apply(write);
    return;
  }
  tear(file, write, (first + random() % (last - first + 1)) * kSectorBytes - write.offset, random);
}

void tear_at_byte(FileContent& file, const DataChange& write, Random& random) {
  if (write.length < 2) {
    if (coin(random)) file.apply(write);
    return;
  }
  tear(file, write, 1 + random() % (write.length - 1), random);
}

void scatter(FileContent& file, const DataChange& write, Random& random) {
  for (std::uint64_t from = 0; from < write.length;) {
    const std::uint64_t to = std::min(write.length, from + kSectorBytes - (write.offset + from) % kSectorBytes);
    if (coin(random)) keep_part(file, write, from, to);
    from = to;
  }
  if (coin(random)) file.grow(write.end());
}

void put_noise(FileContent& file, const DataChange& write, Random& random) {
  std::vector<std::byte> noise(write.bytes.size());
  for (std::byte& byte : noise) byte = static_cast<std::byte>(random());
  file.bytes.write(write.offset, noise);
  file.grow(write.end());
}

void suffer(FileContent& file, const DataChange& change, Fate fate, Random& random) {
  if (change.kind != DataChange::Kind::write && fate != Fate::lost) {
    if (fate == Fate::kept || coin(random)) file.apply(change);
    return;
  }
  switch (fate) {
    case Fate::kept:
      return file.apply(change);
    case Fate::lost:
      return;
    case Fate::torn_sector:
      return tear_at_sector(file, change, random);
    case Fate::torn_byte:
      return tear_at_byte(file, change, random);
    case Fate::scattered:
      return scatter(file, change, random);
    case Fate::zeroed:
      file.bytes.zero(change.offset, change.length);
      return file.grow(change.end());
    case Fate::grown:
      return file.grow(change.end());
    case Fate::garbage:
      return put_noise(file, change, random);
  }
}

/// Between two of `count` things, or before the only one.
std::size_t cut_between(std::size_t count, Random& random) {
  return count < 2 ? 0 : 1 + static_cast<std::size_t>(random() % (count - 1));
}

Fate damaged(Damage damage) {
  switch (damage) {
    case Damage::torn_sector:
      return Fate::torn_sector;
    case Damage::torn_byte:
      return Fate::torn_byte;
    case Damage::scattered:
      return Fate::scattered;
    case Damage::zeroed:
      return Fate::zeroed;
    case Damage::grown:
      return Fate::grown;
    default:
      return Fate::garbage;
  }
}

std::vector<Fate> fates_of_data(Damage damage, std::size_t count, Random& random) {
  std::vector<Fate> fates(count, Fate::lost);
  if (count == 0) return fates;
  const auto keep = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) fates[i] = Fate::kept;
  };
  switch (damage) {
    case Damage::all_lost:
    case Damage::names_only:
      break;
    case Damage::all_kept:
    case Damage::data_only:
      keep(0, count);
      break;
    case Damage::each_random:
      for (Fate& fate : fates) fate = static_cast<Fate>(random() % kFates);
      break;
    case Damage::newest_kept_oldest_lost:
      if (count > 1) keep(cut_between(count, random), count);
      break;
    case Damage::oldest_kept_newest_lost:
      keep(0, cut_between(count, random));
      break;
    default:
      const auto struck = static_cast<std::size_t>(random() % count);
      keep(0, struck);
      fates[struck] = damaged(damage);
      break;
  }
  return fates;
}

std::vector<bool> choose_names(Damage damage, std::size_t count, Random& random) {
  std::vector<bool> chosen(count);
  switch (damage) {
    case Damage::all_lost:
    case Damage::data_only:
      break;
    case Damage::all_kept:
    case Damage::names_only:
      chosen.assign(count, true);
      break;
    case Damage::newest_kept_oldest_lost:
      if (count > 1)
        std::fill(chosen.begin() + static_cast<std::ptrdiff_t>(cut_between(count, random)), chosen.end(), true);
      break;
    case Damage::oldest_kept_newest_lost:
      std::fill_n(chosen.begin(), cut_between(count, random), true);
      break;
    default:
      for (std::size_t i = 0; i < count; ++i) chosen[i] = coin(random);
      break;
  }
  return chosen;
}

/// The names of the directories that the chosen changes touch, as they are with them.
std::map<const Inode*, Names> names_with(const std::vector<NameChange>& changes, const std::vector<bool>& chosen) {
  std::map<const Inode*, Names> changed;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (!chosen[i]) continue;
    changes[i].apply([&](const Inode& directory) -> Names& {
      return changed.try_emplace(&directory, directory.durable_names).first->second;
    });
  }
  return changed;
}

FileContent content_with(const Inode& file, Damage damage, Random& random) {
  FileContent content = file.durable;
  const std::vector<Fate> fates = fates_of_data(damage, file.changes.size(), random);
  for (std::size_t i = 0; i < fates.size(); ++i) suffer(content, file.changes[i], fates[i], random);
  return content;
}

}  // namespace

std::unique_ptr<CrashDisk> CrashDisk::crash_image(std::uint64_t seed, Damage damage) const {
  const std::scoped_lock lock(mutex_);
  std::seed_seq mixed{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      static_cast<std::uint32_t>(damage)};
  Random random(mixed);
  auto image = std::make_unique<CrashDisk>(random());
  image->next_number_ = next_number_;

  std::vector<bool> chosen = choose_names(damage, name_changes_.size(), random);
  disk::add_needed(name_changes_, chosen);
  const auto changed = names_with(name_changes_, chosen);

  std::vector<std::pair<const Inode*, std::shared_ptr<Inode>>> directories{{root_.get(), image->root_}};
  for (std::size_t next = 0; next < directories.size(); ++next) {
    const auto [old, fresh] = directories[next];
    const auto found = changed.find(old);
    for (const auto& [name, child] : found != changed.end() ? found->second : old->durable_names) {
      const auto copy = image->make_inode(child->number, child->mode);
      if (copy->is_directory()) {
        copy->parent = fresh;
        directories.emplace_back(child.get(), copy);
      } else {
        copy->load(content_with(*child, damage, random));
      }
      fresh->names.emplace(name, copy);
    }
    fresh->durable_names = fresh->names;
  }
  return image;
}

}  // namespace packfs::testing
