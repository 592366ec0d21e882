// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cost/target_machine.h"

#include "core/base/text/unit_format.h"
#include "core/base/values/result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

namespace rankscope::plan {
namespace {

constexpr const char* kOption = "--machine";
constexpr double kGigabyte = 1e9, kTera = 1e12;
/// Cores and memory of a node per GPU, assumed if they are not given.
constexpr int kCoresPerGpu = 12;
constexpr double kRamPerGpu = 128 * kGigabyte;
constexpr int kMostNodes = 4096, kMostGpus = 64, kMostCores = 4096;

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for (bool more = true; more;) {
        const auto end = text.find(at);
        parts.push_back(trimmed(text.substr(0, end)));
        more = end != std::string_view::npos;
        text.remove_prefix(more ? end + 1 : text.size());
    }
    return parts;
}

std::optional<double> number(std::string_view text) {
    double value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    return ec == std::errc{} && end == text.data() + text.size() && std::isfinite(value) ? std::optional(value)
                                                                                         : std::nullopt;
}

const GpuModel* gpuNamed(std::string_view name) {
    const std::string wanted = lower(name);
    for (const GpuModel& one : gpuModels())
        if (lower(one.name) == wanted)
            return &one;
    return nullptr;
}

std::string knownGpus() {
    std::vector<std::string_view> names;
    for (const GpuModel& one : gpuModels())
        names.push_back(one.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

/// Returns the bytes of "40G", "1.5T", "80 GB", "80GiB"; decimal unless the unit has an i.
std::optional<double> bytesIn(std::string_view text) {
    const auto unitAt = text.find_first_not_of("0123456789.");
    const auto value = number(trimmed(text.substr(0, unitAt)));
    if (!value || unitAt == std::string_view::npos)
        return std::nullopt;
    const std::string unit = lower(trimmed(text.substr(unitAt)));
    const auto power = std::string_view("kmgt").find(unit.front());
    const std::string_view rest = std::string_view(unit).substr(1);
    if (power == std::string_view::npos || (rest != "" && rest != "b" && rest != "i" && rest != "ib"))
        return std::nullopt;
    return *value * std::pow(rest.starts_with("i") ? 1024.0 : 1000.0, static_cast<double>(power) + 1);
}

class MachineReader {
public:
    explicit MachineReader(std::string_view text) : m_text(text) {}

    Result<TargetMachine> read() {
        const auto parts = split(m_text, ',');
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const auto equals = parts[i].find('=');
            RS_TRY(equals != std::string_view::npos
                       ? setting(lower(trimmed(parts[i].substr(0, equals))), trimmed(parts[i].substr(equals + 1)))
                   : i == 0 ? named(parts[i])
                            : wrong({"'{}' is not of the form KEY=VALUE", parts[i]}));
        }
        return finished();
    }

private:
    static tl::unexpected<Error> wrong(const Message& what) {
        return fail(Errc::BadInput,
                    {"{}; write 8xH100 (or {}), or gpus=4,memory=48G and, if known, nodes=, cores=, ram=, tflops=",
                     what, knownGpus()},
                    kOption);
    }

    static Result<void> count(std::string_view text, int most, const Message& what, int& into) {
        const auto value = number(text);
        if (!value || *value < 1 || *value > most || *value != std::floor(*value))
            return wrong({"'{}' is not a number of {} from 1 to {}", text, what, most});
        into = static_cast<int>(*value);
        return {};
    }

    /// Reads "8xH100" or "2x8xH100". The name of a GPU may contain an x.
    Result<void> named(std::string_view text) {
        auto parts = split(text, 'x');
        const auto isCount = [](std::string_view part) { return number(part).has_value(); };
        const auto name = std::find_if_not(parts.begin(), parts.end(), isCount);
        const auto counts = name - parts.begin();
        if (counts < 1 || counts > 2 || name == parts.end())
            return wrong({"'{}' is not a machine", text});
        *name = {name->data(), static_cast<std::size_t>(parts.back().data() + parts.back().size() - name->data())};
        parts.erase(name + 1, parts.end());
        m_gpu = gpuNamed(parts.back());
        if (!m_gpu)
            return wrong({"unknown GPU '{}'", parts.back()});
        if (parts.size() == 3)
            if (auto done = count(parts[0], kMostNodes, "nodes", m_target.nodes); !done)
                return done;
        return count(parts[parts.size() - 2], kMostGpus, "GPUs", m_target.node.gpus);
    }

    Result<void> setting(const std::string& key, std::string_view value) {
        auto& node = m_target.node;
        if (key == "nodes")
            return count(value, kMostNodes, "nodes", m_target.nodes);
        if (key == "gpus")
            return count(value, kMostGpus, "GPUs", node.gpus);
        if (key == "cores")
            return count(value, kMostCores, "cores", m_cores);
        if (key == "memory" || key == "ram") {
            const auto bytes = bytesIn(value);
            if (!bytes || *bytes < 1e6 || *bytes > 1e15)
                return wrong({"'{}' is not a size such as 80G", value});
            (key == "ram" ? node.memoryBytes : node.gpuMemoryBytes) = static_cast<std::int64_t>(*bytes);
            return {};
        }
        if (key == "tflops") {
            const auto tera = number(value);
            if (!tera || *tera <= 0 || *tera > 1e6)
                return wrong({"'{}' is not a number of teraflops", value});
            m_target.halfFlops = *tera * kTera;
            return {};
        }
        return wrong({"'{}' is not a machine key", key});
    }

    Result<TargetMachine> finished() {
        auto& node = m_target.node;
        if (node.gpus == 0)
            return wrong("it has no GPUs");
        if (m_gpu) {
            if (node.gpuMemoryBytes == 0)
                node.gpuMemoryBytes = static_cast<std::int64_t>(m_gpu->gigabytes * kGigabyte);
            if (m_target.halfFlops <= 0) {
                m_target.halfFlops = m_gpu->halfTeraflops * kTera;
                m_target.singleFlops = m_gpu->singleTeraflops * kTera;
            }
            node.gpuComputeCapability = m_gpu->computeCapability;
        } else if (node.gpuMemoryBytes == 0) {
            return wrong("the memory per GPU is not given");
        }
        node.cores = m_cores > 0 ? m_cores : kCoresPerGpu * node.gpus;
        if (node.memoryBytes == 0)
            node.memoryBytes = static_cast<std::int64_t>(kRamPerGpu * node.gpus);
        node.bfloat16Units = true;
        m_target.text = std::string(trimmed(m_text));
        m_target.name = fmt::format(
            "{}{} x {}{:.3g} GB", m_target.nodes > 1 ? fmt::format("{} nodes of ", m_target.nodes) : "", node.gpus,
            m_gpu ? fmt::format("{} ", m_gpu->name) : "GPU of ", static_cast<double>(node.gpuMemoryBytes) / kGigabyte);
        return std::move(m_target);
    }

    std::string_view m_text;
    const GpuModel* m_gpu = nullptr;
    int m_cores = 0;
    TargetMachine m_target;
};

} // namespace

const std::vector<GpuModel>& gpuModels() {
    static const std::vector<GpuModel> all{
        {"H200", 141, 989, 67, 90},  {"H100", 80, 989, 67, 90},   {"A100", 80, 312, 19.5, 80},
        {"L40S", 48, 362, 91.6, 89}, {"A40", 48, 150, 37.4, 86},  {"L4", 24, 121, 30.3, 89},
        {"A10", 24, 125, 31.2, 86},  {"V100", 32, 125, 15.7, 70}, {"RTX4090", 24, 165, 82.6, 89},
    };
    return all;
}

Result<TargetMachine> targetFromText(std::string_view text) {
    return MachineReader(text).read();
}

} // namespace rankscope::plan
