#include "cli/arguments.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using packfs::cli::Answer;
using packfs::cli::Arguments;
using packfs::cli::Command;
using packfs::cli::ExitCode;
using packfs::cli::parse_arguments;

Arguments parsed(const std::vector<std::string_view>& arguments) {
  const auto result = parse_arguments(arguments);
  INFO((std::holds_alternative<Answer>(result) ? std::get<Answer>(result).text : ""));
  REQUIRE(std::holds_alternative<Arguments>(result));
  return std::get<Arguments>(result);
}

Answer answered(const std::vector<std::string_view>& arguments) {
  const auto result = parse_arguments(arguments);
  REQUIRE(std::holds_alternative<Answer>(result));
  return std::get<Answer>(result);
}

TEST_CASE("each command takes its options", "[cli][arguments]") {
  const Arguments pack = parsed({"pack", "a", "b", "-o", "out", "--codec", "zstd:7", "--threads", "3", "--json"});
  CHECK(pack.command == Command::pack);
  CHECK(pack.paths == std::vector<std::string>{"a", "b"});
  CHECK(pack.tree == "out");
  CHECK(pack.codec.kind == packfs::Codec::Kind::zstd);
  CHECK(pack.codec.level == 7);
  CHECK(pack.threads == 3);
  CHECK(pack.json);

  const Arguments unpack = parsed({"unpack", "--privileged", "p", "-C", "dir", "x", "--read-mode=pread", "y"});
  CHECK(unpack.command == Command::unpack);
  CHECK(unpack.tree == "p");
  CHECK(unpack.directory == "dir");
  CHECK(unpack.paths == std::vector<std::string>{"x", "y"});
  CHECK(unpack.privileged);
  CHECK(unpack.read_mode == packfs::ReadMode::pread);

  const Arguments ls = parsed({"ls", "-lR0", "p"});
  CHECK(ls.command == Command::ls);
  CHECK(ls.long_format);
  CHECK(ls.recursive);
  CHECK(ls.nul);
  CHECK(parsed({"cat", "p", "x"}).command == Command::cat);
  CHECK(parsed({"stat", "p", "x"}).command == Command::stat);
  CHECK(parsed({"info", "p"}).command == Command::info);
  CHECK(parsed({"verify", "p"}).command == Command::verify);
}

TEST_CASE("each command on a store takes its names and options", "[cli][arguments]") {
  CHECK(parsed({"init", "s"}).command == Command::init);
  CHECK(parsed({"init", "s"}).tree == "s");
  const Arguments put = parsed({"put", "s", "x"});
  CHECK(put.command == Command::put);
  CHECK(put.tree == "s");
  CHECK(put.paths == std::vector<std::string>{"x"});
  CHECK(put.file == "-");
  CHECK(parsed({"put", "s", "x", "-"}).file == "-");
  CHECK(parsed({"put", "s", "x", "--json", "[f]"}).file == "[f]");
  CHECK(parsed({"mkdir", "s", "a", "b"}).paths == std::vector<std::string>{"a", "b"});
  CHECK_FALSE(parsed({"mkdir", "s", "a"}).parents);
  CHECK(parsed({"mkdir", "-p", "s", "a"}).parents);
  CHECK(parsed({"rm", "-r", "s", "a"}).recursive);
  for (const auto& [name, command] : {std::pair{"mv", Command::mv}, {"cp", Command::cp}, {"ln", Command::ln}}) {
    const Arguments two = parsed({name, "s", "from", "to"});
    CHECK(two.command == command);
    CHECK(two.tree == "s");
    CHECK(two.from == "from");
    CHECK(two.to == "to");
  }
  CHECK(parsed({"cp", "s", "a", "-r", "b"}).recursive);
  CHECK(parsed({"ln", "s", "a", "b", "--symbolic"}).symbolic);
  CHECK(parsed({"diff", "a", "b", "-0"}).to == "b");
  CHECK(parsed({"log", "s", "-0"}).nul);
  CHECK(parsed({"check", "s"}).command == Command::check);
  CHECK(parsed({"repair", "s"}).command == Command::repair);
}

TEST_CASE("export and import take a host directory, and a path if one is given", "[cli][arguments]") {
  const Arguments whole = parsed({"export", "p", "dir"});
  CHECK(whole.command == Command::export_tree);
  CHECK(whole.paths.empty());
  CHECK(whole.directory == "dir");
  const Arguments part = parsed({"export", "p", "--privileged", "-", "dir"});
  CHECK(part.paths == std::vector<std::string>{"-"});
  CHECK(part.directory == "dir");
  CHECK(part.privileged);
  CHECK(answered({"export", "p", "a", "b", "[c]"}).text == "unexpected [c]");
  const Arguments import = parsed({"import", "dir", "s", "--threads=2"});
  CHECK(import.command == Command::import_tree);
  CHECK(import.directory == "dir");
  CHECK(import.tree == "s");
  CHECK(import.paths.empty());
  CHECK(import.threads == 2);
  CHECK(parsed({"import", "dir", "s", "at"}).paths == std::vector<std::string>{"at"});
}

TEST_CASE("what is not given has its default", "[cli][arguments]") {
  const Arguments pack = parsed({"pack", "a", "-o", "-"});
  CHECK(pack.codec.kind == packfs::Codec::Kind::none);
  CHECK(pack.threads == 0);
  CHECK(pack.tree == "-");
  CHECK_FALSE(pack.json);
  CHECK_FALSE(pack.nul);
  CHECK(parsed({"pack", "a", "-o", "-", "--codec", "zstd"}).codec.level == 3);
  const Arguments unpack = parsed({"unpack", "p"});
  CHECK(unpack.directory == ".");
  CHECK(unpack.read_mode == packfs::ReadMode::mmap);
  CHECK_FALSE(unpack.privileged);
}

TEST_CASE("names are taken as they are, whatever they look like", "[cli][arguments]") {
  CHECK(parsed({"cat", "[p]", "[a,b]", "++", "ls", "a=b", "", "%%"}).paths ==
        std::vector<std::string>{"[a,b]", "++", "ls", "a=b", "", "%%"});
  CHECK(parsed({"cat", "[p]", "x"}).tree == "[p]");
  CHECK(parsed({"unpack", "p", "-C", "[d]"}).directory == "[d]");
  CHECK(parsed({"unpack", "p", "-C[d]"}).directory == "[d]");
  CHECK(parsed({"pack", "a", "--output=[o]"}).tree == "[o]");
  CHECK(parsed({"pack", "a", "-o-x"}).tree == "-x");
}

TEST_CASE("behind -- everything is a name", "[cli][arguments]") {
  CHECK(parsed({"cat", "p", "--", "-l", "--json", "--", "-5"}).paths ==
        std::vector<std::string>{"-l", "--json", "--", "-5"});
  const Arguments cat = parsed({"cat", "--", "-p", "-x"});
  CHECK(cat.tree == "-p");
  CHECK(cat.paths == std::vector<std::string>{"-x"});
}

TEST_CASE("wrong usage is named, with where to look", "[cli][arguments]") {
  struct Case {
    std::vector<std::string_view> arguments;
    std::string text;
    std::string hint;
  };
  const std::string main_hint = "Try 'packfs --help'.";
  const auto c = GENERATE_COPY(
      Case{{}, "a command is needed", main_hint}, Case{{"frob"}, "unknown command frob", main_hint},
      Case{{"--json", "ls", "p"}, "unexpected --json", "Try 'packfs ls --help'."},
      Case{{"ls"}, "PACK|STORE is required", "Try 'packfs ls --help'."},
      Case{{"cat", "p"}, "PATH is required", "Try 'packfs cat --help'."},
      Case{{"pack", "a"}, "--output is required", "Try 'packfs pack --help'."},
      Case{{"pack", "-o", "x"}, "SRC is required", "Try 'packfs pack --help'."},
      Case{{"info", "p", "more", "[x]"}, "unexpected more [x]", "Try 'packfs info --help'."},
      Case{{"ls", "--bogus", "p"}, "unexpected --bogus", "Try 'packfs ls --help'."},
      Case{{"ls", "-5", "p"}, "unknown option -5", "Try 'packfs ls --help'."},
      Case{{"put", "s", "x", "-5"}, "unknown option -5", "Try 'packfs put --help'."},
      Case{{"mv", "s", "x", "-5"}, "unknown option -5", "Try 'packfs mv --help'."},
      Case{{"mv", "s", "x"}, "TO is required", "Try 'packfs mv --help'."},
      Case{{"mv", "s", "x", "y", "z"}, "unexpected z", "Try 'packfs mv --help'."},
      Case{{"put", "s"}, "PATH is required", "Try 'packfs put --help'."},
      Case{{"rm", "s"}, "PATH is required", "Try 'packfs rm --help'."},
      Case{{"rm", "-0", "s", "x"}, "unknown option -0", "Try 'packfs rm --help'."},
      Case{{"diff", "a"}, "B is required", "Try 'packfs diff --help'."},
      Case{{"import", "d"}, "STORE is required", "Try 'packfs import --help'."},
      Case{{"export", "p"}, "DIR is required", "Try 'packfs export --help'."},
      Case{{"ls", "p", "-5"}, "unknown option -5", "Try 'packfs ls --help'."},
      Case{{"ls", "-0", "--json", "p"}, "--json and --null exclude each other", "Try 'packfs ls --help'."},
      Case{{"ls", "--read-mode", "x", "p"}, "--read-mode is mmap or pread", "Try 'packfs ls --help'."},
      Case{{"pack", "a", "-o", "-", "--json"},
           "--json has nowhere to go when the pack goes to standard output",
           "Try 'packfs pack --help'."});
  const Answer answer = answered(c.arguments);
  CHECK(answer.exit_code == ExitCode::usage);
  CHECK(answer.text == c.text);
  CHECK(answer.hint == c.hint);
}

TEST_CASE("values outside their range are refused", "[cli][arguments]") {
  const std::string_view codec =
      GENERATE("zstd:0", "zstd:20", "zstd:", "zstd:x", "zstd:3x", "zstd3", "lz4", "", "None");
  CHECK(answered({"pack", "a", "-o", "o", "--codec", codec}).text == "--codec is none, zstd or zstd:1 to zstd:19");
  const std::string_view threads = GENERATE("0", "-1", "1025", "x", "2x", "99999999999999999999");
  CHECK(answered({"pack", "a", "-o", "o", "--threads", threads}).text == "--threads is 1 to 1024");
}

TEST_CASE("help and version are answers", "[cli][arguments]") {
  CHECK(answered({"--version"}).text == "packfs " PACKFS_VERSION "\n");
  CHECK(answered({"--version"}).exit_code == ExitCode::done);
  const std::string main_help = answered({"--help"}).text;
  for (const std::string_view command :
       {"pack", "unpack", "export", "ls", "cat", "stat", "info", "verify", "diff",  "init",
        "put",  "import", "mkdir",  "rm", "mv",  "cp",   "ln",   "log",    "check", "repair"}) {
    CHECK(main_help.find("\n  " + std::string(command) + " ") != std::string::npos);
    const Answer help = answered({command, "--help"});
    CHECK(help.exit_code == ExitCode::done);
    CHECK(help.text.find("Usage: packfs " + std::string(command) + " ") != std::string::npos);
    CHECK(help.text.find("Example: ") != std::string::npos);
    CHECK(help.text.find("packfs " + std::string(command) + " ", help.text.find("Example: ")) != std::string::npos);
  }
}

}  // namespace
