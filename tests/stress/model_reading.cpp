#include <algorithm>

#include "stress/model.h"

namespace packfs::stress {

Expected<std::string> Model::content(std::string_view path) const {
  const auto id = existing_file(path);
  if (!id) return std::unexpected(id.error());
  return inode(*id).bytes;
}

ModelStat Model::stat_of(ModelId id) const {
  const ModelInode& inode = this->inode(id);
  ModelStat stat{.id = id,
                 .type = inode.type,
                 .mode = inode.mode,
                 .uid = inode.uid,
                 .gid = inode.gid,
                 .nlink = inode.names,
                 .size = inode.bytes.size(),
                 .mtime = inode.mtime.set,
                 .major = inode.major,
                 .minor = inode.minor,
                 .has_xattrs = !inode.xattrs.empty()};
  if (inode.type == FileType::directory) {
    const auto subdirectories =
        std::ranges::count_if(inode.entries, [&](const auto& entry) { return is_directory(entry.second); });
    stat.nlink = 2 + static_cast<std::uint64_t>(subdirectories);
  }
  return stat;
}

Expected<ModelStat> Model::stat(std::string_view path, LastLink last) const {
  const auto id = look_up(path, last);
  if (!id) return std::unexpected(id.error());
  return stat_of(*id);
}

Expected<std::string> Model::readlink(std::string_view path) const {
  const auto id = look_up(path, LastLink::kept);
  if (!id) return std::unexpected(id.error());
  if (inode(*id).type != FileType::symlink) return std::unexpected(ErrorCode::invalid);
  return inode(*id).bytes;
}

Expected<std::map<std::string, std::string>> Model::xattrs(std::string_view path) const {
  const auto id = look_up(path, LastLink::kept);
  if (!id) return std::unexpected(id.error());
  return inode(*id).xattrs;
}

/// A way that leads nowhere (ENOENT, ENOTDIR) is an answer; what else is wrong with a path is an error.
Expected<bool> Model::exists(std::string_view path) const {
  const auto id = look_up(path, LastLink::kept);
  if (id) return true;
  if (id.error() == ErrorCode::no_entry || id.error() == ErrorCode::not_a_directory) return false;
  return std::unexpected(id.error());
}

void Model::sum(ModelId directory, Totals& totals) const {
  for (const auto& [name, id] : inode(directory).entries) {
    const ModelInode& entry = inode(id);
    ++totals.entries;
    if (entry.type == FileType::directory) {
      sum(id, totals);
    } else {
      if (entry.type == FileType::regular) totals.bytes += entry.bytes.size();
      if (entry.names > 1) ++totals.linked_names;
    }
  }
}

Totals Model::totals_of(ModelId directory) const {
  Totals totals;
  sum(directory, totals);
  return totals;
}

Expected<Totals> Model::totals(std::string_view path) const {
  const auto id = look_up(path, LastLink::followed);
  if (!id) return std::unexpected(id.error());
  if (!is_directory(*id)) return std::unexpected(ErrorCode::not_a_directory);
  return totals_of(*id);
}

Expected<std::vector<std::string>> Model::list(std::string_view path, std::string_view from) const {
  const auto id = look_up(path, LastLink::followed);
  if (!id) return std::unexpected(id.error());
  if (!is_directory(*id)) return std::unexpected(ErrorCode::not_a_directory);
  const auto& entries = inode(*id).entries;
  std::vector<std::string> names;
  for (auto entry = entries.lower_bound(std::string(from)); entry != entries.end(); ++entry) {
    names.push_back(entry->first);
  }
  return names;
}

}  // namespace packfs::stress
