#include "stress/each_call.h"

#include <string>

#include "stress/random.h"

namespace packfs::stress {

std::vector<Operation> tree_of_all() {
  return operations_from_text(R"(
    make_directories path="a/b" mode=493
    write path="a/f" size=300 seed=3 mode=420
    write path="a/g" size=70000 seed=5 mode=420
    write path="a/b/h" size=5000 seed=2 mode=384
    make_directory path="empty" mode=448
    link path="a/f" other="l"
    symlink path="s" other="a/f"
    set_xattr path="a/f" other="user.a" size=20 seed=2
    write path="c" size=10 seed=2 mode=420)");
}

namespace {

Operation from_line(const std::string& line) { return *from_text(line); }

}  // namespace

Operation call_of(std::size_t which, std::uint64_t seed) {
  Random random(seed);
  const auto size = [&](std::uint64_t most) { return " size=" + std::to_string(random.below(most)); };
  const std::string content = " seed=" + std::to_string(random.below(1000)) + " mode=420";
  switch (which % kCalls) {
    case 0:
      return from_line("write path=\"n\"" + size(600) + content);
    case 1:
      return from_line("write path=\"a/g\"" + size(200'000) + content);
    case 2:
      return from_line("write_owned path=\"n\"" + size(9000) + content);
    case 3:
      return from_line("append path=\"a/f\"" + size(6000) + content);
    case 4:
      return from_line("write_at path=\"a/g\" offset=" + std::to_string(random.below(90'000)) + size(20'000) + content);
    case 5:
      return from_line("truncate path=\"a/g\"" + size(140'000));
    case 6:
      return from_line("make_directory path=\"m\" mode=448");
    case 7:
      return from_line("make_directories path=\"m/o/p\" mode=448");
    case 8:
      return from_line("remove_directory path=\"empty\"");
    case 9:
      return from_line("unlink path=\"l\"");
    case 10:
      return from_line("remove_tree path=\"a\"");
    case 11:
      return from_line("rename path=\"a\" other=\"z\"");
    case 12:
      return from_line("rename path=\"a\" other=\"c\" option=2");
    case 13:
      return from_line("clone path=\"a\" other=\"z\"");
    case 14:
      return from_line("link path=\"a/f\" other=\"k\"");
    case 15:
      return from_line("symlink path=\"t\" other=\"a/b\"");
    case 16:
      return from_line("make_special path=\"p\" mode=420 option=6 uid=3 gid=4");
    case 17:
      return from_line("chmod path=\"a/f\" mode=292");
    case 18:
      return from_line("chown path=\"a\" uid=3 gid=4");
    case 19:
      return from_line("set_mtime path=\"s\" seconds=77 nanoseconds=5");
    case 20:
      return from_line("set_xattr path=\"a\" other=\"user.b\"" + size(900) + " seed=4");
    case 21:
      return from_line("write_given path=\"a/g\" uid=3 gid=4 seconds=-7 nanoseconds=5 mode=420 seed=6" + size(9000));
    case 22:
      return from_line("symlink_given path=\"t\" other=\"a/b\" uid=3 gid=4 seconds=-7 mode=511 seed=6");
    case 23:
      return from_line("make_directory_given path=\"m\" uid=3 gid=4 seconds=-7 mode=448 seed=6");
    case 24:
      return from_line("set_attributes path=\"a\" uid=3 gid=4 seconds=-7 mode=448 seed=6");
    case 25:
      return from_line(
          "make_special_given path=\"p\" option=6 offset=12884901892 uid=3 gid=4 seconds=-7 mode=420 seed=6");
    default:
      return from_line("remove_xattr path=\"a/f\" other=\"user.a\"");
  }
}

}  // namespace packfs::stress
