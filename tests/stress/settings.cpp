#include "stress/settings.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "packfs/pack_builder.h"
#include "packfs/store.h"
#include "stress/apply.h"
#include "support/packs.h"

namespace packfs::stress {

namespace {

constexpr std::string_view kSmallTree = R"(
make_directories path="a/b/c" mode=493
make_directory path="d" mode=1023
make_directory path="empty" mode=448
write path="a/a" size=100 seed=3 mode=420
write path="a/b/f" size=5000 seed=4 mode=2541
write path="a/b/c/b" size=70000 seed=5 mode=384
write path="b" size=0 seed=6 mode=420
write path="c" size=256 seed=7 mode=292
write path="d/\xff\xfe\x80" size=257 seed=8 mode=420
write path="d/a-common-prefix-that-is-longer-than-what-a-node-keeps-of-it-a" size=20000 seed=1 mode=420
write path="d/a-common-prefix-that-is-longer-than-what-a-node-keeps-of-it-b" size=300000 seed=9 mode=420
link path="a/a" other="d/a"
link path="a/a" other="a/b/a"
link path="c" other="e"
symlink path="a/d" other="../d"
symlink path="a/e" other="/a/b/f"
symlink path="a/f" other="nowhere"
symlink path="f" other="f"
link path="a/f" other="a/b/d"
make_special path="d/b" mode=420 option=4
make_special path="d/c" mode=420 option=6 uid=4 gid=300000
chown path="a/b/f" uid=3 gid=4294967294
chmod path="a/b" mode=1517
set_xattr path="b" other="user.a" size=20 seed=2
set_xattr path="a" other="user.b" size=0
set_xattr path="f" other="x" size=500 seed=3
)";

constexpr std::string_view kWideTree = R"(
make_directories path="a/b" mode=493
fill path="" other="n" size=1000
fill path="a" other="entry-with-a-long-common-prefix-of-the-name-" size=3000
fill path="a/b" other="n" size=300
link path="a/b/n3" other="a/a"
write path="b" size=40000 seed=4 mode=420
)";

Model model_of(std::string_view operations) {
  Model model(kOwner, kGroup);
  for (const Operation& operation : operations_from_text(operations)) {
    if (apply(operation, model).error) throw std::runtime_error("cannot be: " + to_text(operation));
  }
  model.set_all_mtimes({.seconds = -5, .nanoseconds = 123456789});
  return model;
}

Attributes attributes_of(const ModelInode& inode) {
  Attributes attributes{
      .mode = inode.mode, .uid = inode.uid, .gid = inode.gid, .mtime = *inode.mtime.set, .xattrs = {}};
  for (const auto& [name, value] : inode.xattrs) {
    const auto bytes = testing::bytes_of(value);
    attributes.xattrs.push_back({name, {bytes.begin(), bytes.end()}});
  }
  return attributes;
}

void add_entries(const Model& model, ModelId directory, const std::string& prefix,
                 std::map<ModelId, std::string>& linked, PackBuilder& builder) {
  for (const auto& [name, id] : model.inode(directory).entries) {
    const ModelInode& inode = model.inode(id);
    const std::string path = prefix + name;
    if (const auto known = linked.find(id); known != linked.end()) {
      testing::must(builder.add_link(path, known->second));
      continue;
    }
    switch (inode.type) {
      case FileType::directory:
        testing::must(builder.add_directory(path, attributes_of(inode)));
        add_entries(model, id, path + "/", linked, builder);
        break;
      case FileType::regular:
        testing::must(builder.add_file(path, attributes_of(inode), testing::bytes_of(inode.bytes)));
        break;
      case FileType::symlink:
        testing::must(builder.add_symlink(path, attributes_of(inode), inode.bytes));
        break;
      default:
        testing::must(builder.add_special(path, attributes_of(inode), inode.type, inode.major, inode.minor));
    }
    if (inode.type != FileType::directory && inode.names > 1) linked[id] = path;
  }
}

VolumeOptions owner() { return {.uid = kOwner, .gid = kGroup}; }

Volume must_make(Result<Volume> volume) {
  if (!volume) throw std::runtime_error(volume.error().message());
  return std::move(*volume);
}

Setting pack_setting(const std::string& path, const Model& model, Codec codec, ReadMode mode, std::string name) {
  const auto fill = [&](PackBuilder& builder) {
    std::map<ModelId, std::string> linked;
    add_entries(model, model.root(), "", linked, builder);
  };
  testing::build_pack(path, fill, {.codec = codec, .root = attributes_of(model.inode(model.root()))});
  const Pack pack = testing::open_pack(path, mode);
  return {std::move(name), [pack] { return must_make(Volume::memory(pack, owner())); }, model};
}

/// Stores one after another in a directory.
class Stores {
 public:
  explicit Stores(std::string directory) : directory_(std::move(directory)) {}
  Volume make() { return open(next()); }
  Volume reopen(Volume volume) {
    const std::string path = last();
    if (++reopened_ % 2 == 0) {
      const std::string copy = next();
      std::filesystem::copy(path, copy);
      std::filesystem::remove(copy + "/LOCK");
      check(copy);
      return open(copy);
    }
    {
      const Volume closed = std::move(volume);
    }
    check(path);
    return open(path);
  }
  Volume follow(std::optional<Volume> reader) {
    if (reader && followed_ == count_) return std::move(*reader);
    followed_ = count_;
    StoreOptions options;
    options.read_only = true;
    return must_make(Volume::open(last(), options));
  }

 private:
  std::string last() const { return directory_ + "/" + std::to_string(count_); }
  std::string next() {
    if (count_ > 1) std::filesystem::remove_all(directory_ + "/" + std::to_string(count_ - 1));
    ++count_;
    return last();
  }
  Volume open(const std::string& path) const {
    StoreOptions options;
    if (count_ % 2 == 0) options.segment_bytes = 4096;  // many segments
    options.uid = kOwner;
    options.gid = kGroup;
    return must_make(Volume::open(path, options));
  }

  static void check(const std::string& path) {
    const auto report = check_store(path);
    if (!report) throw std::runtime_error(report.error().message());
    if (!report->damage.empty()) throw std::runtime_error(report->damage.front().message());
  }

  std::string directory_;
  std::uint64_t count_ = 0;
  std::uint64_t followed_ = 0;
  std::uint64_t reopened_ = 0;
};

}  // namespace

Setting store_setting(const testing::TempDir& directory) {
  const auto stores = std::make_shared<Stores>(directory.path());
  return {"a store", [stores] { return stores->make(); }, Model(kOwner, kGroup),
          [stores](Volume volume) { return stores->reopen(std::move(volume)); },
          [stores](std::optional<Volume> reader) { return stores->follow(std::move(reader)); }};
}

Setting empty_setting(Fault fault) {
  return {"an empty volume", [] { return must_make(Volume::memory(owner())); }, Model(kOwner, kGroup, fault)};
}

std::vector<Setting> pack_settings(const testing::TempDir& directory) {
  const Codec plain;
  const Codec zstd{.kind = Codec::Kind::zstd, .level = 1};
  std::vector<Setting> settings;
  settings.push_back(
      pack_setting(directory.path("small"), model_of(kSmallTree), plain, ReadMode::mmap, "a small pack"));
  settings.push_back(pack_setting(directory.path("wide"), model_of(kWideTree), zstd, ReadMode::pread, "a wide pack"));
  return settings;
}

}  // namespace packfs::stress
