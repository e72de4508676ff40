#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "packfs/error.h"
#include "packfs/pack.h"

namespace packfs::cli {

using Json = nlohmann::ordered_json;

/// One line, all of it ASCII: a terminal that shows it cannot be driven by what stands in it.
[[nodiscard]] std::string json_text(const Json& value);

/// Sets `key`, or `key_base64` where `bytes` are not UTF-8. nlohmann's dump() throws on such text, so every byte string
/// goes through here.
void set_bytes(Json& object, const std::string& key, std::string_view bytes);

/// "path" and the fields of PackInfo, `pack_id` in hexadecimal.
[[nodiscard]] Json info_object(std::string_view pack, const PackInfo& info);

/// "path", "whole", the numbers of VerifyReport, "damage".
[[nodiscard]] Json verify_object(std::string_view path, const VerifyReport& report);

/// [{"path", "offset", "message"}], the first two where they are known.
[[nodiscard]] Json damages_json(std::span<const Error> damage);

}  // namespace packfs::cli
