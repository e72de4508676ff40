#include "stress/compare.h"

#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "stress/apply.h"

namespace packfs::stress {

namespace {

bool same_bytes(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() == text.size() && (text.empty() || std::memcmp(bytes.data(), text.data(), text.size()) == 0);
}

std::string joined(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : directory + "/" + name;
}

std::string message_of(const Error& error) { return "error: " + error.message(); }

template <class Reader>
class Comparison {
 public:
  Comparison(const Reader& reader, const Model& model, ShownNumbers& shown)
      : reader_(reader), model_(model), shown_(shown) {}

  Complaint run() {
    std::vector<std::pair<std::string, ModelId>> directories{{"", model_.root()}};
    if (auto complaint = root()) return complaint;
    while (!directories.empty()) {
      const auto [path, id] = std::move(directories.back());
      directories.pop_back();
      if (auto complaint = directory(path, id)) return "\"" + escaped(path) + "\": " + *complaint;
      for (const auto& [name, child] : model_.inode(id).entries) {
        if (model_.inode(child).type == FileType::directory) directories.emplace_back(joined(path, name), child);
      }
    }
    return std::nullopt;
  }

 private:
  Complaint root() {
    const auto stat = reader_.stat("");
    if (!stat) return "stat of the root: " + message_of(stat.error());
    return this->stat(*stat, model_.root());
  }

  Complaint directory(const std::string& path, ModelId id) {
    const auto totals = reader_.totals(path);
    if (!totals) return "totals: " + message_of(totals.error());
    const std::string expected = totals_text(model_.totals_of(id));
    if (totals_text(*totals) != expected) return "totals " + totals_text(*totals) + ", not " + expected;
    if (auto complaint = xattrs(path, id)) return complaint;
    const auto& entries = model_.inode(id).entries;
    auto next = entries.begin();
    Listing listing = reader_.list(path);
    for (const Result<Entry>& entry : listing) {
      if (!entry) return "listing: " + message_of(entry.error());
      if (next == entries.end()) return "lists \"" + escaped(entry->name()) + "\", which is not there";
      if (entry->name() != next->first) {
        return "lists \"" + escaped(entry->name()) + "\", not \"" + escaped(next->first) + "\"";
      }
      if (auto complaint = this->entry(*entry, joined(path, next->first), next->second)) {
        return "entry \"" + escaped(next->first) + "\": " + *complaint;
      }
      ++next;
    }
    if (next != entries.end()) return "does not list \"" + escaped(next->first) + "\"";
    return std::nullopt;
  }

  Complaint entry(const Entry& entry, const std::string& path, ModelId id) {
    const ModelInode& inode = model_.inode(id);
    if (entry.type() != inode.type) return "is listed as type " + std::to_string(static_cast<int>(entry.type()));
    for (const auto& stat : {entry.stat(), reader_.lstat(path)}) {
      if (!stat) return message_of(stat.error());
      if (auto complaint = this->stat(*stat, id)) return complaint;
    }
    if (inode.type == FileType::symlink) {
      const auto target = reader_.readlink(path);
      if (!target) return "readlink: " + message_of(target.error());
      if (*target != inode.bytes) return "target \"" + escaped(*target) + "\", not \"" + escaped(inode.bytes) + "\"";
    }
    if (inode.type == FileType::regular) {
      if (auto complaint = content(entry, path, inode.bytes)) return complaint;
    }
    return inode.type == FileType::directory ? std::nullopt : xattrs(path, id);
  }

  Complaint stat(const Stat& stat, ModelId id) {
    const ModelStat expected = model_.stat_of(id);
    if (stat_text(stat) != stat_text(expected)) return "stat " + stat_text(stat) + ", not " + stat_text(expected);
    if (expected.mtime && stat.mtime != *expected.mtime) {
      return "mtime " + std::to_string(stat.mtime.seconds) + "." + std::to_string(stat.mtime.nanoseconds) + ", not " +
             std::to_string(expected.mtime->seconds) + "." + std::to_string(expected.mtime->nanoseconds);
    }
    const auto [known, is_new] = shown_.try_emplace(id, stat.inode);
    if (!is_new && known->second != stat.inode) return "shows two inode numbers";
    const bool is_linked = expected.type != FileType::directory && expected.nlink > 1;
    if (is_linked != (stat.link_id != 0)) return "link id " + std::to_string(stat.link_id);
    if (!is_linked) return std::nullopt;
    const ModelId owner = owner_of_link_id_.try_emplace(stat.link_id, id).first->second;
    const std::uint64_t link_id = link_id_of_.try_emplace(id, stat.link_id).first->second;
    if (owner != id || link_id != stat.link_id) return "link id " + std::to_string(stat.link_id) + " is not its own";
    return std::nullopt;
  }

  Complaint content(const Entry& entry, const std::string& path, const std::string& expected) {
    const auto file = entry.open();
    if (!file) return "open: " + message_of(file.error());
    if (auto complaint = compare_file(*file, expected)) return complaint;
    std::string buffer(expected.size() + 1, '?');
    const auto read = reader_.read(path, std::as_writable_bytes(std::span(buffer)));
    if (!read) return "read: " + message_of(read.error());
    if (*read != expected.size() || buffer != expected + '?') return "read by path gives other bytes";
    return std::nullopt;
  }

  Complaint xattrs(const std::string& path, ModelId id) {
    const auto& expected = model_.inode(id).xattrs;
    if (expected.empty()) return std::nullopt;  // stat said so
    const auto xattrs = reader_.xattrs(path);
    if (!xattrs) return "xattrs: " + message_of(xattrs.error());
    auto next = expected.begin();
    for (const Xattr& xattr : *xattrs) {
      if (next == expected.end() || xattr.name != next->first || !same_bytes(xattr.value, next->second)) {
        return "xattr \"" + escaped(xattr.name) + "\" is wrong";
      }
      ++next;
    }
    if (next != expected.end()) return "xattr \"" + escaped(next->first) + "\" is missing";
    return std::nullopt;
  }

  const Reader& reader_;
  const Model& model_;
  ShownNumbers& shown_;
  std::map<std::uint64_t, ModelId> owner_of_link_id_;
  std::map<ModelId, std::uint64_t> link_id_of_;
};

}  // namespace

Complaint compare_file(const File& file, const std::string& content) {
  if (file.size() != content.size()) return "file of " + std::to_string(file.size()) + " bytes";
  const std::size_t middle = content.size() / 2;
  std::string buffer(content.size() - middle + 1, '?');
  const auto read = file.read(middle, std::as_writable_bytes(std::span(buffer)));
  if (!read) return "read: " + message_of(read.error());
  if (buffer != content.substr(middle) + '?' || *read != content.size() - middle) return "read gives other bytes";
  const auto bytes = file.bytes();
  if (!bytes) return "bytes: " + message_of(bytes.error());
  if (!same_bytes(*bytes, content)) return "bytes() gives other bytes";
  return std::nullopt;
}

Complaint compare_state(const View& view, const Model& model, ShownNumbers& shown) {
  return Comparison(view, model, shown).run();
}

Complaint compare_state(const Writable& volume, const Model& model, ShownNumbers& shown) {
  return Comparison(volume, model, shown).run();
}

}  // namespace packfs::stress
