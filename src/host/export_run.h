#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io.h"
#include "host/attribute_target.h"
#include "host/content_writer.h"
#include "host/export.h"
#include "host/export_attributes.h"
#include "host/export_links.h"
#include "host/names.h"
#include "host/placement.h"
#include "host/target_trail.h"
#include "packfs/entry.h"
#include "packfs/view.h"
#include "tree/table.h"

namespace packfs::host {

/// One export while it goes on: a walk over the view beside a trail through the target, without recursion. A
/// directory's entries that are not directories are written first, then its subdirectories, then its own attributes.
/// One thread at a time. Borrows `io`.
class Exporter::Run {
 public:
  Run(base::Io& io, const View& view, base::unique_fd target, const ExportOptions& options, bool made_target);

  [[nodiscard]] Result<void> write_all();
  [[nodiscard]] Result<void> write_one(std::string_view path);
  [[nodiscard]] const ExportReport& report() const noexcept { return report_; }

 private:
  struct Level {
    Node node;
    bool set_attributes = true;  // when it is left
    std::optional<Error> lost;   // another process moved it, so its handle is gone
    bool inherited_acl = false;  // it was made below a default ACL
    bool gives_acl = false;      // it has a default ACL itself
    Names<Node> directories;     // still to be written
    std::size_t next_directory = 0;
  };
  enum class Apply : bool { always, when_made };

  void enter_target(bool set_attributes);
  [[nodiscard]] bool enter(std::string_view name, const Node& node, Apply apply);
  [[nodiscard]] Result<bool> make_directory(std::string_view name);
  void list_current();
  void take_batch(std::span<const Entry> entries);
  void finish_levels();
  void leave();
  void apply_directory_attributes(const Level& level);

  void write_other(std::string_view name, const Node& node);
  [[nodiscard]] Result<void> try_write_other(std::string_view name, const Node& node);
  [[nodiscard]] Result<bool> write_link(std::string_view name, const Stat& stat);
  [[nodiscard]] Result<Placement> make_file(std::string_view name, const Node& node, const Stat& stat,
                                            const std::vector<Xattr>& xattrs);
  [[nodiscard]] Result<Placement> make_by_name(std::string_view name, const Node& node, const Stat& stat,
                                               const std::vector<Xattr>& xattrs);
  [[nodiscard]] Result<base::unique_fd> open_made(const Placement& placement, FileType type) const;
  void apply_attributes(const AttributeTarget& target, const Stat& stat, const std::vector<Xattr>& xattrs,
                        bool inherited_acl, std::string_view name);

  [[nodiscard]] bool gives_acl() const;
  [[nodiscard]] Result<void> admit(std::uint64_t bytes);
  [[nodiscard]] bool count_entry(std::string_view name);
  [[nodiscard]] bool tell_progress();
  void fail(std::string path, Error error);
  [[nodiscard]] std::string path_of(std::string_view name) const;
  [[nodiscard]] Result<void> outcome() const;

  base::Io& io_;
  View view_;
  const tree::Table& table_;
  ExportOptions options_;
  ExportReport report_;
  TargetTrail trail_;
  AttributeWriter attributes_;
  ContentWriter contents_;
  ExportLinks links_;
  std::vector<Level> levels_;              // the first is the target
  std::set<std::string> made_on_the_way_;  // directories above what write_one() was asked for
  std::optional<Error> stop_;              // why nothing more is written
  std::uint64_t told_entries_ = 0;
  std::uint64_t told_bytes_ = 0;
};

}  // namespace packfs::host
