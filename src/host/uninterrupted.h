#pragma once

#include <cerrno>

namespace packfs::host {

/// Makes a call in the manner of base::Io again and again while a signal interrupts it (EINTR).
template <class Call>
auto uninterrupted(Call call) {
  while (true) {
    const auto returned = call();
    if (returned != -EINTR) return returned;
  }
}

}  // namespace packfs::host
