#include <fmt/format.h>

#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/journal_visit.h"
#include "cli/json_value.h"
#include "cli/lines.h"
#include "cli/open_tree.h"
#include "cli/record_fields.h"
#include "log/record_content.h"

namespace packfs::cli {

namespace {

/// "segment offset commit type fields path", or the same as an object.
class JournalLines final : public JournalVisitor {
 public:
  JournalLines(const Arguments& arguments, Context& context)
      : context_(context), json_(arguments.json), lines_(arguments, context) {}

  [[nodiscard]] bool is_damaged() const noexcept { return is_damaged_; }

  void record(const store::SegmentFile& file, const log::ScannedRecord& scanned) override {
    const log::Record& record = scanned.record;
    const Place place{file.header().segment_id, scanned.offset, record.commit};
    const std::string target = target_of(file, scanned);
    if (json_) {
      Json object = object_at(place, record_type_text(record.type));
      set_bytes(object, "path", record.name);
      if (!target.empty()) set_bytes(object, "target", target);
      set_record_fields(object, record);
      return end(json_text(object));
    }
    lines_.text(text_at(place, record_type_text(record.type)));
    lines_.text(" " + record_fields_text(record) + " ");
    lines_.name(record.name.empty() ? "." : record.name);
    if (!target.empty()) {
      lines_.text(" -> ");
      lines_.name(target);
    }
    lines_.end();
  }

  void group(const store::SegmentFile& file, const log::FoundGroup& group) override {
    const Place place{file.header().segment_id, group.commit_record, group.commit};
    const std::string_view type = group.is_closed ? "mark" : "commit";
    if (json_) {
      Json object = object_at(place, type);
      object["records"] = group.records;
      object["synced_end"] = group.synced_end;
      return end(json_text(object));
    }
    end(text_at(place, type) + fmt::format(" records={} synced_end={}", group.records, group.synced_end));
  }

  void damage(const Error& error) override {
    is_damaged_ = true;
    context_.diagnostics.error(error);
  }

  [[nodiscard]] bool stopped() const override { return context_.stopped(); }

 private:
  struct Place {
    std::uint64_t segment = 0;
    std::uint64_t offset = 0;
    std::uint64_t commit = 0;
  };

  static std::string text_at(const Place& place, std::string_view type) {
    return fmt::format("{:016x} {} {} {}", place.segment, place.offset, place.commit, type);
  }
  static Json object_at(const Place& place, std::string_view type) {
    Json object;
    object["segment"] = fmt::format("{:016x}", place.segment);
    object["offset"] = place.offset;
    object["commit"] = place.commit;
    object["type"] = type;
    return object;
  }

  /// The other path that a record names; a symlink's stands in its content.
  std::string target_of(const store::SegmentFile& file, const log::ScannedRecord& scanned) {
    if (scanned.record.type != log::RecordType::symlink) return std::string(scanned.record.target);
    const auto run = log::stored_content(file.source(), scanned);
    auto read = run ? Result<std::size_t>(0) : std::unexpected(run.error());
    std::string target;
    if (run) {
      target.resize(run->size);
      read = file.reader().read(*run, 0, std::as_writable_bytes(std::span(target)));
    }
    if (read) return target;
    damage(read.error().with_path(file.path()));
    return {};
  }

  void end(std::string_view text) {
    lines_.text(text);
    lines_.end();
  }

  Context& context_;
  bool json_;
  Lines lines_;
  bool is_damaged_ = false;
};

}  // namespace

ExitCode run_log(const Arguments& arguments, Context& context) {
  const auto store = find_store(arguments.tree, context);
  if (!store) {
    context.diagnostics.error(store.error());
    return ExitCode::failed;
  }
  JournalLines lines(arguments, context);
  visit_journal(store->directory, store->manifest, lines);
  return lines.is_damaged() ? ExitCode::failed : ExitCode::done;
}

}  // namespace packfs::cli
