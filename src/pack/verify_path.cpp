#include "pack/verify_path.h"

#include <vector>

#include "path/path.h"

namespace packfs::pack {

std::string path_in_pack(const Reader& reader, std::uint64_t directory, std::string_view name) {
  std::vector<std::string_view> names;
  std::size_t length = name.size();
  if (!name.empty()) names.push_back(name);
  // Parents have smaller numbers (directory() does not promise that), so this ends.
  for (std::uint64_t number = directory; number != 0;) {
    const auto element = reader.directory(number);
    if (!element || element->parent >= number) break;
    const auto entry = reader.entry(element->self_entry);
    if (!entry || path::check_component(entry->name())) break;
    length += entry->name().size() + 1;
    if (length > kMaxShownPath) break;
    names.push_back(entry->name());
    number = element->parent;
  }
  std::string path;
  for (auto it = names.rbegin(); it != names.rend(); ++it) {
    if (!path.empty()) path += '/';
    path += *it;
  }
  return path;
}

}  // namespace packfs::pack
