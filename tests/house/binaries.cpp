#include "house/binaries.h"

#include <algorithm>

namespace packfs::house {

namespace {

const std::set<std::string_view> kEngineLibraries{"libxxhash",      "libzstd",        "libmimalloc", "liburcu-bp",
                                                  "liburcu-common", "libstdc++",      "libc",        "libm",
                                                  "libgcc_s",       "ld-linux-x86-64"};

/// glibc's names, without the 64 at the end that some have.
const std::set<std::string_view> kSyscalls{"access",
                                           "chdir",
                                           "chmod",
                                           "chown",
                                           "close",
                                           "closedir",
                                           "copy_file_range",
                                           "creat",
                                           "dup",
                                           "dup2",
                                           "dup3",
                                           "faccessat",
                                           "fadvise",
                                           "fallocate",
                                           "fchmod",
                                           "fchmodat",
                                           "fchown",
                                           "fchownat",
                                           "fcntl",
                                           "fdatasync",
                                           "fdopen",
                                           "fdopendir",
                                           "fgetxattr",
                                           "flistxattr",
                                           "flock",
                                           "fopen",
                                           "fsetxattr",
                                           "fstat",
                                           "fstatat",
                                           "fsync",
                                           "ftruncate",
                                           "fts_open",
                                           "ftw",
                                           "futimens",
                                           "getdents",
                                           "getrandom",
                                           "getxattr",
                                           "ioctl",
                                           "isatty",
                                           "lchown",
                                           "lgetxattr",
                                           "link",
                                           "linkat",
                                           "listxattr",
                                           "llistxattr",
                                           "lseek",
                                           "lsetxattr",
                                           "lstat",
                                           "madvise",
                                           "mkdir",
                                           "mkdirat",
                                           "mkfifo",
                                           "mknod",
                                           "mknodat",
                                           "mkstemp",
                                           "mmap",
                                           "mprotect",
                                           "mremap",
                                           "msync",
                                           "munmap",
                                           "nftw",
                                           "open",
                                           "openat",
                                           "opendir",
                                           "pipe",
                                           "pipe2",
                                           "posix_fallocate",
                                           "pread",
                                           "preadv",
                                           "pwrite",
                                           "pwritev",
                                           "read",
                                           "readdir",
                                           "readlink",
                                           "readlinkat",
                                           "readv",
                                           "remove",
                                           "removexattr",
                                           "rename",
                                           "renameat",
                                           "renameat2",
                                           "rmdir",
                                           "sendfile",
                                           "setxattr",
                                           "socket",
                                           "splice",
                                           "stat",
                                           "statx",
                                           "sync_file_range",
                                           "symlink",
                                           "symlinkat",
                                           "syscall",
                                           "truncate",
                                           "unlink",
                                           "unlinkat",
                                           "utimensat",
                                           "write",
                                           "writev"};

/// Parts of mangled names: the C++ library's own ways to a file.
constexpr std::string_view kStreams[] = {"basic_filebuf", "basic_fstream", "basic_ifstream", "basic_ofstream",
                                         "filesystem"};

bool reaches_kernel(std::string_view symbol) {
  symbol = symbol.substr(0, symbol.find('@'));
  if (symbol.ends_with("64")) symbol.remove_suffix(2);
  return kSyscalls.contains(symbol) ||
         std::ranges::any_of(kStreams, [&](std::string_view part) { return symbol.contains(part); });
}

}  // namespace

std::vector<std::string> needed_libraries(std::string_view readelf_output) {
  std::vector<std::string> libraries;
  for (const std::string_view line : lines_of(readelf_output)) {
    const std::size_t begin = line.find('[');
    if (line.contains("(NEEDED)") && begin != std::string_view::npos) {
      libraries.emplace_back(line.substr(begin + 1, line.find(']') - begin - 1));
    }
  }
  return libraries;
}

Problems library_problems(std::string_view readelf_output, const std::set<std::string_view>& also_allowed) {
  Problems problems;
  for (const std::string& library : needed_libraries(readelf_output)) {
    const std::string_view name = std::string_view(library).substr(0, library.find(".so"));
    if (!kEngineLibraries.contains(name) && !also_allowed.contains(name)) problems.push_back("needs " + library);
  }
  return problems;
}

Problems syscall_problems(std::string_view nm_output) {
  Problems problems;
  for (const std::string_view line : lines_of(nm_output)) {
    // LIBRARY:OBJECT: U SYMBOL
    const std::size_t object = line.find(':') + 1;
    const std::size_t symbol = line.rfind(' ') + 1;
    if (object == 0 || symbol == 0 || line.substr(object).starts_with("system_io")) continue;
    if (reaches_kernel(line.substr(symbol))) {
      const std::string_view name = line.substr(object, line.find(':', object) - object);
      problems.push_back(std::string(name) + ": calls " + std::string(line.substr(symbol)));
    }
  }
  return problems;
}

}  // namespace packfs::house
