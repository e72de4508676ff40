#include "cli/time_text.h"

#include <fmt/format.h>

#include <cstdint>

namespace packfs::cli {

namespace {

struct Date {
  std::int64_t year;
  std::int64_t month;
  std::int64_t day;
};

// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days. Days of any 64-bit number of seconds
// stay below 2^47, so nothing here overflows.
Date date_of(std::int64_t days_since_1970) {
  const std::int64_t shifted = days_since_1970 + 719468;  // since 0000-03-01
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const std::int64_t day_of_era = shifted - era * 146097;
  const std::int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const std::int64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
  const std::int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

std::string date_and_clock(std::int64_t seconds) {
  constexpr std::int64_t kDay = 86400;
  std::int64_t days = seconds / kDay;
  std::int64_t clock = seconds % kDay;
  if (clock < 0) {
    clock += kDay;
    --days;
  }
  const Date date = date_of(days);
  const bool plain_year = date.year >= 0 && date.year <= 9999;
  const std::string year = plain_year ? fmt::format("{:04}", date.year) : fmt::format("{:+05}", date.year);
  return fmt::format("{}-{:02}-{:02}T{:02}:{:02}:{:02}", year, date.month, date.day, clock / 3600, clock / 60 % 60,
                     clock % 60);
}

}  // namespace

std::string iso_seconds(const Time& time) { return date_and_clock(time.seconds) + "Z"; }

std::string iso_nanoseconds(const Time& time) {
  return fmt::format("{}.{:09}Z", date_and_clock(time.seconds), time.nanoseconds);
}

}  // namespace packfs::cli
