#include <memory>

#include "arms/host_store.h"
#include "arms/rested_filesystem.h"
#include "arms/volume_store.h"
#include "check.h"
#include "rows/live_rows.h"

namespace packfs::bench {

namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;
constexpr std::size_t kMega = std::size_t{1} << 20;

Arm volume_arm(VolumeStore& store, std::span<const std::byte> piece, std::size_t bytes) {
  const auto body = [&store, piece, bytes](benchmark::State& state) {
    Volume& volume = store.volume();
    for ([[maybe_unused]] auto _ : state) {
      state.SetIterationTime(seconds_of([&] {
        for (std::size_t done = 0; done < bytes; done += piece.size()) must(volume.append("file", piece), "append");
      }));
      must_hold(volume.stat("file")->size == bytes, "packfs: wrong size");
      must(volume.unlink("file"), "unlink");
      volume.quiesce();
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
  };
  return {.name = "packfs", .body = body, .iterations = 0, .manual_time = true};
}

Arm host_arm(const std::string& name, const HostStore& store, std::span<const std::byte> piece, std::size_t bytes) {
  const auto body = [&store, piece, bytes](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
      state.SetIterationTime(seconds_of([&] {
        const int fd =
            must_call(openat(store.root(), "file", O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644), "open");
        for (std::size_t done = 0; done < bytes; done += piece.size()) {
          must_hold(write(fd, piece.data(), piece.size()) == static_cast<ssize_t>(piece.size()), "short write");
        }
        close(fd);
      }));
      must_call(unlinkat(store.root(), "file", 0), "unlink");
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
  };
  return {.name = name, .body = body, .iterations = 0, .manual_time = true};
}

}  // namespace

void measure_live_appends(Recorder& recorder) {
  const LivePlaces places(recorder.settings());
  const RestedFilesystem filesystem(places.disk, "live", 1000, std::uint64_t{2} << 30);
  const HostStore ext4(filesystem.path() + "/files");
  const HostStore tmpfs(places.memory + "/files");
  VolumeStore volume;
  std::vector<std::byte> piece(kPiece);
  fill_content(1, piece);
  for (const std::size_t megabytes : {1, 16, 64}) {
    RowHeading row = live_heading("live-append", "append in pieces of 64 KiB", std::to_string(megabytes) + " MB",
                                  "memory and page cache recycled from the file before");
    row.measure = Measure::bytes_per_second;
    row.comparisons = {{.subject = "packfs", .peer = "ext4", .at_least = 1.5, .at_most = {}},
                       {.subject = "packfs", .peer = "tmpfs", .at_least = {}, .at_most = {}}};
    const std::size_t bytes = megabytes * kMega;
    recorder.measure(row, {volume_arm(volume, piece, bytes), host_arm("ext4", ext4, piece, bytes),
                           host_arm("tmpfs", tmpfs, piece, bytes)});
  }
}

}  // namespace packfs::bench
