#include <map>
#include <utility>

#include "tree/edit.h"
#include "tree/edit_rollback.h"
#include "tree/linked_names.h"

// Inodes that several names share.
namespace packfs::tree {

Result<std::uint64_t> Edit::link_id(const Place& place) const {
  if (place.is_root || !place.found) return 0;
  return link_id_of(table_, place.node);
}

/// Brings a linked inode of the lower into the link table, if it is not there yet. That changes nothing to be seen.
Result<void> Edit::ensure_link(const Node& node, std::uint64_t id) {
  if (table_.find_link(id) != nullptr) return {};
  if (!owner_.heap().memory().reserve(2 * edit_bytes() + SlabHeap::kSlabBytes)) {
    return std::unexpected(Error(ErrorCode::no_memory));
  }
  const auto stat = table_.lower()->stat(node);
  if (!stat) return std::unexpected(stat.error());
  const LinkKey key(id);
  const auto inode = from_lower(node, key.name());
  if (!inode) return std::unexpected(inode.error());
  (*inode)->is_linked = true;
  (*inode)->links = stat->nlink;
  Dentry* const before = owner_.make_dentry(FileType::regular, key.lower_name(), 0);
  before->size = stat->type == FileType::regular ? stat->size : 0;
  put_link(*inode);
  put_link(before);
  return {};
}

/// So many names of a link that is in the table are gone; the inode with the last of them.
Result<void> Edit::drop_links(std::uint64_t id, std::uint64_t names) {
  if (!owner_.heap().memory().reserve(2 * edit_bytes() + SlabHeap::kSlabBytes)) {
    return std::unexpected(Error(ErrorCode::no_memory));
  }
  TreapNode*& links = table_.working().links;
  const LinkKey key(id);
  const std::uint64_t hash = owner_.heap().hash(key.name());
  Dentry* const inode = own_in_treap(owner_, links, key.name(), hash);
  inode->links -= names;
  stamp(*inode);
  if (inode->links != 0) return {};
  remove_from_treap(owner_, links, key.name(), hash);
  const std::uint64_t lower_hash = owner_.heap().hash(key.lower_name());
  if (find_in_treap(links, key.lower_name(), lower_hash) != nullptr) {
    remove_from_treap(owner_, links, key.lower_name(), lower_hash);
  }
  return {};
}

/// All names below a directory are gone.
Result<void> Edit::drop_links_below(const Node& directory) {
  std::map<std::uint64_t, std::uint64_t> names;
  std::map<std::uint64_t, Node> nodes;
  auto walked = for_each_linked(table_, directory, [&](const LinkedName& linked) -> Result<void> {
    ++names[linked.id];
    nodes.emplace(linked.id, linked.node);
    return {};
  });
  if (!walked) return walked;
  for (const auto& [id, count] : names) {
    if (auto ensured = ensure_link(nodes[id], id); !ensured) return ensured;
    if (auto dropped = drop_links(id, count); !dropped) return dropped;
  }
  return {};
}

/// Gives the names that share inodes in a fresh clone, at `target`, inodes of their own to share: a clone never writes
/// through to its origin.
Result<void> Edit::move_links_apart(const Place& source, const Place& target) {
  struct Group {
    std::uint64_t id = 0;
    std::uint64_t names = 0;
    Node node;
  };
  struct Name {
    std::vector<std::string> directories;
    std::string name;
    std::uint64_t origin = 0;
  };
  std::map<std::uint64_t, Group> groups;
  std::vector<Name> names;
  auto walked = for_each_linked(table_, source.node, [&](const LinkedName& linked) -> Result<void> {
    Group& group = groups[linked.id];
    ++group.names;
    group.node = linked.node;
    names.push_back({{linked.directories.begin(), linked.directories.end()}, std::string(linked.name), linked.id});
    return {};
  });
  if (!walked) return walked;
  for (auto& [origin, group] : groups) {
    if (auto ensured = ensure_link(group.node, origin); !ensured) return ensured;
    if (!owner_.heap().memory().reserve(edit_bytes() + SlabHeap::kSlabBytes)) {
      return std::unexpected(Error(ErrorCode::no_memory));
    }
    group.id = numbers_.link_id++;
    Dentry* const inode = owner_.copy_dentry(*table_.find_link(origin), LinkKey(group.id).name());
    inode->inode = numbers_.inode++;
    inode->links = group.names;
    put_link(inode);
  }
  for (const Name& one : names) {
    std::vector<std::string_view> directories = names_of(target.chain);
    directories.push_back(target.name);
    directories.insert(directories.end(), one.directories.begin(), one.directories.end());
    auto place = descend(directories, one.name);
    if (!place) return std::unexpected(std::move(place.error()));
    const auto id = link_id(*place);
    if (!id) return std::unexpected(id.error());
    if (*id != one.origin) return std::unexpected(unlike_its_list());
    if (auto prepared = prepare(*place); !prepared) return prepared;
    // What it counted for was what the origin counts for; a link of the volume's own counts for nothing.
    Delta delta;
    delta.bytes = -stored_link_bytes(table_, one.origin, 0);
    const FileType type = place->node.type;
    Dentry* const parent = own_chain(*place, delta);
    put_in_treap(owner_, parent->directory().treap, linked_name(type, one.name, groups[one.origin].id), place->hash);
  }
  return {};
}

Result<void> Edit::link(std::string_view existing, std::string_view path) {
  auto from = locate(existing, Last::kept);
  if (!from) return std::unexpected(std::move(from.error()));
  const bool is_directory = from->found && from->node.type == FileType::directory;
  if (!from->found) return std::unexpected(Error(ErrorCode::no_entry));
  if (from->slash && !is_directory) return std::unexpected(Error(ErrorCode::not_a_directory));
  auto to = locate(path, Last::name);
  if (!to) return std::unexpected(std::move(to.error()));
  if (to->found) return std::unexpected(Error(ErrorCode::exists));
  if (to->slash) return std::unexpected(Error(ErrorCode::no_entry));
  if (is_directory) return std::unexpected(Error(ErrorCode::not_permitted));

  Rollback rollback(*this);
  auto id = link_id(*from);
  if (!id) return std::unexpected(id.error());
  if (*id == 0) {
    // The one name becomes one of several: its inode goes to the link table.
    if (auto prepared = prepare(*from, 2 * edit_bytes()); !prepared) return prepared;
    *id = numbers_.link_id;
    auto inode = from->node.layer == 0
                     ? Result<Dentry*>(owner_.copy_dentry(StateTable::dentry_of(from->node), LinkKey(*id).name()))
                     : from_lower(from->node, LinkKey(*id).name());
    if (!inode) return std::unexpected(std::move(inode.error()));
    ++numbers_.link_id;
    Dentry* const name = linked_name(from->node.type, from->name, *id);
    Delta delta{.linked_names = 1};
    if (from->node.type == FileType::regular) delta.bytes = -(*inode)->size;
    Dentry* const parent = own_chain(*from, delta);
    if ((*inode)->family != parent->directory().children_family || (*inode)->shares_number) {
      (*inode)->inode = numbers_.inode++;
    }
    (*inode)->shares_number = false;
    (*inode)->is_linked = true;
    (*inode)->links = 1;
    put_in_treap(owner_, parent->directory().treap, name, from->hash);
    put_link(*inode);
  } else if (auto ensured = ensure_link(from->node, *id); !ensured) {
    return ensured;
  }
  auto target = again(*to);  // its chain may have been changed above
  if (!target) return std::unexpected(std::move(target.error()));
  if (auto prepared = prepare(*target, 2 * edit_bytes()); !prepared) return prepared;
  const LinkKey key(*id);
  Dentry* const inode = own_in_treap(owner_, table_.working().links, key.name(), owner_.heap().hash(key.name()));
  ++inode->links;
  stamp(*inode);
  put(*target, linked_name(inode->type, target->name, *id),
      {.entries = 1, .bytes = stored_link_bytes(table_, *id, 0), .linked_names = 1, .names_changed = true});
  rollback.keep();
  return {};
}

}  // namespace packfs::tree
