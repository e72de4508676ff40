#include "stress/model.h"

#include <utility>

namespace packfs::stress {

Model::Model(std::uint32_t uid, std::uint32_t gid, Fault fault) : uid_(uid), gid_(gid), fault_(fault) {
  root_ = make(FileType::directory, 0755);
}

ModelId Model::make(FileType type, std::uint32_t mode) {
  const ModelId id = next_id_++;
  ModelInode& inode = inodes_[id];
  inode.type = type;
  inode.mode = mode;
  inode.uid = uid_;
  inode.gid = gid_;
  change_content(id);
  return id;
}

void Model::change_attributes(ModelId id) {
  at(id).touched = next_stamp_++;
  at(id).may_share_number_of.clear();
}

void Model::change_content(ModelId id) {
  change_attributes(id);
  at(id).mtime = {std::nullopt, at(id).touched};
}

void Model::enter(ModelId directory, const std::string& name, ModelId id) {
  at(directory).entries[name] = id;
  change_content(directory);
}

void Model::leave(ModelId directory, const std::string& name) {
  at(directory).entries.erase(name);
  change_content(directory);
}

/// One name less; with the last one the inode goes, a directory with all that is in it.
void Model::let_go(ModelId id) {
  if (is_directory(id)) {
    const auto entries = at(id).entries;
    for (const auto& [name, child] : entries) let_go(child);
    inodes_.erase(id);
  } else if (--at(id).names == 0) {
    inodes_.erase(id);
  } else {
    change_attributes(id);
  }
}

/// mkdir(2). A slash may follow.
Done Model::make_directory(std::string_view path, std::uint32_t mode) {
  if (mode > kModeBits) return std::unexpected(ErrorCode::invalid);
  const auto place = place_for_new(path, true);
  if (!place) return std::unexpected(place.error());
  enter(place->directory(), place->name, make(FileType::directory, mode));
  return {};
}

/// mkdir(1) -p: `mode` is the last one's only. What stands in the last place must be, or lead to, a directory.
Done Model::make_directories(std::string_view path, std::uint32_t mode) {
  if (mode > kModeBits) return std::unexpected(ErrorCode::invalid);
  Model before = *this;
  const auto place = walk_making_parents(path, Last::untouched);
  if (place && place->id == 0) {
    enter(place->directory(), place->name, make(FileType::directory, mode));
    return {};
  }
  Done done;
  if (!place) {
    done = std::unexpected(place.error());
  } else if (const auto there = look_up(path, LastLink::followed); !there || !is_directory(*there)) {
    done = std::unexpected(ErrorCode::exists);
  }
  if (!done) *this = std::move(before);
  return done;
}

/// rmdir(2), but the root is busy by any name, and "x/." is "x/".
Done Model::remove_directory(std::string_view path) {
  const auto place = walk(path, Last::untouched);
  if (!place) return std::unexpected(place.error());
  if (place->name.empty()) return std::unexpected(ErrorCode::busy);
  if (place->id == 0) return std::unexpected(ErrorCode::no_entry);
  if (!is_directory(place->id)) return std::unexpected(ErrorCode::not_a_directory);
  if (!inode(place->id).entries.empty()) return std::unexpected(ErrorCode::not_empty);
  leave(place->directory(), place->name);
  let_go(place->id);
  return {};
}

/// unlink(2), in the order of do_unlinkat(): EISDIR for "/" and ".", for directories with and without a slash; ENOTDIR
/// for a slash behind anything else, a symlink to a directory too.
Done Model::unlink(std::string_view path) {
  const auto place = walk(path, Last::untouched);
  if (!place) return std::unexpected(place.error());
  if (place->name.empty()) return std::unexpected(ErrorCode::is_a_directory);
  if (place->id == 0) return std::unexpected(ErrorCode::no_entry);
  if (is_directory(place->id)) return std::unexpected(ErrorCode::is_a_directory);
  if (place->slash) return std::unexpected(ErrorCode::not_a_directory);
  leave(place->directory(), place->name);
  if (fault_ == Fault::unlink_takes_all_names) {
    for (auto& [id, other] : inodes_)
      std::erase_if(other.entries, [&](const auto& e) { return e.second == place->id; });
    at(place->id).names = 1;
  }
  let_go(place->id);
  return {};
}

Done Model::remove_tree(std::string_view path) {
  const auto place = walk(path, Last::untouched);
  if (!place) return std::unexpected(place.error());
  if (place->name.empty()) return std::unexpected(ErrorCode::busy);
  if (place->id == 0) return std::unexpected(ErrorCode::no_entry);
  if (place->slash && !is_directory(place->id)) return std::unexpected(ErrorCode::not_a_directory);
  leave(place->directory(), place->name);
  let_go(place->id);
  return {};
}

Done Model::symlink(std::string_view target, std::string_view path) {
  constexpr std::size_t kMaxTarget = std::size_t{1} << 20;
  if (target.empty() || target.size() > kMaxTarget || target.contains('\0')) return std::unexpected(ErrorCode::invalid);
  const auto place = place_for_new(path, false);
  if (!place) return std::unexpected(place.error());
  const ModelId made = make(FileType::symlink, 0777);
  at(made).bytes = target;
  enter(place->directory(), place->name, made);
  return {};
}

/// mknod(2), for what is neither file nor directory. The numbers count for devices only.
Done Model::make_special(std::string_view path, FileType type, std::uint32_t mode, std::uint32_t major,
                         std::uint32_t minor) {
  const bool is_device = type == FileType::character_device || type == FileType::block_device;
  const bool is_special = is_device || type == FileType::fifo || type == FileType::socket;
  if (!is_special || mode > kModeBits) return std::unexpected(ErrorCode::invalid);
  const auto place = place_for_new(path, false);
  if (!place) return std::unexpected(place.error());
  const ModelId made = make(type, mode);
  if (is_device) {
    at(made).major = major;
    at(made).minor = minor;
  }
  enter(place->directory(), place->name, made);
  return {};
}

}  // namespace packfs::stress
