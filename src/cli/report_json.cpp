#include "cli/report_json.h"

#include "cli/json.h"
#include "cli/json_value.h"

namespace packfs::cli {

namespace {

Json problems_json(std::span<const host::Problem> problems) {
  Json list = Json::array();
  for (const host::Problem& problem : problems) {
    Json element;
    set_bytes(element, "path", problem.path);
    set_bytes(element, "error", problem.error.message());
    list.push_back(std::move(element));
  }
  return list;
}

}  // namespace

std::string pack_json(std::string_view pack, const PackInfo& info, const host::ImportReport& report) {
  Json object = info_object(pack, info);
  object["skipped"] = problems_json(report.skipped);
  object["changed"] = problems_json(report.changed);
  object["incomplete"] = problems_json(report.incomplete);
  return json_text(object);
}

std::string unpack_json(std::string_view directory, std::span<const host::Problem> missing,
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

}  // namespace packfs::cli
