#include <catch2/catch.hpp>
#include <filesystem>

#include "hostile/pack_facts.h"
#include "hostile/sample.h"
#include "hostile/specimen.h"
#include "packfs/pack.h"
#include "support/packs.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

using Bytes = std::vector<std::byte>;

// A pack on disk that is open without a mapping, and what it told before anything happened to it.
struct OpenFile {
  TempDir dir;
  std::string path = dir.path("pack");
  PackFacts truth;
  std::vector<std::string> names;
  std::optional<Pack> pack;

  explicit OpenFile(bool touched) {
    write_host_file(path, specimen());
    const Pack before = open_pack(path);
    names = names_in(before);
    truth = facts_of(before, specimen().size(), names);
    pack = open_pack(path, ReadMode::pread);
    if (touched) static_cast<void>(facts());
  }
  [[nodiscard]] PackFacts facts() const { return facts_of(*pack, specimen().size(), names); }
};

std::size_t failed_answers(const PackFacts& facts) {
  std::size_t failed = 0;
  for (const auto& [question, answer] : facts.answers) failed += answer.starts_with("error ") ? 1 : 0;
  return failed;
}

}  // namespace

TEST_CASE("a pack that shrinks while it is read without a mapping gives errors", "[hostile][changing]") {
  const bool touched = GENERATE(true, false);
  for (std::size_t length = 0; length < specimen().size(); length += 61) {
    const OpenFile file(touched);
    std::filesystem::resize_file(file.path, length);
    const PackFacts facts = file.facts();
    CHECK(wrong_answers(file.truth, facts) == std::vector<std::string>{});
    CHECK(facts.offences == std::vector<std::string>{});
    for (const Error& error : facts.errors) {
      if (error.code() != ErrorCode::corrupt || !error.offset()) FAIL(error.message());
    }
    const auto report = file.pack->verify();
    REQUIRE(report);
    CHECK(report->damages != 0);
  }
}

TEST_CASE("a pack that is overwritten while it is read without a mapping gives errors", "[hostile][changing]") {
  const bool touched = GENERATE(true, false);
  const int with = GENERATE(0, 1, 2, 3);
  const OpenFile file(touched);
  Bytes other = specimen();
  for (std::size_t i = 0; i < other.size(); ++i) {
    if (with == 0) other[i] = std::byte{0};
    if (with == 1) other[i] = std::byte{0xFF};
    if (with == 2) other[i] = static_cast<std::byte>(i * 131);
    // Another byte of every 64.
    if (with == 3 && i % 64 == 7) other[i] ^= std::byte{0x10};
  }
  write_host_file(file.path, other);
  const PackFacts facts = file.facts();
  CHECK(wrong_answers(file.truth, facts) == std::vector<std::string>{});
  CHECK(failed_answers(facts) > 10);
  const auto report = file.pack->verify();
  REQUIRE(report);
  CHECK(report->damages != 0);
}

TEST_CASE("whatever single byte changes after everything was read, no answer is wrong", "[hostile][changing]") {
  const OpenFile file(true);
  Bytes bytes = specimen();
  std::vector<std::string> complaints;
  std::size_t tried = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (!sampled("byte " + std::to_string(at))) continue;
    ++tried;
    bytes[at] ^= std::byte{1};
    write_host_file(file.path, bytes);
    for (const std::string& wrong : wrong_answers(file.truth, file.facts())) {
      if (complaints.size() < 10) complaints.push_back(std::to_string(at) + ": " + wrong);
    }
    if (file.pack->verify()->damages == 0) complaints.push_back(std::to_string(at) + " unnoticed");
    bytes[at] ^= std::byte{1};
  }
  CHECK(complaints == std::vector<std::string>{});
  CHECK(tried > 0);
}
