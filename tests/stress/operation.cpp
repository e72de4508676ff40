#include "stress/operation.h"

#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "stress/random.h"

namespace packfs::stress {

namespace {

constexpr std::array kKindNames{"write",
                                "write_owned",
                                "append",
                                "write_at",
                                "truncate",
                                "make_directory",
                                "make_directories",
                                "remove_directory",
                                "unlink",
                                "remove_tree",
                                "rename",
                                "clone",
                                "link",
                                "symlink",
                                "make_special",
                                "chmod",
                                "chown",
                                "set_mtime",
                                "set_xattr",
                                "remove_xattr",
                                "set_attributes",
                                "write_given",
                                "make_directory_given",
                                "symlink_given",
                                "make_special_given",
                                "fill",
                                "thin",
                                "read",
                                "stat",
                                "lstat",
                                "readlink",
                                "xattrs",
                                "exists",
                                "totals",
                                "list",
                                "begin",
                                "commit",
                                "drop",
                                "write_beside",
                                "hold",
                                "release",
                                "open_file",
                                "close_file",
                                "diff"};
static_assert(kKindNames.size() == static_cast<std::size_t>(Operation::Kind::diff) + 1);

/// Calls `use(name, field)` for each field, texts as std::string, the others as numbers.
template <class OperationType, class Use>
void for_each_field(OperationType& operation, Use use) {
  use("path", operation.path);
  use("other", operation.other);
  use("offset", operation.offset);
  use("size", operation.size);
  use("seed", operation.seed);
  use("mode", operation.mode);
  use("uid", operation.uid);
  use("gid", operation.gid);
  use("option", operation.option);
  use("slot", operation.slot);
  use("seconds", operation.mtime.seconds);
  use("nanoseconds", operation.mtime.nanoseconds);
}

constexpr std::string_view kDigits = "0123456789abcdef";

std::string unescaped(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with("\\x") && at + 3 < text.size()) {
      bytes += static_cast<char>(kDigits.find(text[at + 2]) * 16 + kDigits.find(text[at + 3]));
      at += 3;
    } else {
      bytes += text[at];
    }
  }
  return bytes;
}

bool read_value(std::string_view text, std::string& value) {
  if (text.size() < 2 || !text.starts_with('"') || !text.ends_with('"')) return false;
  value = unescaped(text.substr(1, text.size() - 2));
  return true;
}

template <class Number>
bool read_value(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// One name=value; a value has no spaces outside quotes, and quoted spaces stay as they are.
bool read_field(std::string_view field, Operation& operation) {
  const std::size_t equals = field.find('=');
  if (equals == std::string_view::npos) return false;
  bool done = false;
  for_each_field(operation, [&](std::string_view name, auto& value) {
    if (name == field.substr(0, equals)) done = read_value(field.substr(equals + 1), value);
  });
  return done;
}

std::size_t field_end(std::string_view text) {
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (text[at] == ' ' && !quoted) return at;
  }
  return text.size();
}

}  // namespace

std::string content_of(const Operation& operation) {
  Random random(operation.seed);
  std::string bytes(operation.size, '\0');
  constexpr std::size_t kRun = 4096;
  switch (operation.seed % 4) {
    case 0:
      for (char& byte : bytes) byte = static_cast<char>('a' + random.below(26));
      break;
    case 1:  // runs of zeros, some of them whole blocks
      for (std::size_t at = 0; at < bytes.size(); ++at) {
        bytes[at] = (at / kRun) % 3 == 1 ? '\0' : static_cast<char>(random.below(2) * 'x');
      }
      break;
    case 2:
      bytes.assign(operation.size, static_cast<char>('A' + random.below(26)));
      break;
    default:
      for (char& byte : bytes) byte = static_cast<char>(random.below(256));
  }
  return bytes;
}

Attributes attributes_given(const Operation& operation) {
  constexpr std::array kNames{"user.b", "x", "\xff\x01", "user.a"};
  Attributes attributes{
      .mode = operation.mode, .uid = operation.uid, .gid = operation.gid, .mtime = operation.mtime, .xattrs = {}};
  Random random(operation.seed);
  const std::size_t first = random.below(kNames.size());
  for (std::size_t i = 0, count = random.below(kNames.size() + 1); i < count; ++i) {
    const std::vector<std::byte> value(random.below(50), static_cast<std::byte>(random.below(256)));
    attributes.xattrs.push_back({kNames[(first + i) % kNames.size()], value});
  }
  if (attributes.xattrs.size() < 2 || !random.chance(6)) return attributes;
  switch (random.below(4)) {
    case 0:
      attributes.xattrs.back().name = attributes.xattrs.front().name;
      break;
    case 1:
      attributes.xattrs.back().name.clear();
      break;
    case 2:
      attributes.xattrs.front().name.assign(256, 'n');
      break;
    default:
      attributes.xattrs.front().value.resize((std::size_t{64} << 10) + 1);
  }
  return attributes;
}

std::string escaped(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    if (byte >= ' ' && byte <= '~' && byte != '"' && byte != '\\') {
      text += byte;
    } else {
      const auto value = static_cast<unsigned char>(byte);
      text += "\\x";
      text += kDigits[value / 16];
      text += kDigits[value % 16];
    }
  }
  return text;
}

std::string to_text(const Operation& operation) {
  std::string line = kKindNames[static_cast<std::size_t>(operation.kind)];
  for_each_field(operation, [&](std::string_view name, const auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if (value == Value()) return;
    line.append(" ").append(name).append("=");
    if constexpr (std::is_same_v<Value, std::string>) {
      line += '"' + escaped(value) + '"';
    } else {
      line += std::to_string(value);
    }
  });
  return line;
}

std::optional<Operation> from_text(std::string_view line) {
  Operation operation;
  const std::size_t kind_end = field_end(line);
  std::size_t kind = 0;
  while (kind < kKindNames.size() && kKindNames[kind] != line.substr(0, kind_end)) ++kind;
  if (kind == kKindNames.size()) return std::nullopt;
  operation.kind = static_cast<Operation::Kind>(kind);
  line.remove_prefix(kind_end);
  while (!line.empty()) {
    line.remove_prefix(1);
    const std::size_t end = field_end(line);
    if (!read_field(line.substr(0, end), operation)) return std::nullopt;
    line.remove_prefix(end);
  }
  return operation;
}

std::vector<Operation> operations_from_text(std::string_view lines) {
  std::vector<Operation> operations;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty() || line.starts_with('#')) continue;
    auto operation = from_text(line);
    if (!operation) throw std::runtime_error("no operation: " + std::string(line));
    operations.push_back(std::move(*operation));
  }
  return operations;
}

}  // namespace packfs::stress
