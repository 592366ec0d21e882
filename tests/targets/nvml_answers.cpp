// SPDX-License-Identifier: Apache-2.0
// NVML's interface, with answers as a driver gave them: two devices; the second one's are partly refused.
// RANKSCOPE_NVML names what goes wrong: "no_start", "no_device", "flood", "absurd"; with "own", the first device
// computes for the process that asks.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace {
bool asked(const char* what) {
    const char* text = std::getenv("RANKSCOPE_NVML");
    return text && std::strcmp(text, what) == 0;
}
long indexOf(void* device) {
    return reinterpret_cast<long>(device) - 100;
}
constexpr int kOk = 0, kNotSupported = 3, kInsufficientSize = 7;
} // namespace

extern "C" {
struct Memory {
    unsigned long long total, free, used;
};
struct ProcessInfo {
    unsigned int pid;
    unsigned long long usedGpuMemory;
    unsigned int gpuInstanceId, computeInstanceId;
};
int nvmlInit_v2() {
    return asked("no_start") ? 9 : kOk; // driver not loaded
}
int nvmlShutdown() {
    return kOk;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
    *count = asked("no_device") ? 0 : 2;
    return kOk;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
    *device = reinterpret_cast<void*>(100l + index);
    return kOk;
}
int nvmlDeviceGetMemoryInfo(void* device, Memory* memory) {
    *memory = {85520809984ull, 84000000000ull, 1520809984ull};
    if (asked("absurd"))
        memory->total = ~0ull;
    return indexOf(device) == 0 ? kOk : kNotSupported;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, ProcessInfo* infos) {
    const unsigned there = asked("flood") ? 300 : indexOf(device) == 0 ? 2 : 1;
    if (*count < there) {
        *count = asked("absurd") ? 4000000000u : there;
        return kInsufficientSize;
    }
    for (unsigned i = 0; i < there; ++i)
        infos[i] = {4321u + i + 10u * static_cast<unsigned>(indexOf(device)), 1048576ull * (i + 1), 0xffffffffu, 0};
    if (asked("own") && indexOf(device) == 0)
        infos[0].pid = static_cast<unsigned>(::getpid());
    if (indexOf(device) == 1)
        infos[0].usedGpuMemory = ~0ull; // not available
    *count = there;
    return kOk;
}
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
    *major = asked("absurd") ? 2000000000 : 9;
    *minor = 0;
    return indexOf(device) == 0 ? kOk : kNotSupported;
}
int nvmlDeviceGetClockInfo(void* device, int type, unsigned* mhz) {
    *mhz = type == 1 ? 990 : 0;
    return indexOf(device) == 0 ? kOk : kNotSupported;
}
int nvmlDeviceGetMaxClockInfo(void*, int type, unsigned* mhz) {
    *mhz = type == 1 ? 1980 : 0;
    return kOk;
}
int nvmlDeviceGetTemperature(void* device, int, unsigned* celsius) {
    *celsius = 87;
    return indexOf(device) == 0 ? kOk : kNotSupported;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
    *reasons = indexOf(device) == 0 ? 0x44 : 0x1;
    return kOk;
}
}
