#include "path/path.h"

#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/seed.h"

using packfs::ErrorCode;
using packfs::path::check_component;
using packfs::path::DotDot;
using packfs::path::kMaxPath;
using packfs::path::Splitter;

namespace {

using Names = std::vector<std::string>;

struct Walk {
  Names names;
  std::optional<ErrorCode> error;
  bool requires_directory = false;
};

Walk walk(std::string_view path, DotDot dot_dot = DotDot::refused) {
  Splitter splitter(path, dot_dot);
  Walk walked;
  while (splitter.next()) walked.names.emplace_back(splitter.component());
  walked.error = splitter.error();
  walked.requires_directory = splitter.requires_directory();
  return walked;
}

Names names(std::string_view path, DotDot dot_dot = DotDot::refused) {
  Walk walked = walk(path, dot_dot);
  REQUIRE_FALSE(walked.error.has_value());
  return walked.names;
}

// The rules said as simply as can be, to compare with.
Walk model(std::string_view path, DotDot dot_dot) {
  Walk walked;
  if (path.find('\0') != std::string_view::npos) {
    walked.error = ErrorCode::invalid;
    return walked;
  }
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string name(path.substr(begin, end - begin));
    begin = end + 1;
    if (name.empty() || name == ".") continue;
    if (name.size() > 255) {
      walked.error = ErrorCode::name_too_long;
    } else if (name == ".." && dot_dot == DotDot::refused) {
      walked.error = ErrorCode::escapes_root;
    } else {
      walked.names.push_back(name);
      walked.requires_directory = end != path.size();
      continue;
    }
    break;
  }
  return walked;
}

}  // namespace

TEST_CASE("a path is split at its slashes", "[path]") {
  CHECK(names("a") == Names{"a"});
  CHECK(names("a/b/c") == Names{"a", "b", "c"});
  CHECK(names("textures/rock.png") == Names{"textures", "rock.png"});
  CHECK(names(" / \n") == Names{" ", " \n"});
  CHECK(names("\xff\x80/\xc3") == Names{"\xff\x80", "\xc3"});
}

TEST_CASE("empty components and single dots count for nothing", "[path]") {
  for (const char* path : {"", ".", "/", "//", "./", "/.", "./.", "/./", ".//.", "///././"}) {
    CAPTURE(path);
    CHECK(names(path).empty());
    CHECK(Splitter(path).is_last());
  }
  for (const char* path : {"a/b", "/a/b", "//a//b", "./a/./b", "a/././b", "/./a/.//./b", "a/b/", "a/b/.", "a/b//./"}) {
    CAPTURE(path);
    CHECK(names(path) == Names{"a", "b"});
  }
}

TEST_CASE("names that only begin with dots are names", "[path]") {
  CHECK(names("...") == Names{"..."});
  CHECK(names(".a/..b/a../.../a..b") == Names{".a", "..b", "a..", "...", "a..b"});
  CHECK(names(". /.. ") == Names{". ", ".. "});
}

TEST_CASE("a dot-dot component is refused where it stands", "[path]") {
  for (const char* path : {"..", "../a", "/..", "a/..", "a/../b", "a/b/../", "./..", "a/../.."}) {
    CAPTURE(path);
    CHECK(walk(path).error == ErrorCode::escapes_root);
  }
  const Walk walked = walk("a/b/../c");
  CHECK(walked.names == Names{"a", "b"});
}

TEST_CASE("in a symlink's target dot-dot is a component and a leading slash is seen", "[path]") {
  CHECK(names("../a/..", DotDot::parent) == Names{"..", "a", ".."});
  CHECK(names("/../..//./x", DotDot::parent) == Names{"..", "..", "x"});
  CHECK(Splitter("/a", DotDot::parent).is_absolute());
  CHECK(Splitter("/", DotDot::parent).is_absolute());
  CHECK_FALSE(Splitter("a/b", DotDot::parent).is_absolute());
  CHECK_FALSE(Splitter("./a", DotDot::parent).is_absolute());
  CHECK_FALSE(Splitter("", DotDot::parent).is_absolute());
  CHECK(walk(std::string_view("..\0", 3), DotDot::parent).error == ErrorCode::invalid);
}

TEST_CASE("a slash behind the last component asks for a directory", "[path]") {
  CHECK_FALSE(walk("a").requires_directory);
  CHECK_FALSE(walk("a/b").requires_directory);
  CHECK_FALSE(walk("/a").requires_directory);
  CHECK_FALSE(walk("./a").requires_directory);
  CHECK(walk("a/").requires_directory);
  CHECK(walk("a//").requires_directory);
  CHECK(walk("a/.").requires_directory);
  CHECK(walk("a/b/./").requires_directory);
}

TEST_CASE("each component knows whether it is the last and whether a directory is needed", "[path]") {
  Splitter splitter("a/./b//");
  CHECK_FALSE(splitter.is_last());
  REQUIRE(splitter.next());
  CHECK(splitter.component() == "a");
  CHECK_FALSE(splitter.is_last());
  CHECK(splitter.requires_directory());
  REQUIRE(splitter.next());
  CHECK(splitter.component() == "b");
  CHECK(splitter.is_last());
  CHECK(splitter.requires_directory());
  CHECK_FALSE(splitter.next());
  CHECK(splitter.component().empty());
  CHECK_FALSE(splitter.error().has_value());
  CHECK_FALSE(splitter.next());

  Splitter before_error("a/..");
  REQUIRE(before_error.next());
  CHECK_FALSE(before_error.is_last());
}

TEST_CASE("a component of 255 bytes is a name, one of 256 is too long", "[path]") {
  const std::string longest(255, 'n');
  CHECK(names("a/" + longest + "/b") == Names{"a", longest, "b"});
  CHECK(names(longest) == Names{longest});
  const std::string longer = longest + "n";
  CHECK(walk(longer).error == ErrorCode::name_too_long);
  CHECK(walk("a/" + longer + "/b").error == ErrorCode::name_too_long);
  CHECK(walk("a/" + longer).names == Names{"a"});
  CHECK(walk(longer, DotDot::parent).error == ErrorCode::name_too_long);
}

TEST_CASE("a path of 1 MiB is walked, a longer one is refused before anything else", "[path]") {
  std::string path;
  while (path.size() < kMaxPath) path += "ab/";
  path.resize(kMaxPath);
  CHECK(names(path).size() == (kMaxPath + 2) / 3);
  CHECK(walk(path + "/").error == ErrorCode::name_too_long);
  CHECK(walk(path + "/").names.empty());
  Splitter slashes(std::string_view("/", 1));
  CHECK_FALSE(slashes.next());
  const std::string only_slashes(kMaxPath + 1, '/');
  CHECK(walk(only_slashes).error == ErrorCode::name_too_long);
  CHECK_FALSE(Splitter(only_slashes).is_last());
}

TEST_CASE("a NUL byte anywhere makes the whole path invalid", "[path]") {
  for (const std::string_view path : {std::string_view("\0", 1), std::string_view("a\0", 2), std::string_view("\0a", 2),
                                      std::string_view("a/\0/b", 5), std::string_view(".\0", 2),
                                      std::string_view("..\0", 3), std::string_view("a/b\0", 4)}) {
    CHECK(walk(path).error == ErrorCode::invalid);
  }
  CHECK(walk(std::string_view("a/\0", 3)).names.empty());
  CHECK(walk(std::string_view("a/../\0", 6)).error == ErrorCode::invalid);
}

TEST_CASE("after an error nothing more comes", "[path]") {
  Splitter splitter("../a");
  CHECK_FALSE(splitter.next());
  CHECK(splitter.component().empty());
  CHECK(splitter.error() == ErrorCode::escapes_root);
  CHECK_FALSE(splitter.next());
  CHECK(splitter.error() == ErrorCode::escapes_root);
  CHECK_FALSE(splitter.is_last());
}

TEST_CASE("an error further on can be asked for without moving", "[path]") {
  Splitter splitter("missing/x/../y");
  REQUIRE(splitter.next());
  CHECK(splitter.error_ahead() == ErrorCode::escapes_root);
  CHECK(splitter.component() == "missing");
  REQUIRE(splitter.next());
  CHECK(splitter.component() == "x");
  CHECK_FALSE(splitter.next());
  CHECK(splitter.error_ahead() == ErrorCode::escapes_root);
  CHECK_FALSE(Splitter("a/b/c").error_ahead().has_value());
  CHECK_FALSE(Splitter("a/..", DotDot::parent).error_ahead().has_value());
}

TEST_CASE("a copy goes on from the same place", "[path]") {
  Splitter splitter("a/b/c");
  REQUIRE(splitter.next());
  Splitter copy = splitter;
  REQUIRE(splitter.next());
  REQUIRE(copy.next());
  CHECK(copy.component() == "b");
}

TEST_CASE("components point into the path they came from", "[path]") {
  const std::string path = "ab/cd";
  Splitter splitter(path);
  REQUIRE(splitter.next());
  REQUIRE(splitter.next());
  CHECK(splitter.component().data() == path.data() + 3);
}

TEST_CASE("random paths are split as the rules say", "[path]") {
  std::mt19937_64 random(packfs::testing::test_seed());
  const std::string alphabet = std::string("//...ab") + '\xff';
  for (int round = 0; round < 20'000; ++round) {
    std::string path(random() % 14, '\0');
    for (char& byte : path) byte = alphabet[random() % alphabet.size()];
    if (!path.empty() && random() % 10 == 0) path[random() % path.size()] = '\0';
    if (random() % 50 == 0) path.insert(random() % (path.size() + 1), std::string(250 + random() % 10, 'x'));
    const DotDot dot_dot = random() % 2 == 0 ? DotDot::refused : DotDot::parent;
    const Walk expected = model(path, dot_dot);
    const Walk walked = walk(path, dot_dot);
    if (walked.names != expected.names || walked.error != expected.error ||
        (!walked.error && walked.requires_directory != expected.requires_directory)) {
      CAPTURE(path, dot_dot == DotDot::refused);
      CHECK(walked.names == expected.names);
      CHECK(walked.error == expected.error);
      FAIL("the walk differs from the rules");
    }
  }
}

TEST_CASE("a name is 1 to 255 bytes of anything but slash and NUL, and no dots alone", "[path]") {
  for (const char* name : {"a", "...", ".a", "..a", "a.", " ", "\xff", "a b\n"}) {
    CAPTURE(name);
    CHECK_FALSE(check_component(name).has_value());
  }
  CHECK_FALSE(check_component(std::string(255, 'n')).has_value());
  CHECK(check_component(std::string(256, 'n')) == ErrorCode::name_too_long);
  CHECK(check_component(std::string(300, '/')) == ErrorCode::name_too_long);
  CHECK(check_component("") == ErrorCode::invalid);
  CHECK(check_component(".") == ErrorCode::invalid);
  CHECK(check_component("..") == ErrorCode::invalid);
  CHECK(check_component("/") == ErrorCode::invalid);
  CHECK(check_component("a/b") == ErrorCode::invalid);
  CHECK(check_component("a/") == ErrorCode::invalid);
  CHECK(check_component(std::string_view("a\0", 2)) == ErrorCode::invalid);
  CHECK(check_component(std::string_view("\0", 1)) == ErrorCode::invalid);
}
