#include "stress/apply.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace packfs::stress {

namespace {

using Kind = Operation::Kind;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

CreateOptions create_options(const Operation& operation) {
  return {.mode = operation.mode,
          .make_parents = (operation.option & Operation::kMakeParents) != 0,
          .exclusive = (operation.option & Operation::kExclusive) != 0};
}

LastLink last_link(const Operation& operation) {
  return operation.option == Operation::kFollowed ? LastLink::followed : LastLink::kept;
}

template <class T>
Outcome failed(const T& result) {
  if constexpr (requires { result.error().code(); }) {
    return {result.error().code(), "", {}};
  } else {
    return {result.error(), "", {}};
  }
}

template <class T>
Outcome outcome_of(const T& result, auto text) {
  return result ? Outcome{std::nullopt, text(*result), {}} : failed(result);
}

template <class T>
Outcome done(const T& result) {
  return result ? Outcome() : failed(result);
}

/// What a call that changes something gives: the library's error with all it says, the model's code.
template <class Tree>
using Changed = decltype(std::declval<Tree&>().unlink(""));

/// Those with all attributes.
template <class Tree, class Bytes>
std::optional<Changed<Tree>> given_call(const Operation& op, Tree& tree, const Bytes& content,
                                        const Attributes& attributes) {
  switch (op.kind) {
    case Kind::set_attributes:
      return tree.set_attributes(op.path, attributes);
    case Kind::write_given: {
      CreateOptions options = create_options(op);
      options.mode = 0644;
      options.attributes = &attributes;
      return tree.write(op.path, content, options);
    }
    case Kind::make_directory_given:
      return tree.make_directory(op.path, attributes);
    case Kind::symlink_given:
      return tree.symlink(op.other, op.path, attributes);
    case Kind::make_special_given:
      return tree.make_special(op.path, static_cast<FileType>(op.option), attributes,
                               static_cast<std::uint32_t>(op.offset >> 32), static_cast<std::uint32_t>(op.offset));
    default:
      return std::nullopt;
  }
}

/// The calls that a Writable and a Model have under one name, but for their bytes.
template <class Tree, class Bytes>
std::optional<Changed<Tree>> changing_call(const Operation& op, Tree& tree, const Bytes& content) {
  switch (op.kind) {
    case Kind::write:
    case Kind::write_owned:
      return tree.write(op.path, content, create_options(op));
    case Kind::append:
      return tree.append(op.path, content, create_options(op));
    case Kind::write_at:
      return tree.write_at(op.path, op.offset, content);
    case Kind::truncate:
      return tree.truncate(op.path, op.size);
    case Kind::make_directory:
      return tree.make_directory(op.path, op.mode);
    case Kind::make_directories:
      return tree.make_directories(op.path, op.mode);
    case Kind::remove_directory:
      return tree.remove_directory(op.path);
    case Kind::unlink:
      return tree.unlink(op.path);
    case Kind::remove_tree:
      return tree.remove_tree(op.path);
    case Kind::rename:
      return tree.rename(op.path, op.other, static_cast<RenameMode>(op.option));
    case Kind::clone:
      return tree.clone(op.path, op.other);
    case Kind::link:
      return tree.link(op.path, op.other);
    case Kind::symlink:
      return tree.symlink(op.other, op.path);
    case Kind::make_special:
      return tree.make_special(op.path, static_cast<FileType>(op.option), op.mode, op.uid, op.gid);
    case Kind::chmod:
      return tree.chmod(op.path, op.mode);
    case Kind::chown:
      return tree.chown(op.path, op.uid, op.gid, last_link(op));
    case Kind::set_mtime:
      return tree.set_mtime(op.path, op.mtime, last_link(op));
    case Kind::set_xattr:
      return tree.set_xattr(op.path, op.other, content, static_cast<XattrMode>(op.option));
    case Kind::remove_xattr:
      return tree.remove_xattr(op.path, op.other);
    default:
      return given_call(op, tree, content, attributes_given(op));
  }
}

/// fill or thin: one call for each name.
template <class Tree>
Outcome repeat(const Operation& op, Tree& tree) {
  Outcome all;
  for (std::uint64_t i = 0; i < op.size; ++i) {
    if (op.kind == Kind::thin && i % 3 == 0) continue;
    Operation one;
    one.kind = op.kind == Kind::fill ? Kind::write : Kind::unlink;
    one.path = op.path + "/" + op.other + std::to_string(i);
    one.size = op.kind == Kind::fill ? i % 7 : 0;
    one.mode = 0600;
    const Outcome outcome = apply(one, tree);
    all.text += outcome.error ? std::to_string(static_cast<int>(*outcome.error)) + " " : ".";
  }
  return all;
}

std::string listing_line(std::string_view name, FileType type) {
  return escaped(name) + ":" + std::to_string(static_cast<int>(type)) + " ";
}

Outcome read_list(const Operation& op, const Writable& volume) {
  Outcome outcome;
  Listing listing = volume.list(op.path, op.other);
  for (const Result<Entry>& entry : listing) {
    if (!entry) return failed(entry);
    outcome.text += listing_line(entry->name(), entry->type());
  }
  return outcome;
}

Outcome read_stat(const Result<Stat>& stat) {
  if (!stat) return failed(stat);
  return {std::nullopt, stat_text(*stat), stat->mtime};
}

Outcome reading(const Operation& op, const Writable& volume) {
  switch (op.kind) {
    case Kind::read: {
      std::string buffer(op.size, '?');
      const auto read = volume.read(op.path, std::as_writable_bytes(std::span(buffer)), op.offset);
      return outcome_of(read, [&](std::size_t length) { return escaped(buffer.substr(0, length)); });
    }
    case Kind::stat:
      return read_stat(volume.stat(op.path));
    case Kind::lstat:
      return read_stat(volume.lstat(op.path));
    case Kind::readlink:
      return outcome_of(volume.readlink(op.path), [](const std::string& target) { return escaped(target); });
    case Kind::xattrs:
      return outcome_of(volume.xattrs(op.path), [](const std::vector<Xattr>& xattrs) {
        std::string text;
        for (const Xattr& xattr : xattrs) text += escaped(xattr.name) + "=" + escaped(text_of(xattr.value)) + " ";
        return text;
      });
    case Kind::exists:
      return outcome_of(volume.exists(op.path), [](bool exists) { return std::to_string(exists); });
    case Kind::totals:
      return outcome_of(volume.totals(op.path), totals_text);
    default:
      return read_list(op, volume);
  }
}

Outcome read_stat(const Expected<ModelStat>& stat) {
  if (!stat) return failed(stat);
  return {std::nullopt, stat_text(*stat), stat->mtime};
}

Outcome reading(const Operation& op, const Model& model) {
  switch (op.kind) {
    case Kind::read:
      return outcome_of(model.content(op.path), [&](const std::string& content) {
        return op.offset < content.size() ? escaped(content.substr(op.offset, op.size)) : "";
      });
    case Kind::stat:
      return read_stat(model.stat(op.path, LastLink::followed));
    case Kind::lstat:
      return read_stat(model.stat(op.path, LastLink::kept));
    case Kind::readlink:
      return outcome_of(model.readlink(op.path), [](const std::string& target) { return escaped(target); });
    case Kind::xattrs:
      return outcome_of(model.xattrs(op.path), [](const auto& xattrs) {
        std::string text;
        for (const auto& [name, value] : xattrs) text += escaped(name) + "=" + escaped(value) + " ";
        return text;
      });
    case Kind::exists:
      return outcome_of(model.exists(op.path), [](bool exists) { return std::to_string(exists); });
    case Kind::totals:
      return outcome_of(model.totals(op.path), totals_text);
    default:
      return outcome_of(model.list(op.path, op.other), [&](const std::vector<std::string>& names) {
        std::string text;
        const ModelId directory = model.stat(op.path, LastLink::followed)->id;
        const auto& entries = model.inode(directory).entries;
        for (const std::string& name : names) text += listing_line(name, model.inode(entries.at(name)).type);
        return text;
      });
  }
}

template <class StatType>
std::string common_stat_text(const StatType& stat, std::uint32_t major, std::uint32_t minor) {
  return "type " + std::to_string(static_cast<int>(stat.type)) + " mode " + std::to_string(stat.mode) + " uid " +
         std::to_string(stat.uid) + " gid " + std::to_string(stat.gid) + " nlink " + std::to_string(stat.nlink) +
         " size " + std::to_string(stat.size) + " device " + std::to_string(major) + ":" + std::to_string(minor) +
         (stat.has_xattrs ? " with xattrs" : "");
}

}  // namespace

std::string Outcome::to_text() const {
  if (error) return "error " + std::to_string(static_cast<int>(*error)) + " (" + Error(*error).message() + ")";
  std::string all = "ok " + text;
  if (mtime) all += " mtime " + std::to_string(mtime->seconds) + "." + std::to_string(mtime->nanoseconds);
  return all;
}

bool agrees(const Outcome& real, const Outcome& expected) {
  return real.error == expected.error && real.text == expected.text &&
         (!expected.mtime || real.mtime == expected.mtime);
}

bool is_call(Operation::Kind kind) { return kind <= Kind::list; }

Result<void> change(const Operation& operation, Writable& volume) {
  const std::string content = operation.kind == Kind::truncate ? "" : content_of(operation);
  const auto bytes = std::as_bytes(std::span(content));
  if (operation.kind == Kind::write_owned) {
    auto owned = std::make_unique_for_overwrite<std::byte[]>(bytes.size());
    std::ranges::copy(bytes, owned.get());
    return volume.write(operation.path, std::move(owned), bytes.size(), create_options(operation));
  }
  return changing_call(operation, volume, bytes).value();
}

Outcome apply(const Operation& operation, Writable& volume) {
  if (operation.kind == Kind::fill || operation.kind == Kind::thin) return repeat(operation, volume);
  if (operation.kind > Kind::thin) return reading(operation, volume);
  return done(change(operation, volume));
}

Outcome apply(const Operation& operation, Model& model) {
  if (operation.kind == Kind::fill || operation.kind == Kind::thin) return repeat(operation, model);
  if (operation.kind > Kind::thin) return reading(operation, model);
  const std::string content = operation.kind == Kind::truncate ? "" : content_of(operation);
  return done(changing_call(operation, model, content).value());
}

std::string stat_text(const ModelStat& stat) { return common_stat_text(stat, stat.major, stat.minor); }
std::string stat_text(const Stat& stat) { return common_stat_text(stat, stat.device_major, stat.device_minor); }

std::string totals_text(const Totals& totals) {
  return std::to_string(totals.entries) + " entries, " + std::to_string(totals.bytes) + " bytes, " +
         std::to_string(totals.linked_names) + " linked names";
}

}  // namespace packfs::stress
