#include "cli/report_json.h"

#include "cli/json.h"
#include "cli/json_value.h"

namespace packfs::cli {

namespace {

Json problems_json(std::span<const Problem> problems) {
  Json list = Json::array();
  for (const Problem& problem : problems) {
    Json element;
    set_bytes(element, "path", problem.path);
    set_bytes(element, "error", problem.error.message());
    list.push_back(std::move(element));
  }
  return list;
}

void set_problems(Json& object, const host::ImportReport& report) {
  object["skipped"] = problems_json(report.skipped);
  object["changed"] = problems_json(report.changed);
  object["incomplete"] = problems_json(report.incomplete);
}

}  // namespace

std::string pack_json(std::string_view pack, const PackInfo& info, const host::ImportReport& report) {
  Json object = info_object(pack, info);
  set_problems(object, report);
  return json_text(object);
}

std::string unpack_json(std::string_view directory, std::span<const Problem> missing,
                        const host::ExportReport& report) {
  Json object;
  set_bytes(object, "path", directory);
  object["made"] = report.made_target;
  object["entries"] = report.entries;
  object["bytes"] = report.bytes;
  object["owners_not_set"] = report.owners_not_set;
  object["missing"] = problems_json(missing);
  object["failed"] = problems_json(report.failed);
  object["incomplete"] = problems_json(report.incomplete);
  object["withheld"] = problems_json(report.withheld);
  return json_text(object);
}

std::string import_json(std::string_view store, std::uint64_t commit, const host::ImportReport& report) {
  Json object;
  set_bytes(object, "path", store);
  object["commit"] = commit;
  object["entries"] = report.entries;
  object["bytes"] = report.bytes;
  set_problems(object, report);
  return json_text(object);
}

std::string change_json(std::string_view store, std::optional<std::uint64_t> commit, std::span<const Problem> failed) {
  Json object;
  set_bytes(object, "path", store);
  object["commit"] = commit ? Json(*commit) : Json();
  object["failed"] = problems_json(failed);
  return json_text(object);
}

std::string check_json(std::string_view store, const StoreReport& report) {
  Json object = verify_object(store, report);
  object["segments"] = report.segments;
  object["commits"] = report.commits;
  object["last_commit"] = report.last_commit;
  object["unfinished_bytes"] = report.unfinished_bytes;
  return json_text(object);
}

std::string repair_json(std::string_view store, const RepairReport& report) {
  Json object;
  set_bytes(object, "path", store);
  object["changed"] = report.changed;
  object["last_commit"] = report.last_commit;
  object["dropped_commits"] = report.dropped_commits;
  object["set_aside"] = Json::array();
  for (const std::string& path : report.set_aside) {
    Json element;
    set_bytes(element, "path", path);
    object["set_aside"].push_back(std::move(element));
  }
  object["damage"] = damages_json(report.damage);
  return json_text(object);
}

}  // namespace packfs::cli
