#include <catch2/catch.hpp>

#include "hostile/sample.h"
#include "hostile/specimen.h"
#include "hostile/verdict.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

// Where the file says each complaint comes from, at most a few.
void note(std::vector<std::string>& all, const std::string& where, const std::vector<std::string>& complaints) {
  for (const std::string& complaint : complaints) {
    if (all.size() < 20) all.push_back(where + ": " + complaint);
  }
}

}  // namespace

TEST_CASE("any flipped bit of a pack gives right answers or errors, and verify names it", "[hostile][damage]") {
  const ReadMode mode = GENERATE(ReadMode::mmap, ReadMode::pread);
  const Judge judge(specimen());
  std::vector<std::byte> bytes = specimen();
  std::vector<std::string> complaints;
  std::size_t tried = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const std::string where = "byte " + std::to_string(at) + " bit " + std::to_string(bit);
      if (!sampled(where)) continue;
      ++tried;
      const auto mask = static_cast<std::byte>(1U << bit);
      bytes[at] ^= mask;
      note(complaints, where, judge.complaints_of_damage(bytes, mode));
      bytes[at] ^= mask;
    }
  }
  CHECK(complaints == std::vector<std::string>{});
  CHECK(tried > 0);
}

TEST_CASE("a pack cut off at any byte gives an error with its place", "[hostile][damage]") {
  const ReadMode mode = GENERATE(ReadMode::mmap, ReadMode::pread);
  const std::vector<std::byte>& bytes = specimen();
  std::size_t not_packs = 0;
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const auto pack = open_bytes(std::span(bytes).first(length), mode);
    REQUIRE_FALSE(pack);
    if (length < 8) {
      CHECK(pack.error().code() == ErrorCode::not_a_pack);
      ++not_packs;
    } else {
      CHECK(pack.error().code() == ErrorCode::corrupt);
      CHECK(pack.error().offset().has_value());
    }
  }
  CHECK(not_packs == 8);
}

TEST_CASE("bytes behind a pack's end are an error", "[hostile][damage]") {
  std::vector<std::byte> bytes = specimen();
  bytes.push_back(std::byte{0});
  CHECK(open_bytes(bytes, ReadMode::mmap).error().code() == ErrorCode::corrupt);
  bytes = specimen();
  const std::vector<std::byte> footer(bytes.end() - 512, bytes.end());
  bytes.insert(bytes.end(), footer.begin(), footer.end());
  CHECK(open_bytes(bytes, ReadMode::mmap).error().code() == ErrorCode::corrupt);
}
