#include "cli/sample_pack.h"

#include <algorithm>
#include <stdexcept>

#include "packfs/pack_builder.h"
#include "support/packs.h"

namespace packfs::testing {

namespace {

Attributes with(std::uint32_t mode, std::uint32_t uid = 0, std::uint32_t gid = 0, Time mtime = {}) {
  return {.mode = mode, .uid = uid, .gid = gid, .mtime = mtime, .xattrs = {}};
}

void fill_sample(PackBuilder& builder) {
  Attributes tagged = with(0644, 1, 2, {.seconds = 951782400, .nanoseconds = 123456789});
  const auto value = bytes_of("v");
  tagged.xattrs.push_back({.name = "user.tag", .value = {value.begin(), value.end()}});
  must(builder.add_directory("docs", with(0755, 1, 2)));
  must(builder.add_file("docs/a.txt", tagged, bytes_of("hello\n")));
  must(builder.add_directory("docs/sub", with(02775)));
  must(builder.add_file("docs/sub/deep", with(0600), bytes_of("deep")));
  must(builder.add_directory("empty", with(0700)));
  must(builder.add_file("hard1", with(0644), bytes_of("linked")));
  must(builder.add_link("hard2", "hard1"));
  must(builder.add_symlink("link", with(0777), "docs/a.txt"));
  must(builder.add_symlink("dirlink", with(0777), "docs"));
  must(builder.add_symlink("dangling", with(0777), "nowhere"));
  must(builder.add_special("null", with(0666), FileType::character_device, 1, 3));
  must(builder.add_special("pipe", with(0644), FileType::fifo));
  must(builder.add_file("su", with(04755), bytes_of("#!\n")));
}

}  // namespace

void write_sample_pack(const std::string& path) {
  BuildOptions options;
  options.root = with(0750, 10, 20, {.seconds = 1000000000, .nanoseconds = 5});
  build_pack(path, fill_sample, options);
}

const std::vector<std::string>& odd_names() {
  static const std::vector<std::string> names = {
      "\x1b[31mred", "++", "-x", "[a]", "back\\slash", "b\xff", "new\nline", "sp ace", std::string("\xc2\x9b") + "csi",
      "\xc3\xbc"};
  return names;
}

void write_odd_names_pack(const std::string& path) {
  build_pack(path, [](PackBuilder& builder) {
    for (const std::string& name : odd_names()) must(builder.add_file(name, with(0644), bytes_of(name)));
  });
}

void damage_last(const std::string& path, std::string_view text) {
  auto bytes = read_host_file(path);
  const auto wanted = bytes_of(text);
  const auto found = std::ranges::find_end(bytes, wanted);
  if (found.empty()) throw std::runtime_error("nothing to damage");
  found.front() ^= std::byte{1};
  write_host_file(path, bytes);
}

}  // namespace packfs::testing
