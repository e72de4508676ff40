#include "rows/archiver.h"

#include <algorithm>

#include "arms/program.h"

namespace packfs::bench {

std::vector<Archiver> archivers(const std::string& tree, const std::string& directory) {
  const std::string tar = directory + "/built.tar";
  const std::string zip = directory + "/built.zip";
  const std::string squashfs = directory + "/built.squashfs";
  const std::string erofs = directory + "/built.erofs";
  std::vector<Archiver> all{
      {.arm = "tar cf",
       .output = tar,
       .make = {"tar", "cf", tar, "-C", tree, "."},
       .extract = {"tar", "xf", tar, "-C"},
       .has_times = true},
      // zip stores paths as it is given them, so it must run in the tree.
      {.arm = "zip -0",
       .output = zip,
       .make = {"sh", "-c", "cd \"$0\" && exec zip -0 -r -q \"$1\" .", tree, zip},
       .extract = {"unzip", "-q", zip, "-d"},
       .has_times = false},
      {.arm = "mksquashfs",
       .output = squashfs,
       .make = {"mksquashfs", tree, squashfs, "-no-duplicates", "-noI", "-noD", "-noF", "-noX", "-no-progress",
                "-quiet"},
       .extract = {"sh", "-c", "exec unsquashfs -no-progress -force -dest \"$1\" \"$0\"", squashfs},
       .has_times = true},
      {.arm = "mkfs.erofs",
       .output = erofs,
       .make = {"mkfs.erofs", "--quiet", erofs, tree},
       .extract = {"sh", "-c", "exec fsck.erofs --overwrite --extract=\"$1\" \"$0\"", erofs},
       .has_times = false},
  };
  std::erase_if(all, [](const Archiver& each) {
    return !has_program(each.arm.substr(0, each.arm.find(' '))) || !has_program(each.extract.front());
  });
  return all;
}

}  // namespace packfs::bench
