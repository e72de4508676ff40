#include "cli/lines.h"

#include "cli/escape.h"

namespace packfs::cli {

void Lines::name(std::string_view name) {
  if (escape_names_) {
    output_.write(escaped(name));
  } else {
    output_.write(name);
  }
}

}  // namespace packfs::cli
