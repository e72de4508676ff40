#include "hostile/pack_facts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/hash.h"
#include "tree/table.h"

namespace packfs::testing {
namespace {

constexpr std::uint64_t kReadWhole = std::uint64_t{1} << 20;
constexpr std::size_t kEndsBytes = 4096;
constexpr std::string_view kListed = "|end";

std::string text_of_hash(std::span<const std::byte> bytes) { return std::to_string(base::xxh3(bytes)); }

std::string text_of_stat(const Stat& stat) {
  std::string text;
  for (const std::uint64_t value :
       {std::uint64_t{static_cast<std::uint8_t>(stat.type)}, std::uint64_t{stat.mode}, std::uint64_t{stat.uid},
        std::uint64_t{stat.gid}, stat.nlink, stat.size, stat.inode, stat.link_id,
        static_cast<std::uint64_t>(stat.mtime.seconds), std::uint64_t{stat.mtime.nanoseconds},
        static_cast<std::uint64_t>(stat.ctime.seconds), std::uint64_t{stat.ctime.nanoseconds}, stat.change_commit,
        std::uint64_t{stat.device_major}, std::uint64_t{stat.device_minor}, std::uint64_t{stat.has_xattrs}}) {
    text += std::to_string(value) + ' ';
  }
  return text;
}

std::string text_of_xattrs(const std::vector<Xattr>& xattrs) {
  std::string text;
  for (const Xattr& xattr : xattrs) text += xattr.name + '=' + text_of_hash(xattr.value) + ' ';
  return text;
}

std::string text_of_info(const PackInfo& info) {
  std::string text;
  for (const std::uint64_t value : {std::uint64_t{info.format_version}, info.directories, info.entries,
                                    info.content_bytes, info.linked_names, info.records}) {
    text += std::to_string(value) + ' ';
  }
  return text;
}

class Asker {
 public:
  Asker(const Pack& pack, std::uint64_t file_bytes)
      : root_(pack.root()), table_(*root_.table()), most_entries_(file_bytes / 32 + 1) {}

  void walk() {
    std::vector<std::pair<Node, std::string>> pending;
    pending.emplace_back(root_.node(), "");
    while (!pending.empty() && facts_.offences.empty()) {
      const auto [node, path] = std::move(pending.back());
      pending.pop_back();
      ask_all(node, path);
      if (node.type != FileType::directory) continue;
      for (auto& child : list(node, path)) pending.push_back(std::move(child));
    }
  }

  void look_up(const std::string& path) {
    const auto stat = root_.lstat(path);
    note("lookup of " + path, stat, text_of_stat);
  }

  PackFacts facts_;

 private:
  template <class T, class Text>
  void note(const std::string& question, const Result<T>& result, Text text) {
    if (result) {
      facts_.answers[question] = text(*result);
    } else {
      facts_.answers[question] = "error " + std::to_string(static_cast<int>(result.error().code()));
      facts_.errors.push_back(result.error());
    }
  }

  std::vector<std::pair<Node, std::string>> list(const Node& node, const std::string& path) {
    std::vector<std::pair<Node, std::string>> children;
    std::string names;
    Listing listing = View(root_.table(), node, {}).list();
    bool whole = true;
    for (const Result<Entry>& entry : listing) {
      if (!entry) {
        facts_.errors.push_back(entry.error());
        whole = false;
        break;
      }
      if (++facts_.entries > most_entries_) {
        facts_.offences.push_back("more entries than the file has room for");
        return {};
      }
      if (entry->name().empty() || entry->name() == "." || entry->name() == ".." ||
          entry->name().find_first_of(std::string_view("/\0", 2)) != std::string_view::npos) {
        facts_.offences.push_back("a name that cannot be one");
      }
      names += std::string(entry->name()) + '/';
      children.emplace_back(entry->node(), path + '/' + std::string(entry->name()));
    }
    facts_.answers["list of " + path] = names + std::string(whole ? kListed : "");
    return children;
  }

  void ask_all(const Node& node, const std::string& path) {
    note("stat of " + path, table_.stat(node), text_of_stat);
    note("xattrs of " + path, table_.xattrs(node), text_of_xattrs);
    switch (node.type) {
      case FileType::directory:
        note("totals of " + path, table_.totals(node), [](const Totals& totals) {
          return std::to_string(totals.entries) + ' ' + std::to_string(totals.bytes) + ' ' +
                 std::to_string(totals.linked_names);
        });
        break;
      case FileType::symlink:
        note("target of " + path, table_.readlink(node), [](const std::string& target) { return target; });
        break;
      case FileType::regular:
        ask_content(node, path);
        break;
      default:
        break;
    }
  }

  void ask_content(const Node& node, const std::string& path) {
    const auto size = table_.size(node);
    note("size of " + path, size, [](std::uint64_t value) { return std::to_string(value); });
    if (!size) return;
    const auto read = [&](std::uint64_t offset, std::size_t length) -> Result<std::vector<std::byte>> {
      std::vector<std::byte> bytes(length);
      const auto count = table_.read(node, offset, bytes);
      if (!count) return std::unexpected(count.error());
      bytes.resize(*count);
      return bytes;
    };
    if (*size <= kReadWhole) {
      note("content of " + path, read(0, *size + 1), text_of_hash);
      note("end of " + path, read(*size / 2, 100), text_of_hash);
      const File file(root_.table(), node, *size);
      note("bytes of " + path, file.bytes(), text_of_hash);
    } else {
      note("beginning of " + path, read(0, kEndsBytes), text_of_hash);
      note("end of " + path, read(*size - kEndsBytes, kEndsBytes + 1), text_of_hash);
    }
    ask_ranges(node, path, *size);
  }

  void ask_ranges(const Node& node, const std::string& path, std::uint64_t size) {
    std::string ranges;
    for (std::uint64_t offset = 0; offset < size;) {
      const auto range = table_.next_data(node, offset);
      if (!range) {
        note("data of " + path, range, [](const auto&) { return std::string(); });
        return;
      }
      if (range->begin == size) break;
      if (range->begin < offset || range->end <= range->begin || range->end > size) {
        facts_.offences.push_back("stretches of data that do not go forward");
        return;
      }
      ranges += std::to_string(range->begin) + '-' + std::to_string(range->end) + ' ';
      offset = range->end;
    }
    facts_.answers["data of " + path] = ranges;
  }

  View root_;
  const tree::Table& table_;
  std::uint64_t most_entries_;
};

// The directory that `question` is about an entry of; nothing for questions about the root or of another kind.
bool may_be_missing(const PackFacts& found, const std::string& question) {
  const std::size_t of = question.find(" of ");
  if (of == std::string::npos) return false;
  std::string path = question.substr(of + 4);
  // Some directory above could not be listed to its end.
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    path.resize(slash == std::string::npos ? 0 : slash);
    const auto listed = found.answers.find("list of " + path);
    if (listed != found.answers.end() && !listed->second.ends_with(kListed)) return true;
  }
  return false;
}

bool is_right(const std::string& truth, const std::string& answer, bool is_list) {
  if (answer == truth || answer.starts_with("error ")) return true;
  return is_list && !answer.ends_with(kListed) && truth.starts_with(answer);
}

}  // namespace

PackFacts facts_of(const Pack& pack, std::uint64_t file_bytes, const std::vector<std::string>& names) {
  Asker asker(pack, file_bytes);
  asker.facts_.answers["info"] = text_of_info(pack.info());
  asker.walk();
  for (const std::string& name : names) asker.look_up(name);
  return std::move(asker.facts_);
}

std::vector<std::string> names_in(const Pack& pack) {
  std::vector<std::string> names;
  for (const auto& [question, answer] : facts_of(pack, pack.info().file_bytes, {}).answers) {
    if (question.starts_with("stat of /")) names.push_back(question.substr(std::string_view("stat of /").size()));
  }
  return names;
}

std::vector<std::string> wrong_answers(const PackFacts& truth, const PackFacts& found) {
  std::vector<std::string> wrong;
  for (const auto& [question, answer] : found.answers) {
    const auto expected = truth.answers.find(question);
    const bool is_list = question.starts_with("list of ");
    if (expected == truth.answers.end()) {
      // Another question is asked of what cannot be told to be the same entry: "size" where "beginning" failed.
      if (!answer.starts_with("error ")) wrong.push_back(question + ": " + answer + " from nowhere");
    } else if (!is_right(expected->second, answer, is_list)) {
      wrong.push_back(question + ": " + answer + " instead of " + expected->second);
    }
  }
  for (const auto& [question, answer] : truth.answers) {
    if (found.answers.contains(question)) continue;
    // Where its size is an error, nothing else is asked of a content.
    const std::size_t of = question.find(" of ");
    const auto size = of == std::string::npos ? found.answers.end() : found.answers.find("size" + question.substr(of));
    const bool no_size = size != found.answers.end() && size->second.starts_with("error ");
    if (!no_size && !may_be_missing(found, question)) wrong.push_back(question + " is missing");
  }
  return wrong;
}

}  // namespace packfs::testing
