#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "cli/argument_tokens.h"
#include "cli/help_text.h"

namespace packfs::cli {

namespace {

/// As the parser fills it in: tokens not yet restored, values not yet checked.
struct RawArguments {
  std::string pack;
  std::vector<std::string> paths;
  std::string output;
  std::string directory = ".";
  std::string codec = "none";
  std::string threads;
  std::string read_mode = "mmap";
  bool privileged = false;
  bool long_format = false;
  bool recursive = false;
  bool json = false;
  bool nul = false;
};

class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string) const override {
    const auto* const help = std::ranges::find(kCommandHelp, app->get_name(), &CommandHelp::name);
    const std::string_view usage = help != kCommandHelp.end() ? help->usage : "COMMAND [OPTIONS] ARGUMENTS...";
    return "\nUsage: packfs " + std::string(usage) + "\n";
  }
};

void add_pack_options(CLI::App& app, RawArguments& raw) {
  app.add_option("SRC", raw.paths, "What to pack: directories, files, anything")->required()->option_text(" ");
  app.add_option("-o,--output", raw.output, "The pack to write; - is standard output")->required()->option_text("OUT");
  app.add_option("--codec", raw.codec, "How contents are stored; LEVEL is 1 to 19 (none)")
      ->option_text("none|zstd[:LEVEL]");
  app.add_option("--threads", raw.threads, "Threads to read with; the pack does not depend on it")->option_text("N");
}

void add_reader_options(CLI::App& app, RawArguments& raw, std::string_view paths_description, bool paths_required) {
  app.add_option("PACK", raw.pack, "The pack to read")->required()->option_text(" ");
  if (!paths_description.empty()) {
    app.add_option("PATH", raw.paths, std::string(paths_description))->required(paths_required)->option_text(" ");
  }
  app.add_option("--read-mode", raw.read_mode,
                 "How the file is read; pread gives an error, not a signal, when it\nshrinks meanwhile (mmap)")
      ->option_text("mmap|pread");
}

void add_options(CLI::App& app, Command command, RawArguments& raw) {
  switch (command) {
    case Command::pack:
      add_pack_options(app, raw);
      break;
    case Command::unpack:
      add_reader_options(app, raw, "Paths in the pack to unpack; all when there is none", false);
      app.add_option("-C,--directory", raw.directory, "Where to unpack to (the current directory)")->option_text("DIR");
      app.add_flag("--privileged", raw.privileged, "Make devices and keep setuid and setgid bits too");
      break;
    case Command::ls:
      add_reader_options(app, raw, "Directories or other entries to list", false);
      app.add_flag("-l,--long", raw.long_format,
                   "Mode, links, owner, group, size or device number, time of\nmodification (UTC), name, target");
      app.add_flag("-R,--recursive", raw.recursive, "Everything below, as paths");
      break;
    case Command::cat:
      add_reader_options(app, raw, "Files in the pack", true);
      break;
    case Command::stat:
      add_reader_options(app, raw, "Entries in the pack", true);
      break;
    case Command::info:
    case Command::verify:
      add_reader_options(app, raw, "", false);
      break;
  }
  app.add_flag("--json", raw.json, "Print JSON; a name that is not UTF-8 is given as base64");
  app.add_flag("-0,--null", raw.nul, "End lines with NUL in place of newline, names as they are");
}

std::unique_ptr<CLI::App> make_parser(RawArguments& raw) {
  auto app = std::make_unique<CLI::App>("packfs: very many small files in one", "packfs");
  app->formatter(std::make_shared<HelpFormatter>());
  app->get_formatter()->column_width(32);
  app->set_help_flag("--help", "Show this help");
  app->set_version_flag("--version", "packfs " PACKFS_VERSION, "Show the version");
  app->require_subcommand(1);
  app->footer(std::string(kMainHelp));
  for (const CommandHelp& help : kCommandHelp) {
    CLI::App* command = app->add_subcommand(std::string(help.name), std::string(help.summary));
    command->set_help_flag("--help", "Show this help");
    command->footer(std::string(help.details));
    command->group("Commands");
    add_options(*command, help.command, raw);
  }
  return app;
}

Answer usage_error(std::string message, const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  const std::string command = parsed.empty() ? "" : " " + parsed.front()->get_name();
  return {std::move(message), ExitCode::usage, "Try 'packfs" + command + " --help'."};
}

/// What the parser says of `error`, with tokens restored. Its own text would end at the first token's NUL.
std::string usage_message(const CLI::ParseError& error, const CLI::App& app, const ArgumentTokens& tokens) {
  if (app.get_subcommands().empty()) {
    const auto command = std::ranges::find_if_not(tokens.tokens(), [](const auto& t) { return t.starts_with('-'); });
    if (command != tokens.tokens().end()) return "unknown command " + *command;
    return "a command is needed";
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return error.what();
  std::string message = "unexpected";
  for (const std::string& argument : app.remaining(true)) message += " " + tokens.restore(argument);
  return message;
}

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

/// The values as the command wants them, or what is wrong with them.
std::variant<Arguments, std::string> checked(const RawArguments& raw, const ArgumentTokens& tokens, Command command) {
  constexpr unsigned kMaxThreads = 1024;
  Arguments arguments;
  arguments.command = command;
  arguments.pack = tokens.restore(command == Command::pack ? raw.output : raw.pack);
  arguments.directory = tokens.restore(raw.directory);
  arguments.privileged = raw.privileged;
  arguments.long_format = raw.long_format;
  arguments.recursive = raw.recursive;
  arguments.json = raw.json;
  arguments.nul = raw.nul;
  if (arguments.json && arguments.nul) return "--json and --null exclude each other";
  if (arguments.json && command == Command::pack && arguments.pack == "-") {
    return "--json has nowhere to go when the pack goes to standard output";
  }
  if (!parse_codec(tokens.restore(raw.codec), arguments.codec)) return "--codec is none, zstd or zstd:1 to zstd:19";
  if (!parse_read_mode(tokens.restore(raw.read_mode), arguments.read_mode)) return "--read-mode is mmap or pread";
  const std::string threads = tokens.restore(raw.threads);
  if (!threads.empty() && !parse_number(threads, 1U, kMaxThreads, arguments.threads)) return "--threads is 1 to 1024";
  if (command != Command::pack && !ArgumentTokens::is_token(raw.pack)) return "unknown option " + raw.pack;
  for (const std::string& path : raw.paths) {
    // CLI11 takes what looks like a negative number for a path.
    if (!ArgumentTokens::is_token(path)) return "unknown option " + path;
    arguments.paths.push_back(tokens.restore(path));
  }
  return arguments;
}

}  // namespace

std::variant<Arguments, Answer> parse_arguments(std::span<const std::string_view> arguments) {
  const ArgumentTokens tokens(arguments);
  RawArguments raw;
  const auto app = make_parser(raw);
  try {
    app->parse(std::vector<std::string>(tokens.tokens().rbegin(), tokens.tokens().rend()));
  } catch (const CLI::CallForHelp&) {
    return Answer{app->help(), ExitCode::done, ""};
  } catch (const CLI::CallForVersion& version) {
    return Answer{std::string(version.what()) + "\n", ExitCode::done, ""};
  } catch (const CLI::ParseError& error) {
    return usage_error(usage_message(error, *app, tokens), *app);
  }
  const std::string name = app->get_subcommands().front()->get_name();
  const Command command = std::ranges::find(kCommandHelp, name, &CommandHelp::name)->command;
  auto result = checked(raw, tokens, command);
  if (const auto* message = std::get_if<std::string>(&result)) return usage_error(*message, *app);
  return std::get<Arguments>(std::move(result));
}

}  // namespace packfs::cli
