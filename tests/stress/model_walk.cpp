#include "stress/model_walk.h"

#include <algorithm>
#include <utility>

namespace packfs::stress {

namespace {

constexpr std::size_t kMaxName = 255;
constexpr std::size_t kMaxPath = std::size_t{1} << 20;
constexpr int kMaxFollowed = 40;

/// The parts between slashes with whether a slash follows; "" and "." only pass their slash on.
template <class Add>
void split(std::string_view path, Add add) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(end);
    const bool slash = !path.empty();
    if (slash) path.remove_prefix(1);
    if (!part.empty() && part != ".") add(std::string(part), slash);
  }
}

}  // namespace

bool Model::Place::passes(ModelId directory) const { return std::ranges::find(trail, directory) != trail.end(); }

Model::Walk::Walk(const Model& model, Last last, Missing missing)
    : model_(model), last_(last), missing_(std::move(missing)) {}

Expected<Model::Place> Model::Walk::run(std::string_view path) {
  // A caller's path is looked at as a whole first, so that one that can never be right is told from a missing entry.
  if (path.size() > kMaxPath) return std::unexpected(ErrorCode::name_too_long);
  if (path.contains('\0')) return std::unexpected(ErrorCode::invalid);
  split(path, [&](std::string name, bool slash) { pending_.push_back({std::move(name), slash, true}); });
  for (const Component& component : pending_) {
    if (component.name.size() > kMaxName) return std::unexpected(ErrorCode::name_too_long);
    if (component.name == "..") return std::unexpected(ErrorCode::escapes_root);
  }
  at_ = {{model_.root_}, "", model_.root_, false};
  while (!pending_.empty()) {
    const Component component = std::move(pending_.front());
    pending_.pop_front();
    const auto over = step(component);
    if (!over) return std::unexpected(over.error());
    if (*over) break;
  }
  return at_;
}

Expected<bool> Model::Walk::step(const Component& component) {
  at_.name.clear();
  at_.slash = component.slash;
  if (component.name == "..") {  // of a target: stops at the root
    if (at_.trail.size() > 1) at_.trail.pop_back();
    at_.id = at_.trail.back();
    return false;
  }
  if (component.name.size() > kMaxName) return std::unexpected(ErrorCode::name_too_long);
  const bool creates = last_ == Last::created || last_ == Last::created_new;
  // open(2) with O_CREAT looks no further when its last name has a slash behind it (open_last_lookups() in Linux).
  if (ends() && creates && component.slash) return std::unexpected(ErrorCode::is_a_directory);
  const auto& entries = model_.inode(at_.trail.back()).entries;
  const auto found = entries.find(component.name);
  at_.name = component.name;
  at_.id = found == entries.end() ? 0 : found->second;
  if (ends() && (last_ == Last::untouched || last_ == Last::created_new)) return true;
  if (at_.id == 0) {
    if (ends() && last_ == Last::created) return true;
    if (!ends() && component.from_caller && missing_) at_.id = missing_(at_.trail.back(), component.name);
    if (at_.id == 0) return std::unexpected(ErrorCode::no_entry);
  }
  const ModelInode& inode = model_.inode(at_.id);
  if (inode.type == FileType::directory) {
    if (!ends() || !creates) at_.trail.push_back(at_.id);
    return ends();
  }
  if (inode.type == FileType::symlink && (!ends() || component.slash || last_ != Last::kept)) {
    if (const auto followed = follow(inode, component.slash); !followed) return std::unexpected(followed.error());
    return false;
  }
  if (!ends() || component.slash) return std::unexpected(ErrorCode::not_a_directory);
  return true;
}

Done Model::Walk::follow(const ModelInode& symlink, bool slash) {
  if (++followed_ > kMaxFollowed) return std::unexpected(ErrorCode::symlink_loop);
  std::deque<Component> target;
  split(symlink.bytes, [&](std::string name, bool follows) { target.push_back({std::move(name), follows, false}); });
  // "link/" asks for a directory of what the link leads to.
  if (!target.empty() && slash) target.back().slash = true;
  pending_.insert(pending_.begin(), target.begin(), target.end());
  if (symlink.bytes.starts_with('/')) at_.trail.resize(1);
  at_.id = at_.trail.back();
  at_.name.clear();
  return {};
}

Expected<Model::Place> Model::walk(std::string_view path, Last last) const { return Walk(*this, last).run(path); }

Expected<Model::Place> Model::walk_making_parents(std::string_view path, Last last) {
  return Walk(*this, last,
              [this](ModelId directory, const std::string& name) {
                const ModelId made = make(FileType::directory, 0755);
                enter(directory, name, made);
                return made;
              })
      .run(path);
}

Expected<ModelId> Model::look_up(std::string_view path, LastLink last) const {
  const auto place = walk(path, last == LastLink::kept ? Last::kept : Last::followed);
  if (!place) return std::unexpected(place.error());
  return place->id;
}

/// As filename_create() in Linux: what is there is `exists`, with a slash too; a slash behind nothing is for mkdir(2)
/// only.
Expected<Model::Place> Model::place_for_new(std::string_view path, bool is_directory) const {
  auto place = walk(path, Last::untouched);
  if (!place) return place;
  if (place->id != 0) {
    const bool overlooked = fault_ == Fault::dangling_symlinks_exist_not &&
                            inode(place->id).type == FileType::symlink && !look_up(path, LastLink::followed);
    if (!overlooked) return std::unexpected(ErrorCode::exists);
  }
  if (place->slash && !is_directory) return std::unexpected(ErrorCode::no_entry);
  return place;
}

}  // namespace packfs::stress
