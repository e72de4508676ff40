#include "cli/output.h"

#include "base/bytes.h"
#include "base/io_loops.h"

namespace packfs::cli {

void Output::write(std::string_view bytes) {
  if (failure_) return;
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() >= kBufferBytes) {
    send(bytes);
  } else {
    buffer_ += bytes;
  }
}

void Output::flush() {
  if (!buffer_.empty()) send(buffer_);
  buffer_.clear();
}

void Output::send(std::string_view bytes) {
  if (failure_) return;
  if (const auto written = base::write_fully(io_, descriptor_, base::as_bytes(bytes)); !written) {
    failure_ = written.error().with_path("standard output");
  }
}

}  // namespace packfs::cli
