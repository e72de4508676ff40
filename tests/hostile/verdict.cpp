#include "hostile/verdict.h"

#include <stdexcept>

#include "base/unique_fd.h"
#include "pack/reader.h"

namespace packfs::testing {
namespace {

bool is_clear(const Error& error) {
  switch (error.code()) {
    case ErrorCode::corrupt:
      return error.offset().has_value();
    case ErrorCode::unsupported_version:
    case ErrorCode::not_a_pack:
    case ErrorCode::no_entry:   // a lookup of a name
    case ErrorCode::too_large:  // File::bytes()
    // A path that now leads through something else.
    case ErrorCode::not_a_directory:
    case ErrorCode::symlink_loop:
      return true;
    default:
      return false;
  }
}

void check_errors(const std::vector<Error>& errors, const char* where, std::vector<std::string>& offences) {
  for (const Error& error : errors) {
    if (!is_clear(error)) offences.push_back(std::string(where) + ": " + error.message());
  }
}

}  // namespace

Result<OpenBytes> open_bytes(std::span<const std::byte> bytes, ReadMode mode) {
  auto io = std::make_unique<MemoryIo>(bytes);
  auto reader = pack::Reader::open(*io, base::unique_fd(*io, MemoryIo::kDescriptor), mode);
  if (!reader) return std::unexpected(std::move(reader.error()));
  return OpenBytes{std::move(io), Pack(std::move(*reader))};
}

Verdict judge(std::span<const std::byte> bytes, ReadMode mode, const std::vector<std::string>& names) {
  Verdict verdict;
  const auto open = open_bytes(bytes, mode);
  if (!open) {
    verdict.refused = open.error();
    check_errors({open.error()}, "open", verdict.offences);
    return verdict;
  }
  verdict.facts = facts_of(open->pack, bytes.size(), names);
  verdict.offences = verdict.facts.offences;
  check_errors(verdict.facts.errors, "walk", verdict.offences);
  auto report = open->pack.verify();
  if (!report) {
    verdict.offences.push_back("verify fails: " + report.error().message());
    return verdict;
  }
  verdict.damage = std::move(report->damage);
  for (const Error& error : verdict.damage) {
    if (error.code() == ErrorCode::no_entry) verdict.offences.push_back("verify: " + error.message());
  }
  check_errors(verdict.damage, "verify", verdict.offences);
  return verdict;
}

Judge::Judge(std::span<const std::byte> sound) {
  const auto open = open_bytes(sound, ReadMode::mmap);
  if (!open) throw std::runtime_error("Judge: " + open.error().message());
  names_ = names_in(open->pack);
  truth_ = facts_of(open->pack, sound.size(), names_);
  const auto report = open->pack.verify();
  if (!report || report->damages != 0) throw std::runtime_error("Judge: the pack is not sound");
}

std::vector<std::string> Judge::complaints(std::span<const std::byte> changed, Noticed noticed) const {
  const Verdict mapped = judge(changed, ReadMode::mmap, names_);
  const Verdict unmapped = judge(changed, ReadMode::pread, names_);
  std::vector<std::string> complaints = mapped.offences;
  complaints.insert(complaints.end(), unmapped.offences.begin(), unmapped.offences.end());
  if (mapped.refused.has_value() != unmapped.refused.has_value() || mapped.facts.answers != unmapped.facts.answers ||
      mapped.damage.size() != unmapped.damage.size()) {
    complaints.emplace_back("the two read modes do not agree");
  }
  if (mapped.noticed() || noticed == Noticed::never) return complaints;
  if (noticed == Noticed::always) complaints.emplace_back("unnoticed");
  if (mapped.facts.answers != truth_.answers) {
    for (const auto& [question, answer] : mapped.facts.answers) {
      const auto expected = truth_.answers.find(question);
      if (expected == truth_.answers.end() || expected->second != answer) {
        complaints.push_back("unnoticed: " + question + ": " + answer);
      }
    }
    if (complaints.empty()) complaints.emplace_back("unnoticed: something is missing");
  }
  return complaints;
}

std::vector<std::string> Judge::complaints_of_damage(std::span<const std::byte> damaged, ReadMode mode) const {
  const Verdict verdict = judge(damaged, mode, names_);
  std::vector<std::string> complaints = verdict.offences;
  if (!verdict.refused) {
    const auto wrong = wrong_answers(truth_, verdict.facts);
    complaints.insert(complaints.end(), wrong.begin(), wrong.end());
  }
  if (!verdict.noticed()) complaints.emplace_back("unnoticed");
  return complaints;
}

}  // namespace packfs::testing
