#include "cli/parser.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <utility>

#include "cli/help_text.h"

namespace packfs::cli {

namespace {

class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string) const override {
    const auto* const help = std::ranges::find(kCommandHelp, app->get_name(), &CommandHelp::name);
    const std::string_view usage = help != kCommandHelp.end() ? help->usage : "COMMAND [OPTIONS] ARGUMENTS...";
    return "\nUsage: packfs " + std::string(usage) + "\n";
  }
};

/// Declares the names and options of one command.
class CommandLine {
 public:
  CommandLine(CLI::App& app, RawArguments& raw) : app_(app), raw_(raw) {}

  void add(Command command) {
    add_names(command);
    add_options(command);
    app_.add_flag("--json", raw_.json, "Print JSON; a name that is not UTF-8 is given as base64");
    if (prints_lines(command)) {
      app_.add_flag("-0,--null", raw_.nul, "End lines with NUL in place of newline, names as they are");
    }
  }

 private:
  static bool prints_lines(Command command) {
    switch (command) {
      case Command::init:
      case Command::put:
      case Command::import_tree:
      case Command::mkdir:
      case Command::rm:
      case Command::mv:
      case Command::cp:
      case Command::ln:
        return false;
      default:
        return true;
    }
  }

  template <class Value>
  void name(const char* label, Value& value, const char* description, bool required = true) {
    app_.add_option(label, value, description)->required(required)->option_text(" ");
  }
  void pack_or_store() { name("PACK|STORE", raw_.tree, "The pack or store to read"); }
  void store(const char* description) { name("STORE", raw_.tree, description); }
  void from_to(const char* from, const char* about_from, const char* to, const char* about_to) {
    store("The store to change");
    name(from, raw_.from, about_from);
    name(to, raw_.to, about_to);
  }

  void add_names(Command command) {
    switch (command) {
      case Command::pack:
        return name("SRC", raw_.paths, "What to pack: directories, files, anything");
      case Command::unpack:
        pack_or_store();
        return name("PATH", raw_.paths, "Paths in it to unpack; all when there is none", false);
      case Command::export_tree:
        pack_or_store();
        return name("DIR", raw_.paths, "The directory to write to; behind a PATH, if not all is wanted");
      case Command::ls:
        pack_or_store();
        return name("PATH", raw_.paths, "Directories or other entries to list", false);
      case Command::cat:
        pack_or_store();
        return name("PATH", raw_.paths, "Files in it");
      case Command::stat:
        pack_or_store();
        return name("PATH", raw_.paths, "Entries in it");
      case Command::info:
      case Command::verify:
        return pack_or_store();
      case Command::diff:
        name("A", raw_.tree, "The older pack or store");
        return name("B", raw_.to, "The newer one");
      default:
        return add_store_names(command);
    }
  }

  void add_store_names(Command command) {
    switch (command) {
      case Command::init:
        return store("The directory to make a store of");
      case Command::put:
        store("The store to change");
        name("PATH", raw_.path, "The file to write in it");
        return name("FILE", raw_.file, "Where the content comes from; - is standard input (-)", false);
      case Command::import_tree:
        name("DIR", raw_.source, "The host directory whose contents to take in");
        store("The store to change");
        return name("PATH", raw_.paths, "The directory in it to put them in (the root)", false);
      case Command::mkdir:
        store("The store to change");
        return name("PATH", raw_.paths, "Directories to make");
      case Command::rm:
        store("The store to change");
        return name("PATH", raw_.paths, "What to remove");
      case Command::mv:
        return from_to("FROM", "What to move", "TO", "Its new path, or the directory to move it into");
      case Command::cp:
        return from_to("FROM", "What to copy", "TO", "The copy's path, or the directory to copy it into");
      case Command::ln:
        return from_to("TARGET", "What to link to", "PATH", "The new name, or the directory to make it in");
      default:
        return store("The store to read");
    }
  }

  void add_options(Command command) {
    switch (command) {
      case Command::pack:
        return add_pack_options();
      case Command::unpack:
        app_.add_option("-C,--directory", raw_.directory, "Where to unpack to (the current directory)")
            ->option_text("DIR");
        [[fallthrough]];
      case Command::export_tree:
        app_.add_flag("--privileged", raw_.privileged, "Make devices and keep setuid and setgid bits too");
        break;
      case Command::ls:
        app_.add_flag("-l,--long", raw_.long_format,
                      "Mode, links, owner, group, size or device number, time of\nmodification (UTC), name, target");
        app_.add_flag("-R,--recursive", raw_.recursive, "Everything below, as paths");
        break;
      case Command::import_tree:
        return add_threads("Threads to read with");
      case Command::mkdir:
        app_.add_flag("-p,--parents", raw_.parents, "Make missing parents; a directory that is there is no error");
        return;
      case Command::rm:
        app_.add_flag("-r,--recursive", raw_.recursive, "Remove directories, with all that is in them");
        return;
      case Command::cp:
        app_.add_flag("-r,--recursive", raw_.recursive, "Copy directories, with all that is in them");
        return;
      case Command::ln:
        app_.add_flag("-s,--symbolic", raw_.symbolic, "Make a symlink, not a further name");
        return;
      case Command::cat:
      case Command::stat:
      case Command::info:
      case Command::verify:
      case Command::diff:
        break;
      default:
        return;
    }
    app_.add_option("--read-mode", raw_.read_mode,
                    "How a pack is read; pread gives an error, not a signal, when it\nshrinks meanwhile (mmap)")
        ->option_text("mmap|pread");
  }

  void add_pack_options() {
    app_.add_option("-o,--output", raw_.output, "The pack to write; - is standard output")
        ->required()
        ->option_text("OUT");
    app_.add_option("--codec", raw_.codec, "How contents are stored; LEVEL is 1 to 19 (none)")
        ->option_text("none|zstd[:LEVEL]");
    add_threads("Threads to read with; the pack does not depend on it");
  }

  void add_threads(const char* description) {
    app_.add_option("--threads", raw_.threads, description)->option_text("N");
  }

  CLI::App& app_;
  RawArguments& raw_;
};

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
    command->group(std::string(help.group));
    CommandLine(*command, raw).add(help.command);
  }
  return app;
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

}  // namespace

Answer usage_error(std::string message, std::string_view command) {
  const std::string which = command.empty() ? "" : " " + std::string(command);
  return {std::move(message), ExitCode::usage, "Try 'packfs" + which + " --help'."};
}

std::variant<RawArguments, Answer> parse_tokens(const ArgumentTokens& tokens) {
  RawArguments raw;
  const auto app = make_parser(raw);
  const auto command_name = [&app] {
    const auto parsed = app->get_subcommands();
    return parsed.empty() ? std::string() : parsed.front()->get_name();
  };
  try {
    app->parse(std::vector<std::string>(tokens.tokens().rbegin(), tokens.tokens().rend()));
  } catch (const CLI::CallForHelp&) {
    return Answer{app->help(), ExitCode::done, ""};
  } catch (const CLI::CallForVersion& version) {
    return Answer{std::string(version.what()) + "\n", ExitCode::done, ""};
  } catch (const CLI::ParseError& error) {
    return usage_error(usage_message(error, *app, tokens), command_name());
  }
  raw.command = std::ranges::find(kCommandHelp, command_name(), &CommandHelp::name)->command;
  return raw;
}

}  // namespace packfs::cli
