#include "kill/ledger.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <stdexcept>

namespace packfs::kill {
namespace {

/// Nothing when it was cut off: the end of a line is told twice.
std::optional<Line> line_of(std::string_view text) {
  if (text.size() < 2 || !text.ends_with(';')) return std::nullopt;
  text.remove_suffix(1);
  Line line{static_cast<Line::Kind>(text.front()), {}};
  text.remove_prefix(1);
  while (text.starts_with(' ')) {
    text.remove_prefix(1);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    line.numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return text.empty() ? std::optional(line) : std::nullopt;
}

}  // namespace

std::string Line::to_text() const {
  std::string text(1, static_cast<char>(kind));
  for (const std::uint64_t number : numbers) text += " " + std::to_string(number);
  return text + ";\n";
}

Ledger::Ledger(const std::string& path) : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
  if (fd_ < 0) throw std::runtime_error("cannot open " + path);
}

Ledger::~Ledger() { ::close(fd_); }

void Ledger::append(const Line& line) {
  std::string text = line.to_text();
  // Behind a line that was cut off a new one begins.
  if (line.kind == Line::Kind::found || line.kind == Line::Kind::writer) text = "\n" + text;
  if (::write(fd_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error("cannot write to the ledger");
  }
}

std::uint64_t Ledger::size() const {
  struct stat status{};
  return ::fstat(fd_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::vector<Line> Ledger::read() {
  std::string text(size() - read_, '\0');
  const ssize_t got = ::pread(fd_, text.data(), text.size(), static_cast<off_t>(read_));
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  text.resize(text.rfind('\n') + 1);
  read_ += text.size();
  std::vector<Line> lines;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    if (auto line = line_of(rest.substr(0, end))) lines.push_back(std::move(*line));
    rest.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace packfs::kill
