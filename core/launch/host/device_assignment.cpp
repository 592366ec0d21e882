// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/device_assignment.h"

#include "core/base/text/unit_format.h"
#include "core/base/values/result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

namespace rankscope::launch {

int mostCpuRanks(const Machine& machine) {
    return std::max(2, machine.cores);
}
int mostCpuRanksByHand(const Machine& machine) {
    return 4 * mostCpuRanks(machine);
}

/// The value of trainer.devices: all, a number, or a list of GPUs.
struct Spec {
    bool all = false, list = false;
    int count = 0;
    std::vector<int> ids;
};

static std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

static std::optional<int> integer(std::string_view text) {
    text = trimmed(text);
    int value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    return ec == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

static Result<Spec> parse(const std::string& devices) {
    Spec spec;
    const auto wrong = [&] {
        return fail(Errc::BadInput,
                    {"'{}' is neither auto, -1, a number of devices, nor a list of GPUs such as 0,2", devices},
                    "trainer.devices");
    };
    std::string_view text = devices;
    const bool bracketed = text.size() >= 2 && text.front() == '[' && text.back() == ']';
    if (bracketed)
        text = text.substr(1, text.size() - 2);
    if (text == "auto" || text == "-1") {
        spec.all = true;
        return spec;
    }
    if (!bracketed && text.find(',') == std::string_view::npos) {
        const auto n = integer(text);
        if (!n || *n < 1)
            return wrong();
        spec.count = *n;
        return spec;
    }
    spec.list = true;
    while (!text.empty()) {
        const auto comma = text.find(',');
        const auto id = integer(text.substr(0, comma));
        if (!id || *id < 0)
            return wrong();
        if (std::find(spec.ids.begin(), spec.ids.end(), *id) != spec.ids.end())
            return fail(Errc::BadInput, {"names GPU {} twice", *id}, "trainer.devices");
        spec.ids.push_back(*id);
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
    if (spec.ids.empty())
        return wrong();
    spec.count = static_cast<int>(spec.ids.size());
    return spec;
}

static Result<DeviceAssignment> onCpu(const Spec& spec, int requested, const Machine& machine) {
    if (requested > 0) {
        if (requested > mostCpuRanksByHand(machine))
            return fail(Errc::BadInput,
                        {"{} CPU ranks are too many for {} cores; request at most {}", requested, machine.cores,
                         mostCpuRanksByHand(machine)},
                        "--ranks");
        return DeviceAssignment{"cpu", requested, {}};
    }
    if (spec.list)
        return fail(Errc::BadInput,
                    {"names GPUs {}, but the ranks run on the CPU; write a number of ranks", joinInts(spec.ids)},
                    "trainer.devices");
    const int ranks = spec.all ? 1 : spec.count;
    if (ranks > mostCpuRanks(machine))
        return fail(Errc::BadInput,
                    {"requests {} devices, but this machine has {} GPUs and {} cores: request at most {}, or pass "
                     "--ranks N (up to {}) to share cores",
                     ranks, machine.gpus, machine.cores, mostCpuRanks(machine), mostCpuRanksByHand(machine)},
                    "trainer.devices");
    return DeviceAssignment{"cpu", ranks, {}};
}

std::vector<std::string> visibleGpus(std::string_view variable, int gpus) {
    std::vector<std::string> names;
    for (bool more = gpus > 0; more;) {
        const auto comma = variable.find(',');
        const std::string name(trimmed(variable.substr(0, comma)));
        const auto number = integer(name);
        const bool known =
            number ? *number >= 0 && *number < gpus : name.starts_with("GPU-") || name.starts_with("MIG-");
        if (!known || std::find(names.begin(), names.end(), name) != names.end())
            break;
        names.push_back(name);
        more = comma != std::string_view::npos;
        variable.remove_prefix(more ? comma + 1 : variable.size());
    }
    return names;
}

std::string gpuName(const Machine& machine, int id) {
    return machine.visible ? machine.visible->at(static_cast<std::size_t>(id)) : std::to_string(id);
}

static Message noSuchGpu(int id, const Machine& machine) {
    if (machine.visible)
        return {"names GPU {}; CUDA_VISIBLE_DEVICES leaves {} (numbered from 0)", id, machine.gpus};
    return {"names GPU {}; this machine has {} (numbered from 0)", id, machine.gpus};
}

static Message tooFewGpus(int count, const Machine& machine) {
    if (machine.visible)
        return {"requests {} GPUs, but CUDA_VISIBLE_DEVICES leaves {}. For ranks on the CPU set trainer.accelerator: "
                "cpu",
                count, machine.gpus};
    return {"requests {} GPUs, but this machine has {}. For ranks on the CPU set trainer.accelerator: cpu", count,
            machine.gpus};
}

static Message noGpu(const std::string& accelerator, const Machine& machine) {
    if (machine.visible)
        return {"is {}, but CUDA_VISIBLE_DEVICES leaves no GPU of this machine; set it to cpu or auto", accelerator};
    return {"is {}, but this machine has no NVIDIA GPU (no /dev/nvidia0); set it to cpu or auto", accelerator};
}

static Result<DeviceAssignment> onGpus(const Spec& spec, int requested, const Machine& machine) {
    DeviceAssignment plan{"cuda", 0, {}};
    if (spec.list && requested == 0) {
        for (const int id : spec.ids)
            if (id >= machine.gpus)
                return fail(Errc::BadInput, noSuchGpu(id, machine), "trainer.devices");
        plan.gpuIds = spec.ids;
    } else {
        const int count = requested > 0 ? requested : spec.all ? machine.gpus : spec.count;
        if (count > machine.gpus)
            return fail(Errc::BadInput, tooFewGpus(count, machine), requested > 0 ? "--ranks" : "trainer.devices");
        plan.gpuIds.resize(static_cast<std::size_t>(count));
        std::iota(plan.gpuIds.begin(), plan.gpuIds.end(), 0);
    }
    plan.ranks = static_cast<int>(plan.gpuIds.size());
    return plan;
}

bool namesGpus(const config::TrainerConfig& trainer) {
    const auto spec = parse(trainer.devices);
    return !spec || spec->list;
}

bool countsRanks(const std::string& devices) {
    const auto spec = parse(devices);
    return spec && !spec->all;
}

Result<DeviceAssignment> planDevices(const config::TrainerConfig& trainer, int requestedRanks, const Machine& machine) {
    if (requestedRanks < 0)
        return fail(Errc::BadInput, {"{} is not a number of ranks", requestedRanks}, "--ranks");
    RS_TRY_ASSIGN(const auto spec, parse(trainer.devices));
    const std::string& accelerator = trainer.accelerator;
    const bool wantsGpu = accelerator == "gpu" || accelerator == "cuda";
    if (!wantsGpu && accelerator != "cpu" && accelerator != "auto")
        return fail(Errc::Unsupported, {"'{}' is not supported; use auto, gpu or cpu", accelerator},
                    "trainer.accelerator");
    if (wantsGpu && machine.gpus == 0)
        return fail(Errc::BadInput, noGpu(accelerator, machine), "trainer.accelerator");
    auto plan = wantsGpu || (accelerator == "auto" && machine.gpus > 0) ? onGpus(spec, requestedRanks, machine)
                                                                        : onCpu(spec, requestedRanks, machine);
    if (plan && plan->ranks > 1 && trainer.strategy != "auto" && trainer.strategy.rfind("ddp", 0) != 0)
        return fail(Errc::Unsupported,
                    {"'{}' is not supported for {} ranks; use ddp or auto", trainer.strategy, plan->ranks},
                    "trainer.strategy");
    return plan;
}

std::vector<std::pair<std::string, std::string>> rankEnvironment(int rank, const config::Recipe& recipe,
                                                                 const DeviceAssignment& devices,
                                                                 const Machine& machine, const std::string& port,
                                                                 bool ownThreads) {
    const std::string number = std::to_string(rank), world = std::to_string(devices.ranks);
    std::vector<std::pair<std::string, std::string>> all{
        {"RANK", number},    {"LOCAL_RANK", number},       {"WORLD_SIZE", world}, {"LOCAL_WORLD_SIZE", world},
        {"GROUP_RANK", "0"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", port}};
    const int asked = recipe.rankscope.threadsPerRank;
    if (asked > 0 || !ownThreads)
        all.emplace_back("OMP_NUM_THREADS",
                         std::to_string(asked > 0 ? asked : std::max(1, machine.cores / devices.ranks)));
    std::vector<std::string> gpus;
    for (const int id : devices.gpuIds)
        gpus.push_back(gpuName(machine, id));
    if (!gpus.empty())
        all.emplace_back("CUDA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(gpus, ",")));
    return all;
}

} // namespace rankscope::launch
