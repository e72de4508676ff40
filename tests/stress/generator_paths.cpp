// Names, paths and numbers of the Generator.
#include <algorithm>
#include <array>

#include "stress/generator.h"

namespace packfs::stress {

namespace {

// Not inlined: g++ 12 sees overruns in operator+ of a string whose length it knows, where there are none.
[[gnu::noinline]] std::string run_of(std::size_t count, char byte) { return std::string(count, byte); }

}  // namespace

std::string Generator::name() {
  static const std::array odd{std::string("..."),      std::string("\xff\xfe\x80"),
                              std::string("\x01\n\t"), std::string(" "),
                              std::string("-"),        std::string("*"),
                              std::string("a\\b\"c"),  std::string("\xc3\xa9"),
                              run_of(255, 'n'),        run_of(254, 'n') + "m",
                              run_of(255, '\xff')};
  static const std::string common = "a-common-prefix-that-is-longer-than-what-a-node-keeps-of-it-";
  const auto choice = random_.below(100);
  if (choice < 70) return std::string(1, static_cast<char>('a' + random_.below(6)));
  if (choice < 78) return std::string(1 + random_.below(3), 'a');
  if (choice < 90) return common + std::string(1, static_cast<char>('a' + random_.below(4)));
  return random_.pick(odd);
}

/// From the root down, through symlinks too, ending at each step with some probability.
std::string Generator::existing_path(unsigned stop_percent) {
  std::string path;
  ModelId at = model_.root();
  while (true) {
    const auto& entries = model_.inode(at).entries;
    if (entries.empty() || (!path.empty() && random_.chance(stop_percent))) return path;
    auto entry = entries.lower_bound(name());
    if (entries.size() < 64)
      entry = std::next(entries.begin(), static_cast<std::ptrdiff_t>(random_.below(entries.size())));
    if (entry == entries.end()) entry = entries.begin();
    path += (path.empty() ? "" : "/") + entry->first;
    const auto next = model_.stat(path, LastLink::followed);
    if (!next || next->type != FileType::directory || path.size() > 20000) return path;
    at = next->id;
  }
}

/// A name that may be free, in a directory that is there (or behind something that is none).
std::string Generator::free_path() {
  std::string path = random_.chance(35) ? "" : existing_path(50);
  if (const auto stat = model_.stat(path, LastLink::followed); stat && stat->type != FileType::directory) {
    path = path.contains('/') ? path.substr(0, path.rfind('/')) : "";
  }
  return path.empty() ? name() : path + "/" + name();
}

std::string Generator::path() {
  const auto choice = random_.below(100);
  if (choice < 62) return decorated(existing_path(30));
  if (choice < 85) return decorated(free_path());
  if (choice < 96) {
    std::string path = name();
    for (auto more = random_.below(3); more > 0; --more) path += "/" + name();
    return decorated(path);
  }
  return malformed_path();
}

/// The same path in another way, or with a slash behind it.
std::string Generator::decorated(std::string path) {
  switch (random_.below(40)) {
    case 0:
      return path + "/";
    case 1:
      return path + "/.";
    case 2:
      return "/" + path;
    case 3:
      return ".//" + path + "//";
    case 4:
      if (const std::size_t slash = path.find('/'); slash != std::string::npos) path.insert(slash, "/./");
      return path;
    case 5:
      return "./" + path;
    default:
      return path;
  }
}

std::string Generator::malformed_path() {
  const std::string begin = random_.chance(50) ? existing_path(30) : name();
  switch (random_.below(9)) {
    case 0:
      return begin + "/..";
    case 1:
      return "../" + begin;
    case 2:
      return begin + "/../" + name();
    case 3:
      return begin + '\0' + name();
    case 4:
      return begin + "/" + run_of(256, 'l');
    case 5:
      return run_of(300, 'l') + "/..";
    case 6:
      return "";
    case 7:
      return random_.chance(50) ? "/" : ".";
    default:
      return random_.chance(90) ? "//" : std::string((std::size_t{1} << 20) + 1, 'p');
  }
}

std::string Generator::target() {
  switch (random_.below(16)) {
    case 0:
      return ".";
    case 1:
      return "/";
    case 2:
      return "../" + name();
    case 3:
      return "../../../" + existing_path(40);
    case 4:
      return name() + "/../" + name();
    case 5:
      return name() + "/";
    case 6:
      return "..";
    case 7:
      return random_.chance(50) ? "" : std::string("a\0b", 3);
    case 8:
      return existing_path(40) + "/.//";
    case 9:
      return run_of(256, 'l') + "/" + name();
    case 10:
      return name() + "/" + run_of(256, 'l');
    case 11:
    case 12:
      return name();
    default:
      return "/" + existing_path(40);
  }
}

std::uint64_t Generator::content_size() {
  constexpr std::array<std::uint64_t, 14> kBorders{0,    1,    255,   256,   257,   4095,  4096,
                                                   4097, 8192, 65535, 65536, 65537, 16384, 131072};
  const auto choice = random_.below(100);
  if (choice < 70) return random_.below(300);
  if (choice < 90) return kBorders[random_.below(random_.chance(80) ? 9 : kBorders.size())];
  if (choice < 99) return random_.below(20000);
  return random_.below(600000);
}

std::uint32_t Generator::mode() {
  if (random_.chance(2)) return 010000;
  return static_cast<std::uint32_t>(random_.chance(60) ? 0644 : random_.below(010000));
}

}  // namespace packfs::stress
