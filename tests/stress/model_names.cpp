// What moves, copies and adds names: rename, clone, link.
#include "stress/model.h"

namespace packfs::stress {

/// The checks of do_renameat2() and vfs_rename() in Linux, in their order; rename(2) has the errors. `from` is there.
Done Model::may_replace(const Place& from, const Place& to, RenameMode mode) const {
  const bool exchange = mode == RenameMode::exchange;
  if (mode == RenameMode::no_replace && to.id != 0) return std::unexpected(ErrorCode::exists);
  if (exchange) {
    if (to.id == 0) return std::unexpected(ErrorCode::no_entry);
    if (!is_directory(to.id) && to.slash) return std::unexpected(ErrorCode::not_a_directory);
  }
  if (!is_directory(from.id) && (from.slash || (!exchange && to.slash))) {
    return std::unexpected(ErrorCode::not_a_directory);
  }
  if (to.passes(from.id)) return std::unexpected(ErrorCode::invalid);
  if (to.id != 0 && from.passes(to.id)) {
    return std::unexpected(exchange ? ErrorCode::invalid : ErrorCode::not_empty);
  }
  if (exchange || to.id == 0 || to.id == from.id) return {};
  if (is_directory(from.id) && !is_directory(to.id)) return std::unexpected(ErrorCode::not_a_directory);
  if (!is_directory(from.id) && is_directory(to.id)) return std::unexpected(ErrorCode::is_a_directory);
  if (!inode(to.id).entries.empty()) return std::unexpected(ErrorCode::not_empty);
  return {};
}

/// Neither last symlink is followed, with a slash behind it either. The root is busy on both sides, before it is known
/// whether `from` is there.
Done Model::rename(std::string_view from_path, std::string_view to_path, RenameMode mode) {
  const auto from = walk(from_path, Last::untouched);
  if (!from) return std::unexpected(from.error());
  const auto to = walk(to_path, Last::untouched);
  if (!to) return std::unexpected(to.error());
  if (from->name.empty()) return std::unexpected(ErrorCode::busy);
  if (to->name.empty()) {
    return std::unexpected(mode == RenameMode::no_replace ? ErrorCode::exists : ErrorCode::busy);
  }
  if (from->id == 0) return std::unexpected(ErrorCode::no_entry);
  if (const auto may = may_replace(*from, *to, mode); !may) return may;
  if (from->id == to->id) return {};  // one entry, or two names of one file: "does nothing, and returns success"
  leave(from->directory(), from->name);
  if (to->id != 0 && mode == RenameMode::replace) {
    leave(to->directory(), to->name);
    let_go(to->id);
    if (fault_ == Fault::rename_loses_what_it_moves) {
      let_go(from->id);
      return {};
    }
  }
  enter(to->directory(), to->name, from->id);
  at(from->id).touched = next_stamp_++;  // its ctime, not its number: it is who it was
  if (mode == RenameMode::exchange) {
    enter(from->directory(), from->name, to->id);
    at(to->id).touched = next_stamp_++;
  }
  return {};
}

/// As rename() with no_replace, for the order of errors; the root can be named, but everything is below it.
Done Model::clone(std::string_view from_path, std::string_view to_path) {
  const auto from = walk(from_path, Last::untouched);
  if (!from) return std::unexpected(from.error());
  const auto to = walk(to_path, Last::untouched);
  if (!to) return std::unexpected(to.error());
  if (to->name.empty()) return std::unexpected(ErrorCode::exists);
  if (from->id == 0) return std::unexpected(ErrorCode::no_entry);
  if (to->id != 0) return std::unexpected(ErrorCode::exists);
  if (!is_directory(from->id) && (from->slash || to->slash)) return std::unexpected(ErrorCode::not_a_directory);
  if (to->passes(from->id)) return std::unexpected(ErrorCode::invalid);
  std::map<ModelId, ModelId> copied;
  enter(to->directory(), to->name, copy(from->id, copied));
  return {};
}

/// A file of several names is a new one of as many names as are copied; its number is new at once. Everything else may
/// go on showing its origin's number until it is changed.
ModelId Model::copy(ModelId id, std::map<ModelId, ModelId>& copied) {
  if (const auto known = copied.find(id); known != copied.end()) {
    ++at(known->second).names;
    return known->second;
  }
  const ModelId made = next_id_++;
  copied[id] = made;
  ModelInode inode = this->inode(id);
  const bool is_linked = inode.type != FileType::directory && inode.names > 1;
  inode.names = 1;
  inode.touched = next_stamp_++;
  if (is_linked) {
    inode.may_share_number_of.clear();
  } else {
    inode.may_share_number_of.insert(inode.may_share_number_of.begin(), id);
  }
  for (auto& [name, child] : inode.entries) child = copy(child, copied);
  inodes_[made] = std::move(inode);
  if (fault_ == Fault::clone_shares_later_writes) faulty_clones_[id] = made;
  return made;
}

/// link(2) as Linux has it: `existing` itself when it is a symlink; EEXIST comes before the EPERM of directories.
Done Model::link(std::string_view existing, std::string_view path) {
  const auto id = look_up(existing, LastLink::kept);
  if (!id) return std::unexpected(id.error());
  const auto place = place_for_new(path, false);
  if (!place) return std::unexpected(place.error());
  if (is_directory(*id)) return std::unexpected(ErrorCode::not_permitted);
  ++at(*id).names;
  change_attributes(*id);
  enter(place->directory(), place->name, *id);
  return {};
}

}  // namespace packfs::stress
