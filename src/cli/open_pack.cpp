#include "cli/open_pack.h"

#include "pack/reader.h"

namespace packfs::cli {

Result<Pack> open_pack(const Arguments& arguments, Context& context) {
  auto reader = pack::Reader::open(context.io, arguments.pack, arguments.read_mode);
  if (!reader) return std::unexpected(reader.error().with_path(arguments.pack));
  return Pack(*std::move(reader));
}

}  // namespace packfs::cli
