#include <catch2/catch.hpp>

#include "house/checks.h"

namespace packfs::house {
namespace {

TEST_CASE("no layer of this checkout includes upwards", "[house][layers]") {
  const Checkout checkout = read_checkout(PACKFS_SOURCE_DIR);
  CHECK(checkout.size() > 50);
  CHECK(layer_problems(checkout) == Problems{});
}

TEST_CASE("includes of the own layer, an earlier one, the public headers and the system are allowed",
          "[house][layers]") {
  const Checkout checkout{{"src/log/a.cpp", "#include <vector>\n#include \"log/a.h\"\n#include \"base/io.h\"\n"},
                          {"src/cli/a.cpp", "#include \"host/walk.h\"\n#include \"cli/a.h\"\n"},
                          {"src/base/a.h", "#include \"packfs/error.h\"\n"},
                          {"include/packfs/a.h", "#include <vector>\n#include \"packfs/b.h\"\n"}};
  CHECK(layer_problems(checkout) == Problems{});
}

TEST_CASE("an include of a later layer is found out, whatever the layer", "[house][layers]") {
  const auto [path, include] = GENERATE(table<const char*, const char*>({{"src/base/a.h", "path/path.h"},
                                                                         {"src/path/a.cpp", "content/stored.h"},
                                                                         {"src/content/deep/a.cpp", "tree/table.h"},
                                                                         {"src/tree/a.h", "log/record.h"},
                                                                         {"src/log/a.h", "pack/reader.h"},
                                                                         {"src/pack/a.cpp", "host/walk.h"},
                                                                         {"src/host/a.cpp", "volume/volume.h"},
                                                                         {"src/store/a.cpp", "cli/cli.h"}}));
  const Checkout checkout{{path, "#include \"" + std::string(include) + "\"\n"}};
  CHECK(layer_problems(checkout) ==
        Problems{std::string(path) + ": the include of " + include + " goes to a later layer"});
}

TEST_CASE("other includes that hide a dependency are found out", "[house][layers]") {
  const auto [path, include, problem] = GENERATE(table<const char*, const char*, const char*>(
      {{"src/cli/a.cpp", "\"fuse/mount.h\"", "the include of fuse/mount.h goes to another face"},
       {"src/log/a.cpp", "\"record.h\"", "the include of record.h is not written from src/ or include/"},
       {"src/base/a.cpp", "\"../pack/reader.h\"",
        "the include of ../pack/reader.h is not written from src/ or include/"},
       {"src/base/a.cpp", "<pack/reader.h>", "the include of pack/reader.h is written with <>"},
       {"include/packfs/a.h", "\"base/io.h\"", "the include of base/io.h leaves the public headers"},
       {"include/packfs/a.h", "<zstd.h>", "the include of zstd.h is not of the C++ standard library"},
       {"include/packfs/a.h", "<fmt/core>", "the include of fmt/core is not of the C++ standard library"}}));
  const Checkout checkout{{path, "#include " + std::string(include) + "\n"}};
  CHECK(layer_problems(checkout) == Problems{std::string(path) + ": " + problem});
}

TEST_CASE("a source outside the known layers is found out", "[house][layers]") {
  const Checkout checkout{{"src/misc/a.cpp", ""}};
  CHECK(layer_problems(checkout) == Problems{"src/misc/a.cpp: stands in no layer"});
}

}  // namespace
}  // namespace packfs::house
