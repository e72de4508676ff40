#include "host/export_run.h"

#include <array>
#include <cerrno>
#include <utility>

#include "base/io_loops.h"
#include "host/uninterrupted.h"
#include "path/path.h"

namespace packfs::host {

namespace {

constexpr std::size_t kBatch = 64;
constexpr const char* kDefaultAcl = "system.posix_acl_default";

Error explain_clash(const Error& error) {
  if (error.code() != ErrorCode::symlink_loop && error.code() != ErrorCode::not_a_directory) return error;
  return error.with_note("something that is no directory stands in its place");
}

// The way through a view from its own directory to `path`, no symlink followed.
using Way = std::vector<std::pair<std::string_view, Node>>;

Result<Way> find_way(const tree::Table& table, Node node, std::string_view path) {
  Way way;
  path::Splitter splitter(path);
  if (auto error = splitter.error_ahead()) return std::unexpected(*error);
  bool must_be_directory = true;
  while (splitter.next()) {
    if (node.type != FileType::directory) return std::unexpected(ErrorCode::not_a_directory);
    auto found = table.find(node, splitter.component());
    if (!found) return std::unexpected(std::move(found.error()));
    node = *found;
    way.emplace_back(splitter.component(), node);
    must_be_directory = splitter.requires_directory();
  }
  if (must_be_directory && node.type != FileType::directory) return std::unexpected(ErrorCode::not_a_directory);
  return way;
}

}  // namespace

Exporter::Run::Run(base::Io& io, const View& view, base::unique_fd target, const ExportOptions& options,
                   bool made_target)
    : io_(io),
      view_(view),
      table_(*view_.table()),
      options_(options),
      trail_(io, std::move(target), options.cross_mounts ? Mounts::cross : Mounts::stay),
      attributes_(options),
      contents_(io, table_, [this](std::uint64_t bytes) { return admit(bytes); }) {
  report_.made_target = made_target;
}

Result<void> Exporter::Run::write_all() {
  if (stop_) return outcome();
  const Choice choice = options_.root_attributes;
  enter_target(choice == Choice::always || (choice == Choice::automatic && report_.made_target));
  list_current();
  finish_levels();
  return outcome();
}

Result<void> Exporter::Run::write_one(std::string_view path) {
  if (stop_) return outcome();
  auto way = find_way(table_, view_.node(), path);
  if (!way) return std::unexpected(way.error().with_path(path));
  if (way->empty()) return write_all();
  enter_target(false);
  const auto [name, node] = way->back();
  way->pop_back();
  bool arrived = true;
  for (const auto& [above, directory] : *way) arrived = arrived && enter(above, directory, Apply::when_made);
  if (arrived && node.type != FileType::directory) {
    write_other(name, node);
  } else if (arrived && enter(name, node, Apply::always)) {
    list_current();
  }
  finish_levels();
  return outcome();
}

void Exporter::Run::enter_target(bool set_attributes) {
  Level level;
  level.node = view_.node();
  level.set_attributes = set_attributes;
  level.gives_acl = gives_acl();
  levels_.push_back(std::move(level));
}

// Makes the directory if need be, and goes in. False when it cannot: that is reported.
bool Exporter::Run::enter(std::string_view name, const Node& node, Apply apply) {
  if (stop_) return false;
  const std::string path = path_of(name);
  const auto refuse = [&](const Error& error) {
    fail(path, error);
    return false;
  };
  if (levels_.back().lost) return refuse(*levels_.back().lost);
  if (const auto bad = path::check_component(name)) return refuse(*bad);
  if (path.size() > path::kMaxPath) return refuse(ErrorCode::name_too_long);
  if (!count_entry(name)) return false;
  auto made = make_directory(name);
  if (!made) return refuse(made.error());
  if (auto entered = trail_.enter(name); !entered) return refuse(explain_clash(entered.error()));

  Level level;
  level.node = node;
  level.inherited_acl = *made && levels_.back().gives_acl;
  if (level.inherited_acl) io_.fremovexattr(trail_.current(), kDefaultAcl);
  level.gives_acl = (level.inherited_acl || !*made) && gives_acl();
  if (apply == Apply::when_made) {
    if (*made) made_on_the_way_.insert(path);
    level.set_attributes = made_on_the_way_.contains(path);
    // An earlier visit gave it its own mode, which may not let its owner write.
    if (!*made && level.set_attributes) io_.fchmod(trail_.current(), 0700);
  }
  levels_.push_back(std::move(level));
  ++report_.entries;
  return true;
}

// Whether it was made; otherwise something has that name already.
Result<bool> Exporter::Run::make_directory(std::string_view name) {
  const std::string child(name);
  const int returned = uninterrupted([&] { return io_.mkdirat(trail_.current(), child.c_str(), 0700); });
  if (returned == -EEXIST) return false;
  if (auto made = base::checked(returned); !made) return std::unexpected(std::move(made.error()));
  return true;
}

// Writes what is not a directory, and remembers what is.
void Exporter::Run::list_current() {
  const Level& level = levels_.back();
  auto cursor = table_.list(level.node, {});
  Result<std::size_t> got = 0;
  if (!cursor) got = std::unexpected(std::move(cursor.error()));
  std::array<Entry, kBatch> batch;
  while (got && !stop_) {
    got = (*cursor)->next(batch);
    if (got && *got == 0) return;
    if (got) take_batch(std::span(batch).first(*got));
  }
  if (!got) fail(path_of({}), got.error().with_note("not all that is in it could be listed"));
}

void Exporter::Run::take_batch(std::span<const Entry> entries) {
  for (const Entry& entry : entries) {
    if (entry.type() == FileType::directory) {
      levels_.back().directories.add(entry.name(), entry.node());
    } else {
      write_other(entry.name(), entry.node());
    }
  }
}

void Exporter::Run::finish_levels() {
  while (!levels_.empty() && !stop_) {
    Level& level = levels_.back();
    if (level.next_directory < level.directories.size()) {
      const std::size_t next = level.next_directory++;
      const std::string name(level.directories[next]);
      if (enter(name, level.directories.value(next), Apply::always)) list_current();
    } else {
      leave();
    }
  }
  while (!levels_.empty()) {
    levels_.pop_back();
    if (!levels_.empty()) static_cast<void>(trail_.leave());
  }
}

void Exporter::Run::leave() {
  const Level level = std::move(levels_.back());
  levels_.pop_back();
  if (level.lost && level.set_attributes) {
    report_.incomplete.push_back({path_of({}), *level.lost});
  } else if (level.set_attributes) {
    apply_directory_attributes(level);
  }
  if (levels_.empty()) return;
  if (auto left = trail_.leave(); !left) levels_.back().lost = left.error();
}

void Exporter::Run::apply_directory_attributes(const Level& level) {
  auto stat = table_.stat(level.node);
  Result<std::vector<Xattr>> xattrs;
  if (stat && stat->has_xattrs) xattrs = table_.xattrs(level.node);
  if (!stat || !xattrs) {
    report_.incomplete.push_back({path_of({}), stat ? xattrs.error() : stat.error()});
    return;
  }
  apply_attributes(AttributeTarget(io_, trail_.current()), *stat, *xattrs, level.inherited_acl, {});
}

void Exporter::Run::apply_attributes(const AttributeTarget& target, const Stat& stat, const std::vector<Xattr>& xattrs,
                                     bool inherited_acl, std::string_view name) {
  AttributeProblems problems;
  attributes_.apply(target, stat, xattrs, inherited_acl, problems);
  for (Error& error : problems.incomplete) report_.incomplete.push_back({path_of(name), std::move(error)});
  for (Error& error : problems.withheld) report_.withheld.push_back({path_of(name), std::move(error)});
  if (problems.owner_not_set) ++report_.owners_not_set;
}

// Whether what is made in the current directory inherits an ACL from it.
bool Exporter::Run::gives_acl() const {
  return uninterrupted([&] { return io_.fgetxattr(trail_.current(), kDefaultAcl, nullptr, 0); }) >= 0;
}

Result<void> Exporter::Run::admit(std::uint64_t bytes) {
  if (bytes > options_.max_bytes - report_.bytes) {
    stop_ = Error(ErrorCode::too_large).with_note("more bytes than the limit allows");
  } else {
    report_.bytes += bytes;
    if (!tell_progress()) stop_ = Error::from_errno(ECANCELED);
  }
  if (stop_) return std::unexpected(*stop_);
  return {};
}

bool Exporter::Run::count_entry(std::string_view name) {
  if (report_.entries >= options_.max_entries) {
    stop_ = Error(ErrorCode::too_large).with_path(path_of(name)).with_note("more entries than the limit allows");
  } else if (!tell_progress()) {
    stop_ = Error::from_errno(ECANCELED);
  }
  return !stop_;
}

bool Exporter::Run::tell_progress() {
  constexpr std::uint64_t kTellEntries = 256;
  constexpr std::uint64_t kTellBytes = std::uint64_t{16} << 20;
  if (!options_.progress) return true;
  if (report_.entries - told_entries_ < kTellEntries && report_.bytes - told_bytes_ < kTellBytes) return true;
  told_entries_ = report_.entries;
  told_bytes_ = report_.bytes;
  return options_.progress(report_.entries, report_.bytes);
}

// Names what could not be written. Where nothing more can be, that ends the export instead.
void Exporter::Run::fail(std::string path, Error error) {
  const bool hopeless = error.code() == ErrorCode::no_space || error.code() == ErrorCode::read_only ||
                        error.code() == Error::from_errno(EDQUOT).code();
  if (hopeless && !stop_) stop_ = error.with_path(path);
  report_.failed.push_back({std::move(path), std::move(error)});
}

std::string Exporter::Run::path_of(std::string_view name) const {
  std::string path = trail_.path();
  if (!path.empty() && !name.empty()) path += '/';
  path += name;
  return path.empty() ? "." : path;
}

Result<void> Exporter::Run::outcome() const {
  if (stop_) return std::unexpected(*stop_);
  return {};
}

}  // namespace packfs::host
