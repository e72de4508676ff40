#pragma once

#include <atomic>
#include <cstdint>

// Its inline functions need a licence compatible with the LGPL, which this library's is.
#define _LGPL_SOURCE 1  // NOLINT: the name is liburcu's
// It lays its readers out with less alignment than their type declares (0.13.2), which UBSan would stop at.
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("alignment"))), apply_to = function)
#endif
#include <urcu/urcu-bp.h>
#ifdef __clang__
#pragma clang attribute pop
#endif

#if defined(__SANITIZE_THREAD__)
#define PACKFS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PACKFS_TSAN 1
#endif
#endif
#ifdef PACKFS_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace packfs::base::rcu {

/// Read-copy-update (liburcu's bulletproof flavour, which asks no thread to register): readers of what a writer
/// replaces never wait, and what was replaced is freed after every reader that may see it has left its section.
///
/// ThreadSanitizer does not see into liburcu, so the order it gives is told to it here: all a reader does in a section
/// happens before the end of a synchronize() that begins after the section did.

namespace detail {
inline char section_order;  // its address stands for "all sections left so far"
}

/// One read section. Costs about 2 ns. No I/O, no waiting, no unbounded work in it. May nest.
class ReadSection {
 public:
  ReadSection() noexcept { urcu_bp_read_lock(); }
  ReadSection(const ReadSection&) = delete;
  ReadSection& operator=(const ReadSection&) = delete;
  ~ReadSection() {
#ifdef PACKFS_TSAN
    __tsan_release(&detail::section_order);
#endif
    urcu_bp_read_unlock();
  }
};

/// Waits until every section that is open now has been left. Not from within one.
inline void synchronize() noexcept {
  urcu_bp_synchronize_rcu();
#ifdef PACKFS_TSAN
  __tsan_acquire(&detail::section_order);
#endif
}

/// Once for each process: a forked child's liburcu must know that its other threads are gone.
void install_fork_handlers() noexcept;

}  // namespace packfs::base::rcu
