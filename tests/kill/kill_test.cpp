#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kill/expectation.h"
#include "kill/ledger.h"
#include "kill/process.h"
#include "packfs/store.h"
#include "packfs/volume.h"
#include "store/stores.h"
#include "stress/random.h"
#include "stress/sanitized.h"
#include "support/seed.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::kill;
using packfs::testing::TempDir;

namespace {

/// PACKFS_KILLS overrides what the build is given.
std::uint64_t kills_wanted() {
  const char* given = std::getenv("PACKFS_KILLS");
  if (given != nullptr && *given != '\0') return std::strtoull(given, nullptr, 10);
  return stress::kIsSanitized ? 8 : 50;
}

constexpr std::uint64_t kSteps = 120;  // of a thread; then its writer closes the store

/// Kills one writer after another, on one store after another.
class Kills {
 public:
  explicit Kills(std::uint64_t seed) : random_(seed) {}

  /// Nothing wrong, or what was wrong first.
  std::string run(std::uint64_t kills) {
    begin_store();
    while (kills_ < kills) {
      if (rounds_of_store_ > 0 && random_.chance(5)) {
        if (auto wrong = end_reader(); !wrong.empty()) return wrong;
        begin_store();
      }
      if (auto wrong = round(); !wrong.empty()) return where() + wrong;
    }
    return end_reader();
  }

  [[nodiscard]] std::string counts() const {
    return std::to_string(kills_) + " writers killed, " + std::to_string(kills_in_opening_) + " more while opening, " +
           std::to_string(closed_) + " came to their end, on " + std::to_string(stores_) + " stores; " +
           std::to_string(begun_) + " steps begun, " + std::to_string(lost_) +
           " not promised and lost; readers looked " + std::to_string(looks_) + " times";
  }

 private:
  void begin_store() {
    store_.emplace();
    ledger_ = std::make_unique<Ledger>(ledger_path());
    expectation_ = {};
    threads_ = 2 + random_.below(3);
    own_.clear();
    rounds_of_store_ = 0;
    ++stores_;
  }

  std::string round() {
    ++round_;
    ++rounds_of_store_;
    if (auto wrong = lead_reader(); !wrong.empty()) return wrong;
    if (auto wrong = let_write(); !wrong.empty()) return wrong;
    for (const Line& line : ledger_->read()) expectation_.take(line);
    expectation_.settle();
    while (random_.chance(25)) kill_while_opening();
    // Now and then the next writer is the first to open it again.
    if (auto wrong = random_.chance(30) ? look() : open_and_look(); !wrong.empty()) return wrong;
    begun_ += expectation_.begun();
    lost_ += expectation_.lost();
    ledger_->append({Line::Kind::found, expectation_.found()});
    for (const Line& line : ledger_->read()) expectation_.take(line);
    return "";
  }

  /// Kills it when the ledger has grown by so many bytes, or a little later; or it comes to its end before.
  std::string let_write() {
    constexpr std::array<std::uint64_t, 4> kSegmentBytes{2000, 20'000, 1'000'000, 256'000'000};
    const std::uint64_t seed = random_.below(1'000'000'000);
    const std::uint64_t target = ledger_->size() + random_.below(random_.chance(20) ? 60 : threads_ * kSteps * 50);
    Process writer({"write", store_path(), ledger_path(), std::to_string(round_), std::to_string(seed),
                    std::to_string(threads_), std::to_string(random_.pick(kSegmentBytes)), std::to_string(kSteps)},
                   store_->path("writer"));
    while (ledger_->size() < target && !writer.has_ended()) std::this_thread::yield();
    for (std::uint64_t more = random_.below(3000); more > 0 && !writer.has_ended(); --more) std::this_thread::yield();
    if (writer.kill()) {
      ++kills_;
      return "";
    }
    ++closed_;
    return writer.wait() == 0 ? "" : "a writer failed";
  }

  void kill_while_opening() {
    Process opening({"open", store_path()}, store_->path("opening"));
    for (std::uint64_t more = random_.below(6000); more > 0 && !opening.has_ended(); --more) std::this_thread::yield();
    if (opening.kill()) ++kills_in_opening_;
  }

  /// As one who reads beside a writer.
  std::string look() {
    if (!std::filesystem::exists(store_path() + "/CURRENT")) return open_and_look();
    StoreOptions options;
    options.read_only = true;
    const auto volume = Volume::open(store_path(), options);
    if (!volume) return "does not open for reading: " + volume.error().message();
    return expectation_.check(volume->snapshot());
  }

  /// As the next writer, who goes on.
  std::string open_and_look() {
    {
      StoreOptions options;
      options.uid = kUid;
      options.gid = kGid;
      auto volume = Volume::open(store_path(), options);
      if (!volume) return "does not open: " + volume.error().message();
      if (auto wrong = expectation_.check(volume->snapshot()); !wrong.empty()) return wrong;
      if (!own_.empty() && testing::read_text(*volume, "own") != own_) return "what was written between is lost";
      own_ = "after round " + std::to_string(round_);
      if (auto wrote = volume->write("own", testing::bytes_of(own_)); !wrote) return wrote.error().message();
    }
    const auto report = check_store(store_path());
    if (!report) return "check_store: " + report.error().message();
    return report->damage.empty() ? "" : "check_store: " + report->damage.front().message();
  }

  /// One follows the store, from one writer to the next.
  std::string lead_reader() {
    if (reader_ && random_.chance(20)) return end_reader();
    const bool is_store = std::filesystem::exists(store_path() + "/CURRENT");
    if (!reader_ && is_store && random_.chance(40)) {
      reader_ = std::make_unique<Process>(std::vector<std::string>{"read", store_path(), ledger_path()},
                                          store_->path("reader"));
    }
    return "";
  }

  std::string end_reader() {
    if (!reader_) return "";
    reader_->end_input();
    const auto code = reader_->wait();
    reader_.reset();
    const std::string told = testing::text_of(testing::read_host_file(store_->path("reader")));
    if (code != 0) return "a reader: " + told;
    looks_ += std::strtoull(told.c_str(), nullptr, 10);
    return "";
  }

  [[nodiscard]] std::string where() const {
    return "round " + std::to_string(round_) + " (" + std::to_string(rounds_of_store_) + " of its store): ";
  }
  [[nodiscard]] std::string store_path() const { return store_->path("store"); }
  [[nodiscard]] std::string ledger_path() const { return store_->path("ledger"); }

  stress::Random random_;
  std::optional<TempDir> store_;
  std::unique_ptr<Ledger> ledger_;
  Expectation expectation_;
  std::unique_ptr<Process> reader_;
  std::string own_;  // what stands in "own"
  std::uint64_t threads_ = 0;
  std::uint64_t round_ = 0;
  std::uint64_t rounds_of_store_ = 0;
  std::uint64_t stores_ = 0;
  std::uint64_t kills_ = 0;
  std::uint64_t kills_in_opening_ = 0;
  std::uint64_t closed_ = 0;
  std::uint64_t begun_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t looks_ = 0;
};

}  // namespace

TEST_CASE("a writer that is killed at any moment loses nothing that it acknowledged", "[kill]") {
  Kills kills(testing::test_seed());
  CHECK(kills.run(kills_wanted()) == "");
  WARN(kills.counts());
}
