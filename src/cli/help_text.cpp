#include "cli/help_text.h"

namespace packfs::cli {

namespace {

constexpr std::string_view kReading = "Read a pack, or a store beside its writer";
constexpr std::string_view kPacking = "Make a pack";
constexpr std::string_view kChanging = "Change a store: each command is one transaction, durable when it ends";
constexpr std::string_view kKeeping = "Look after a store";

}  // namespace

const std::array<CommandHelp, 20> kCommandHelp = {{
    {Command::pack, kPacking, "pack", "Pack directory trees into one file", "pack [OPTIONS] SRC... -o OUT",
     R"(One directory: its contents become the pack's root. Several sources, or one that is
not a directory: each stands in the root under its base name.
Links are not followed. OUT is replaced only when the new pack is whole; it is never
packed into itself. What cannot be read is named, the rest is packed, and the exit
code is 3.

Example: pack a directory, compressed
  packfs pack assets -o assets.pack --codec zstd:9)"},
    {Command::unpack, kReading, "unpack", "Unpack a pack or store into a directory",
     "unpack [OPTIONS] PACK|STORE [PATH...]",
     R"(DIR is made when it is missing, and only then, when all is unpacked, given the root's
attributes.
Directories merge with those there, files are replaced; a type that clashes is refused
and named. With PATHs, only those and what is below them are unpacked, with the
directories above them. What was left out is named, and the exit code is 3.

Example: unpack one directory of a pack
  packfs unpack assets.pack -C out textures)"},
    {Command::export_tree, kReading, "export", "Write what is in one directory of a pack or store to a directory",
     "export [OPTIONS] PACK|STORE [PATH] DIR",
     R"(As unpack, but what is in the directory PATH stands in DIR itself, without the
directories above it. Without PATH all is written.

Example: one directory of a store, somewhere else
  packfs export build.store out/bin dist)"},
    {Command::ls, kReading, "ls", "List names", "ls [OPTIONS] PACK|STORE [PATH...]",
     R"(Names are relative to PATH (the root when there is none); with several PATHs each name
begins with its PATH. A symlink given as PATH is followed unless -l is given.
--json gives one object on each line, so that a list of any length streams.

Example: every path of a pack, safe for any name
  packfs ls -R0 assets.pack | xargs -0 -n1 echo)"},
    {Command::cat, kReading, "cat", "Write files to standard output", "cat [OPTIONS] PACK|STORE PATH...",
     R"(Contents are verified before they are written. Symlinks are followed inside the pack or
store. --json gives one object on each line, the content in base64.

Example: read one file
  packfs cat assets.pack textures/rock.png > rock.png)"},
    {Command::stat, kReading, "stat", "Show the attributes of entries", "stat [OPTIONS] PACK|STORE PATH...",
     R"(A symlink is shown itself, not what it points to. --json gives one object on each line.

Example: the root's attributes
  packfs stat assets.pack .)"},
    {Command::info, kReading, "info", "Show what a pack or store says of itself", "info [OPTIONS] PACK|STORE",
     R"(Of a pack the end of the file is read, of a store its journal. --json gives one object.

Example: the number of entries
  packfs info --json assets.pack | jq .entries)"},
    {Command::verify, kReading, "verify", "Read everything in a pack or store and check it",
     "verify [OPTIONS] PACK|STORE",
     R"(Each damage is one line, then comes a summary; the exit code is 1 when there is any.
--json gives one object.

Example: check a pack before shipping it
  packfs verify assets.pack)"},
    {Command::diff, kReading, "diff", "Show what differs between two packs or stores", "diff [OPTIONS] A B",
     R"(A and B are a pack or a store each. One line for each change, in the order of the paths:
  A PATH        only B has it
  D PATH        only A has it
  M PATH        type, attributes, content or target differ
  R FROM -> TO  it was moved
Inode numbers and times of status change do not count. With -0 the two names of a move
end with a NUL each. --json gives one object on each line.

Example: what was done to a store since a copy of it was made
  packfs diff before.store build.store)"},
    {Command::init, kChanging, "init", "Make an empty store", "init [OPTIONS] STORE",
     R"(The directory is made when it is missing; one that is there must be empty. A store that
is there is left alone, and the exit code is 1.

Example: a store, and a file in it
  packfs init build.store
  echo hello | packfs put build.store docs/hello)"},
    {Command::put, kChanging, "put", "Write one file into a store", "put [OPTIONS] STORE PATH [FILE]",
     R"(A file that is there gets the new content and keeps its attributes. A new one gets FILE's
permissions, or 0644 when it comes from standard input; missing parents are made. The
content is there whole, or not at all.

Example: a compiled file into a cache
  packfs put build.store obj/main.o main.o)"},
    {Command::import_tree, kChanging, "import", "Take a host directory into a store",
     "import [OPTIONS] DIR STORE [PATH]",
     R"(What is in DIR comes into the directory PATH, or the root, exactly, with all attributes;
PATH is made when it is missing, and gets those of DIR then or when it is empty.
Directories merge with those there, files are replaced; a type that clashes is refused
and named. The store itself is left out. What cannot be read is named, the rest is taken
in, and the exit code is 3.

Example: a tree into a store
  packfs import assets build.store assets)"},
    {Command::mkdir, kChanging, "mkdir", "Make directories in a store", "mkdir [OPTIONS] STORE PATH...",
     R"(A PATH that cannot be made is named, the others are made, and the exit code is 3.

Example: a directory and those above it
  packfs mkdir -p build.store out/bin)"},
    {Command::rm, kChanging, "rm", "Remove entries from a store", "rm [OPTIONS] STORE PATH...",
     R"(Symlinks are removed themselves. A PATH that cannot be removed is named, the others are
removed, and the exit code is 3.

Example: a whole directory
  packfs rm -r build.store obj)"},
    {Command::mv, kChanging, "mv", "Move an entry of a store", "mv [OPTIONS] STORE FROM TO",
     R"(Into the directory TO, if there is one, else to the path TO. What is not a directory is
replaced; a directory is only if it is empty. A directory moves as fast as a file.

Example: give a directory another name
  packfs mv build.store out/new out/current)"},
    {Command::cp, kChanging, "cp", "Copy an entry of a store", "cp [OPTIONS] STORE FROM TO",
     R"(Into the directory TO, if there is one, else to the path TO. What is not a directory is
replaced, a directory is not. The copy shares its content with the original until one of
them is changed, so it costs next to nothing. Symlinks are copied themselves.

Example: keep a directory as it is now
  packfs cp -r build.store out out.before)"},
    {Command::ln, kChanging, "ln", "Make a link in a store", "ln [OPTIONS] STORE TARGET PATH",
     R"(A further name of the file TARGET, or with -s a symlink that says TARGET. PATH is the new
name, or a directory to make it in. Nothing is replaced.

Example: a symlink
  packfs ln -s build.store out/v2 current)"},
    {Command::log, kKeeping, "log", "Show the journal of a store", "log [OPTIONS] STORE",
     R"(One line for each record: segment, offset in it, commit, what was done, with which
values, and the path. The record "commit" closes those of one commit, "mark" is what an
orderly end of a writer leaves. Commit numbers rise; marks and what was dropped have
numbers too. Damage is named, and the exit code is 1.
--json gives one object on each line.

Example: the last ten
  packfs log build.store | tail)"},
    {Command::check, kKeeping, "check", "Read everything in a store and check it", "check [OPTIONS] STORE",
     R"(As verify. Nothing is written, and the store may be in use. What a crash left half done
behind the last whole commit is no damage. --json gives one object.

Example: check a store before it is copied
  packfs check build.store)"},
    {Command::repair, kKeeping, "repair", "Make a damaged store one that can be opened", "repair [OPTIONS] STORE",
     R"(The commits before the first damage are kept, later ones dropped; files that the store
loses stay beside it under names that begin with "dropped-". The exit code is 0 when
nothing was lost, 3 when something was. --json gives one object.

Example: what is to be repaired, then repair it
  packfs check build.store || packfs repair build.store)"},
}};

const std::string_view kMainHelp =
    R"(packfs COMMAND --help shows a command's options and an example.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done in part.

Example: pack a directory, look into it, unpack it
  packfs pack assets -o assets.pack
  packfs ls -lR assets.pack
  packfs unpack assets.pack -C copy

Example: a store, a directory in it, one more file
  packfs init build.store
  packfs import assets build.store assets
  echo hello | packfs put build.store hello)";

}  // namespace packfs::cli
