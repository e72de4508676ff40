#include "base/rcu.h"

#include <pthread.h>

#include <mutex>

namespace packfs::base::rcu {

void install_fork_handlers() noexcept {
  static std::once_flag once;
  std::call_once(once,
                 [] { ::pthread_atfork(urcu_bp_before_fork, urcu_bp_after_fork_parent, urcu_bp_after_fork_child); });
}

}  // namespace packfs::base::rcu
