#pragma once

#include <cstdint>

namespace packfs::testing {

/// The seed for a randomized test: PACKFS_TEST_SEED from the environment, or a random one. Printed on every call, so
/// that a failing run can be repeated.
std::uint64_t test_seed();

}  // namespace packfs::testing
