// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/formats/archives/nemo_steps.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace rankscope::trainer {

namespace {

constexpr std::string_view kBefore = "# weights after ", kAfter = " steps\n";
constexpr std::string_view kFirstMember = "./model_config.yaml"; ///< as writeNemo() writes it
constexpr std::size_t kTarHeader = 512;
constexpr std::size_t kBegin = 1024; ///< the header of the first member and the beginning of its content

} // namespace

std::string nemoStepsLine(std::int64_t steps) {
    return fmt::format("{}{}{}", kBefore, steps, kAfter);
}

std::optional<std::int64_t> stepsOfNemo(int fd) {
    std::array<char, kBegin> begin{};
    const ssize_t got = ::pread(fd, begin.data(), begin.size(), 0);
    const std::string_view bytes(begin.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (bytes.size() <= kTarHeader || !bytes.starts_with(kFirstMember) || bytes[kFirstMember.size()] != '\0')
        return std::nullopt;
    const std::string_view text = bytes.substr(kTarHeader);
    if (!text.starts_with(kBefore))
        return std::nullopt;
    std::int64_t steps = 0;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + kBefore.size(), end, steps);
    const std::string_view rest(read.ptr, static_cast<std::size_t>(end - read.ptr));
    return read.ec == std::errc() && steps > 0 && rest.starts_with(kAfter) ? std::optional(steps) : std::nullopt;
}

} // namespace rankscope::trainer
