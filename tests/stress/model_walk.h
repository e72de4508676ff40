#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "stress/model.h"

namespace packfs::stress {

/// One name on the way, "." and empty ones left out.
struct Model::Component {
  std::string name;
  bool slash = false;       ///< a '/' follows, so it must lead to a directory
  bool from_caller = true;  ///< not from a symlink's target
};

/// path_resolution(7), with the whole rest of the path kept as one flat list into which targets are spliced.
class Model::Walk {
 public:
  /// `missing` may make a directory in the place of a missing name on the way; it returns 0 when it does not.
  using Missing = std::function<ModelId(ModelId directory, const std::string& name)>;

  Walk(const Model& model, Last last, Missing missing = {});
  [[nodiscard]] Expected<Place> run(std::string_view path);

 private:
  [[nodiscard]] bool ends() const { return pending_.empty(); }
  /// Takes one component; true when the walk is over.
  Expected<bool> step(const Component& component);
  Done follow(const ModelInode& symlink, bool slash);

  const Model& model_;
  Last last_;
  Missing missing_;
  std::deque<Component> pending_;
  Place at_;
  int followed_ = 0;
};

}  // namespace packfs::stress
