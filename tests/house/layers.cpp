#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "house/checks.h"

namespace packfs::house {

namespace {

/// In the order in which they may include each other; each of the faces may include all of these.
constexpr std::array<std::string_view, 9> kLayers{"base", "path", "content", "tree", "log",
                                                  "pack", "host", "volume",  "store"};
constexpr std::array<std::string_view, 4> kFaces{"capi", "cli", "fuse", "remote"};

std::optional<std::size_t> rank_of(std::string_view folder) {
  const auto* layer = std::ranges::find(kLayers, folder);
  if (layer != kLayers.end()) return layer - kLayers.begin();
  if (std::ranges::find(kFaces, folder) != kFaces.end()) return kLayers.size();
  return std::nullopt;
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

/// What is wrong with an include in layer `from`; empty when nothing is.
std::string fault_of(std::string_view from, const Include& include) {
  const std::string_view to = folder_of(include.target);
  if (to == "packfs") return {};
  const auto to_rank = rank_of(to);
  if (!include.quoted) return to_rank ? "is written with <>" : "";
  if (!to_rank) return "is not written from src/ or include/";
  if (*to_rank > *rank_of(from)) return "goes to a later layer";
  if (*to_rank == kLayers.size() && to != from) return "goes to another face";
  return {};
}

std::string public_fault_of(const Include& include) {
  if (include.quoted) return folder_of(include.target) == "packfs" ? "" : "leaves the public headers";
  return include.target.find_first_of("./") == std::string_view::npos ? "" : "is not of the C++ standard library";
}

}  // namespace

Problems layer_problems(const Checkout& checkout) {
  Problems problems;
  for (const auto& [path, text] : checkout) {
    const bool is_public = path.starts_with("include/");
    if (!is_source(path) || (!is_public && !path.starts_with("src/"))) continue;
    const std::string_view layer = folder_of(std::string_view(path).substr(4));
    if (!is_public && !rank_of(layer)) {
      problems.push_back(path + ": stands in no layer");
      continue;
    }
    for (const Include& include : includes_of(text)) {
      const std::string fault = is_public ? public_fault_of(include) : fault_of(layer, include);
      if (!fault.empty()) problems.push_back(path + ": the include of " + std::string(include.target) + " " + fault);
    }
  }
  return problems;
}

}  // namespace packfs::house
