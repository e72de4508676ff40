#include "stress/state_text.h"

#include <functional>
#include <vector>

#include "stress/apply.h"
#include "stress/operation.h"

namespace packfs::stress {

namespace {

std::string line_of(const std::string& path, const std::string& stat, std::string_view bytes) {
  return escaped(path) + " " + stat + " " + std::to_string(std::hash<std::string_view>()(bytes)) + "\n";
}

std::string line_of(const View& view, const std::string& path, const Entry& entry) {
  const auto stat = entry.stat();
  if (!stat) return escaped(path) + " " + stat.error().message() + "\n";
  if (stat->type == FileType::symlink) {
    const auto target = view.readlink(path);
    return line_of(path, stat_text(*stat), target ? *target : target.error().message());
  }
  if (stat->type != FileType::regular) return line_of(path, stat_text(*stat), "");
  const auto file = entry.open();
  if (!file) return escaped(path) + " " + file.error().message() + "\n";
  const auto bytes = file->bytes();
  if (!bytes) return escaped(path) + " " + bytes.error().message() + "\n";
  return line_of(path, stat_text(*stat), {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
}

}  // namespace

std::string state_text(const View& view) {
  const auto root = view.stat("");
  std::string text = line_of("", root ? stat_text(*root) : root.error().message(), "");
  std::vector<std::string> directories{""};
  while (!directories.empty()) {
    const std::string prefix = std::move(directories.back());
    directories.pop_back();
    Listing listing = view.list(prefix);
    for (const Result<Entry>& entry : listing) {
      if (!entry) {
        text += "error in " + escaped(prefix) + ": " + entry.error().message() + "\n";
        continue;
      }
      const std::string path = prefix + std::string(entry->name());
      text += line_of(view, path, *entry);
      if (entry->type() == FileType::directory) directories.push_back(path + "/");
    }
  }
  return text;
}

std::string state_text(const Model& model) {
  std::string text = line_of("", stat_text(model.stat_of(model.root())), "");
  std::vector<std::pair<std::string, ModelId>> directories{{"", model.root()}};
  while (!directories.empty()) {
    const auto [prefix, directory] = std::move(directories.back());
    directories.pop_back();
    for (const auto& [name, id] : model.inode(directory).entries) {
      const std::string path = prefix + name;
      text += line_of(path, stat_text(model.stat_of(id)), model.inode(id).bytes);
      if (model.inode(id).type == FileType::directory) directories.emplace_back(path + "/", id);
    }
  }
  return text;
}

}  // namespace packfs::stress
