#include "cli/arguments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "cli/argument_tokens.h"
#include "cli/help_text.h"
#include "cli/parser.h"

namespace packfs::cli {

namespace {

template <class Number>
bool parse_number(std::string_view text, Number least, Number most, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= least && value <= most;
}

bool parse_codec(std::string_view text, Codec& codec) {
  constexpr std::string_view kZstd = "zstd";
  constexpr int kMaxLevel = 19;
  if (text == "none") return true;
  if (!text.starts_with(kZstd)) return false;
  codec.kind = Codec::Kind::zstd;
  text.remove_prefix(kZstd.size());
  return text.empty() || (text[0] == ':' && parse_number(text.substr(1), 1, kMaxLevel, codec.level));
}

bool parse_read_mode(std::string_view text, ReadMode& mode) {
  mode = text == "pread" ? ReadMode::pread : ReadMode::mmap;
  return text == "pread" || text == "mmap";
}

/// Something that looks like an option where a name should be: CLI11 takes what looks like a negative number for one.
const std::string* option_among_names(const RawArguments& raw) {
  const auto is_option = [](const std::string& name) { return !name.empty() && !ArgumentTokens::is_token(name); };
  for (const std::string* name : {&raw.tree, &raw.path, &raw.from, &raw.to, &raw.file, &raw.source}) {
    if (is_option(*name)) return name;
  }
  const auto found = std::ranges::find_if(raw.paths, is_option);
  return found != raw.paths.end() ? &*found : nullptr;
}

/// The names as the command means them.
void restore_names(const RawArguments& raw, const ArgumentTokens& tokens, Arguments& arguments) {
  arguments.tree = tokens.restore(raw.command == Command::pack ? raw.output : raw.tree);
  for (const std::string& path : raw.paths) arguments.paths.push_back(tokens.restore(path));
  arguments.directory = tokens.restore(raw.directory);
  arguments.from = tokens.restore(raw.from);
  arguments.to = tokens.restore(raw.to);
  if (!raw.file.empty()) arguments.file = tokens.restore(raw.file);
  if (raw.command == Command::put) arguments.paths.push_back(tokens.restore(raw.path));
  if (raw.command == Command::import_tree) arguments.directory = tokens.restore(raw.source);
  if (raw.command == Command::export_tree && !arguments.paths.empty()) {
    arguments.directory = std::move(arguments.paths.back());
    arguments.paths.pop_back();
  }
}

/// A name of the host that is empty: mostly a variable of a script that was not set.
bool has_empty_host_name(const Arguments& arguments) {
  if (arguments.tree.empty() || arguments.directory.empty() || arguments.file.empty()) return true;
  if (arguments.command == Command::diff) return arguments.to.empty();
  return arguments.command == Command::pack && std::ranges::find(arguments.paths, "") != arguments.paths.end();
}

/// The values as the command wants them, or what is wrong with them.
std::variant<Arguments, std::string> checked(const RawArguments& raw, const ArgumentTokens& tokens) {
  constexpr unsigned kMaxThreads = 1024;
  Arguments arguments;
  arguments.command = raw.command;
  arguments.privileged = raw.privileged;
  arguments.long_format = raw.long_format;
  arguments.recursive = raw.recursive;
  arguments.parents = raw.parents;
  arguments.symbolic = raw.symbolic;
  arguments.json = raw.json;
  arguments.nul = raw.nul;
  if (arguments.json && arguments.nul) return "--json and --null exclude each other";
  if (const std::string* option = option_among_names(raw)) return "unknown option " + *option;
  if (raw.command == Command::export_tree && raw.paths.size() > 2) return "unexpected " + tokens.restore(raw.paths[2]);
  restore_names(raw, tokens, arguments);
  if (has_empty_host_name(arguments)) return "the name of a file or directory is empty";
  if (arguments.json && raw.command == Command::pack && arguments.tree == "-") {
    return "--json has nowhere to go when the pack goes to standard output";
  }
  if (!parse_codec(tokens.restore(raw.codec), arguments.codec)) return "--codec is none, zstd or zstd:1 to zstd:19";
  if (!parse_read_mode(tokens.restore(raw.read_mode), arguments.read_mode)) return "--read-mode is mmap or pread";
  const std::string threads = tokens.restore(raw.threads);
  if (!threads.empty() && !parse_number(threads, 1U, kMaxThreads, arguments.threads)) return "--threads is 1 to 1024";
  return arguments;
}

}  // namespace

std::variant<Arguments, Answer> parse_arguments(std::span<const std::string_view> arguments) {
  const ArgumentTokens tokens(arguments);
  auto parsed = parse_tokens(tokens);
  if (auto* answer = std::get_if<Answer>(&parsed)) return std::move(*answer);
  const auto& raw = std::get<RawArguments>(parsed);
  auto result = checked(raw, tokens);
  if (const auto* message = std::get_if<std::string>(&result)) {
    return usage_error(*message, std::ranges::find(kCommandHelp, raw.command, &CommandHelp::command)->name);
  }
  return std::get<Arguments>(std::move(result));
}

}  // namespace packfs::cli
