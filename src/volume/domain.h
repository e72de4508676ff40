#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "packfs/volume.h"
#include "tree/owner.h"
#include "volume/bell.h"
#include "volume/root.h"

namespace packfs::volume {

/// What all states of one volume share: the heap of their parts, and how those come back to it. It outlives the volume
/// while a snapshot is held; whoever drops the last one dismantles it.
///
/// How a state ends:
///  A. publish() makes a new one the newest; the old one is retired, still counted by its publication.
///  B. That count is dropped once a grace period has passed that began after A (grace_begins() .. grace_ends()). So
///     a reader that found it as the newest, in a read section, counts it while it is sure to be counted (wait-free).
///  C. When nobody counts it, it goes on the list of the dead, whichever thread that is: no lock, no node touched.
///  D. collect() takes the dead apart, under the count lock, so many parts at a time.
///
/// What waits to be freed is bounded, however fast and whatever is written: a writer waits for readers (B) as often as
/// claims_grace() says, and takes apart as many parts as were made (D) when owes() says that they are not taken apart
/// otherwise.
class Domain {
 public:
  explicit Domain(std::uint64_t seed) noexcept : heap_(seed) {}
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;

  /// The count lock: held for one edit, or for one slice of collecting.
  [[nodiscard]] std::mutex& counts() noexcept { return counts_; }

  // Under the count lock.
  [[nodiscard]] tree::PartHeap& heap() noexcept { return heap_; }
  /// A state that nobody counts yet; memory for it was reserved. Takes over the references of `state`.
  [[nodiscard]] Root* make_root(Ref<const tree::Table> lower, const tree::State& state, std::uint64_t commit) noexcept;
  /// Makes `root` the newest (A).
  void publish(Root* root) noexcept;
  /// The newest state, published or held back: what a writer goes on from.
  [[nodiscard]] const Root& head() const noexcept { return last_held_back_ != nullptr ? *last_held_back_ : *peek(); }
  /// `root` becomes the head, for readers to see after publish_through().
  void hold_back(Root* root) noexcept;
  [[nodiscard]] bool holds_back() const noexcept { return last_held_back_ != nullptr; }
  /// Publishes the newest state held back that is not later than `commit`; those before it nobody will see.
  void publish_through(std::uint64_t commit) noexcept;
  void discard_held_back() noexcept;
  /// Of a state that nobody counts: it will not be.
  void discard(Root* root) noexcept { destroy(root); }
  /// Parts freed in one holding of the count lock: some tens of microseconds.
  static constexpr std::size_t kSlice = 256;
  /// Frees up to `steps` parts of the dead; true when more is there to be done now (B, D).
  bool collect(std::size_t steps) noexcept;
  [[nodiscard]] VolumeCounters counters() const noexcept;
  [[nodiscard]] std::optional<OldestSnapshot> oldest_snapshot() const;  ///< throws std::bad_alloc

  // From any thread.
  /// The newest state; valid in the read section in which this is called.
  [[nodiscard]] const Root* peek() const noexcept { return newest_.load(std::memory_order_acquire); }
  [[nodiscard]] Ref<const Root> acquire() const noexcept;
  [[nodiscard]] std::uint64_t grace_begins() noexcept { return grace_begun_.fetch_add(1) + 1; }
  void grace_ends(std::uint64_t number) noexcept;
  /// Waits for a grace period on this thread.
  void wait_for_readers() noexcept;
  /// True, for one caller, when so much was made since a grace period was claimed that what it replaced should come
  /// back before more is made. So no more waits than that for each thread that writes.
  [[nodiscard]] bool claims_grace() noexcept {
    const std::uint64_t weight = weight_.load(std::memory_order_relaxed);
    std::uint64_t at_last = weight_at_grace_.load(std::memory_order_relaxed);
    return weight >= at_last + kWeightPerGrace &&
           weight_at_grace_.compare_exchange_strong(at_last, weight, std::memory_order_relaxed);
  }
  /// Whether more parts were made than freed while there were some to be freed.
  [[nodiscard]] bool owes() const noexcept { return owes_.load(std::memory_order_relaxed); }
  /// Retired states whose publication counts them still.
  [[nodiscard]] std::uint64_t retired() const noexcept { return retired_count_.load(); }
  /// How often publish() was called.
  [[nodiscard]] std::uint64_t published() const noexcept { return published_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool has_dead() const noexcept { return dead_.load() != nullptr; }
  /// Rung when there may be something to collect; the reclaimer sleeps on it.
  [[nodiscard]] Bell& bell() noexcept { return bell_; }
  /// C.
  void bury(const Root* root) noexcept;

  /// The volume is gone: its publication ends, and the domain with the last snapshot.
  static void close(std::unique_ptr<Domain> domain) noexcept;

 private:
  /// Bytes made, and for each state what makes 256 of them a reason: with some ten parts each, what waits stays in a
  /// core's own cache.
  static constexpr std::uint64_t kWeightPerGrace = std::uint64_t{4} << 20;
  static constexpr std::uint64_t kWeightOfState = kWeightPerGrace / 256;
  /// Parts.
  static constexpr std::uint64_t kMostOwed = 4096;

  void retire(Root* root) noexcept;
  void drop_publications() noexcept;
  void destroy(Root* root) noexcept;
  void leave() noexcept;

  std::mutex counts_;
  Bell bell_;
  tree::PartHeap heap_;
  std::atomic<Root*> newest_{nullptr};
  std::atomic<std::uint64_t> grace_begun_{0};
  std::atomic<std::uint64_t> grace_ended_{0};
  std::atomic<std::uint64_t> retired_count_{0};
  std::atomic<std::uint64_t> published_{0};  // changed under the count lock
  std::atomic<std::uint64_t> weight_{0};     // changed under the count lock
  std::atomic<std::uint64_t> weight_at_grace_{0};
  std::atomic<bool> owes_{false};
  std::atomic<const Root*> dead_{nullptr};
  // Threads within bury(), and one for the volume or the states that outlive it.
  std::atomic<std::uint64_t> users_{1};
  std::atomic<bool> closed_{false};

  // Under the count lock:
  Root* first_retired_ = nullptr;
  Root* last_retired_ = nullptr;
  Root* first_held_back_ = nullptr;  // linked as retired ones are
  Root* last_held_back_ = nullptr;
  Root* oldest_ = nullptr;
  Root* latest_ = nullptr;
  std::uint64_t roots_ = 0;
  std::uint64_t bytes_weighed_ = 0;  // of what the heap made
  std::uint64_t parts_paid_ = 0;     // of those the heap made: freed, or not to be freed
};

}  // namespace packfs::volume
