#include "cli/help_text.h"

namespace packfs::cli {

const std::array<CommandHelp, 7> kCommandHelp = {{
    {Command::pack, "pack", "Pack directory trees into one file", "pack [OPTIONS] SRC... -o OUT",
     R"(One directory: its contents become the pack's root. Several sources, or one that is
not a directory: each stands in the root under its base name.
Links are not followed. OUT is replaced only when the new pack is whole; it is never
packed into itself. What cannot be read is named, the rest is packed, and the exit
code is 3.

Example: pack a directory, compressed
  packfs pack assets -o assets.pack --codec zstd:9)"},
    {Command::unpack, "unpack", "Unpack a pack into a directory", "unpack [OPTIONS] PACK [PATH...]",
     R"(DIR is made when it is missing, and only then, when all is unpacked, given the root's
attributes.
Directories merge with those there, files are replaced; a type that clashes is refused
and named. With PATHs, only those and what is below them are unpacked, with the
directories above them. What was left out is named, and the exit code is 3.

Example: unpack one directory of a pack
  packfs unpack assets.pack -C out textures)"},
    {Command::ls, "ls", "List names in a pack", "ls [OPTIONS] PACK [PATH...]",
     R"(Names are relative to PATH (the root when there is none); with several PATHs each name
begins with its PATH. A symlink given as PATH is followed unless -l is given.
--json gives one object on each line, so that a list of any length streams.

Example: every path of a pack, safe for any name
  packfs ls -R0 assets.pack | xargs -0 -n1 echo)"},
    {Command::cat, "cat", "Write files of a pack to standard output", "cat [OPTIONS] PACK PATH...",
     R"(Contents are verified before they are written. Symlinks are followed inside the pack.
--json gives one object on each line, the content in base64.

Example: read one file
  packfs cat assets.pack textures/rock.png > rock.png)"},
    {Command::stat, "stat", "Show the attributes of entries", "stat [OPTIONS] PACK PATH...",
     R"(A symlink is shown itself, not what it points to. --json gives one object on each line.

Example: the root's attributes
  packfs stat assets.pack .)"},
    {Command::info, "info", "Show what a pack says of itself", "info [OPTIONS] PACK",
     R"(Reads the end of the file only. --json gives one object.

Example: the number of entries
  packfs info --json assets.pack | jq .entries)"},
    {Command::verify, "verify", "Read everything in a pack and check it", "verify [OPTIONS] PACK",
     R"(Each damage is one line, then comes a summary; the exit code is 1 when there is any.
--json gives one object.

Example: check a pack before shipping it
  packfs verify assets.pack)"},
}};

const std::string_view kMainHelp =
    R"(packfs COMMAND --help shows a command's options and an example.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done in part.

Example: pack a directory, look into it, unpack it
  packfs pack assets -o assets.pack
  packfs ls -lR assets.pack
  packfs unpack assets.pack -C copy)";

}  // namespace packfs::cli
