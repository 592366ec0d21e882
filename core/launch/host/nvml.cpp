// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>

namespace rankscope::launch {

namespace {

// The declarations of the library's stable C interface that are used here.
using Device = void*;
struct NvmlMemory {
    unsigned long long total, free, used;
};
struct ProcessInfo { // as versions 2 and 3 of the call fill it
    unsigned int pid;
    unsigned long long usedBytes;
    unsigned int gpuInstance, computeInstance;
};
constexpr int kSuccess = 0, kTooSmall = 7;
constexpr int kSmClock = 1, kGpuTemperature = 0;
constexpr unsigned kMostDevices = 64, kMostProcesses = 1024;

template <class F> void find(void* library, F& function, std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (void* at = ::dlsym(library, name)) {
            function = reinterpret_cast<F>(at);
            return;
        }
}

std::int64_t known(unsigned long long bytes) {
    return bytes < (1ull << 60) ? static_cast<std::int64_t>(bytes) : -1; // all ones: not available
}

} // namespace

struct Nvml::Api {
    void* library = nullptr;
    bool started = false;
    std::vector<Device> devices;
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*count)(unsigned*) = nullptr;
    int (*handle)(unsigned, Device*) = nullptr;
    int (*memory)(Device, NvmlMemory*) = nullptr;
    int (*processes)(Device, unsigned*, ProcessInfo*) = nullptr;
    int (*capability)(Device, int*, int*) = nullptr;
    int (*clock)(Device, int, unsigned*) = nullptr;
    int (*maxClock)(Device, int, unsigned*) = nullptr;
    int (*temperature)(Device, int, unsigned*) = nullptr;
    int (*throttle)(Device, unsigned long long*) = nullptr;

    ~Api() {
        if (started && shutdown)
            shutdown();
        if (library)
            ::dlclose(library);
    }
};

Nvml::Nvml(std::unique_ptr<Api> api) : m(std::move(api)) {}
Nvml::Nvml(Nvml&&) noexcept = default;
Nvml& Nvml::operator=(Nvml&&) noexcept = default;
Nvml::~Nvml() = default;

Result<Nvml> Nvml::load(const std::string& library) {
    auto api = std::make_unique<Api>();
    api->library = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!api->library) {
        const char* why = ::dlerror();
        return fail(Errc::NotFound, {"cannot be loaded: {}", why ? why : "no reason is given"}, library);
    }
    find(api->library, api->init, {"nvmlInit_v2"});
    find(api->library, api->shutdown, {"nvmlShutdown"});
    find(api->library, api->count, {"nvmlDeviceGetCount_v2"});
    find(api->library, api->handle, {"nvmlDeviceGetHandleByIndex_v2"});
    find(api->library, api->memory, {"nvmlDeviceGetMemoryInfo"});
    find(api->library, api->processes,
         {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
    find(api->library, api->capability, {"nvmlDeviceGetCudaComputeCapability"});
    find(api->library, api->clock, {"nvmlDeviceGetClockInfo"});
    find(api->library, api->maxClock, {"nvmlDeviceGetMaxClockInfo"});
    find(api->library, api->temperature, {"nvmlDeviceGetTemperature"});
    find(api->library, api->throttle,
         {"nvmlDeviceGetCurrentClocksThrottleReasons", "nvmlDeviceGetCurrentClocksEventReasons"});
    if (!api->init || !api->count || !api->handle)
        return fail(Errc::Unsupported, "lacks the functions that list devices", library);
    if (const int code = api->init(); code != kSuccess)
        return fail(Errc::Unsupported, {"does not start (NVML error {})", code}, library);
    api->started = true;
    unsigned count = 0;
    if (api->count(&count) != kSuccess || count == 0)
        return fail(Errc::Unsupported, "finds no device", library);
    for (unsigned i = 0; i < std::min(count, kMostDevices); ++i) {
        Device device = nullptr;
        if (api->handle(i, &device) == kSuccess)
            api->devices.push_back(device);
    }
    return Nvml(std::move(api));
}

std::string throttleWords(std::uint64_t reasons) {
    static constexpr std::array<std::pair<std::uint64_t, const char*>, 8> kWords{{{0x02, "application clock setting"},
                                                                                  {0x04, "power limit"},
                                                                                  {0x08, "hardware slowdown"},
                                                                                  {0x10, "sync boost"},
                                                                                  {0x20, "temperature (driver)"},
                                                                                  {0x40, "temperature (hardware)"},
                                                                                  {0x80, "power brake"},
                                                                                  {0x100, "display clock setting"}}};
    std::string words;
    for (const auto& [bit, word] : kWords)
        if (reasons & bit)
            words += (words.empty() ? "" : ", ") + std::string(word);
    return words;
}

std::vector<GpuFacts> Nvml::devices() const {
    std::vector<GpuFacts> all;
    for (const Device device : m->devices) {
        GpuFacts facts;
        NvmlMemory memory{};
        if (m->memory && m->memory(device, &memory) == kSuccess) {
            facts.totalBytes = known(memory.total);
            facts.usedBytes = known(memory.used);
        }
        std::vector<ProcessInfo> processes(64);
        auto count = static_cast<unsigned>(processes.size());
        int code = m->processes ? m->processes(device, &count, processes.data()) : -1;
        if (code == kTooSmall && count <= kMostProcesses) {
            processes.resize(count + 16);
            count = static_cast<unsigned>(processes.size());
            code = m->processes(device, &count, processes.data());
        }
        if (code == kSuccess)
            for (unsigned i = 0; i < std::min(count, static_cast<unsigned>(processes.size())); ++i)
                facts.processes.emplace_back(static_cast<pid_t>(processes[i].pid), known(processes[i].usedBytes));
        int major = 0, minor = 0;
        if (m->capability && m->capability(device, &major, &minor) == kSuccess && major > 0 && major < 100 &&
            minor >= 0 && minor < 10)
            facts.computeCapability = 10 * major + minor;
        unsigned value = 0;
        if (m->clock && m->clock(device, kSmClock, &value) == kSuccess)
            facts.smClockMHz = value;
        if (m->maxClock && m->maxClock(device, kSmClock, &value) == kSuccess)
            facts.smClockMaxMHz = value;
        if (m->temperature && m->temperature(device, kGpuTemperature, &value) == kSuccess)
            facts.celsius = value;
        unsigned long long reasons = 0;
        if (m->throttle && m->throttle(device, &reasons) == kSuccess)
            facts.throttle = throttleWords(reasons);
        all.push_back(std::move(facts));
    }
    return all;
}

} // namespace rankscope::launch
