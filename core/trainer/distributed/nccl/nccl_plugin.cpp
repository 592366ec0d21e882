// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/distributed/nccl/nccl_plugin.h"

#include "core/base/files/paths.h"
#include "core/base/values/result.h"
#include "core/trainer/distributed/nccl/nccl_abi.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace rankscope::trainer {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "librankscope-nccl.so";

std::vector<fs::path> places() {
    std::vector<fs::path> all;
    if (const char* set = std::getenv("RANKSCOPE_NCCL_PLUGIN"); set && *set)
        return {set};
    const fs::path bin = programDir();
    return {bin / kFileName, bin / ".." / "lib" / kFileName, bin / ".." / "lib" / "rankscope" / kFileName};
}

Result<const NcclPlugin*> load() {
    for (const fs::path& path : places()) {
        std::error_code ignored;
        if (!fs::exists(path, ignored))
            continue;
        // RTLD_GLOBAL: libtorch_cuda registers its kernels with the dispatcher that is already loaded
        void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
        if (!library) {
            return fail(Errc::Unsupported, {"cannot be loaded on this machine: {}", ::dlerror()}, path.string());
        }
        const auto entry = reinterpret_cast<NcclPluginEntry>(::dlsym(library, kNcclPluginSymbol));
        const NcclPlugin* plugin = entry ? entry() : nullptr;
        if (!plugin || plugin->version != kNcclAbiVersion)
            return fail(Errc::Unsupported, "is from a different build of Rankscope: build it again", path.string());
        return plugin;
    }
    return fail(Errc::NotFound, {"{} was not built: run packaging/setup.sh --cuda and build again, or set "
                                 "trainer.accelerator: cpu",
                                 kFileName});
}

/// Loads the plug-in once; a library that has registered kernels is never unloaded.
const Result<const NcclPlugin*>& plugin() {
    static const Result<const NcclPlugin*> loaded = load();
    return loaded;
}

} // namespace

Result<int> cudaDeviceCount() {
    RS_TRY_ASSIGN(const NcclPlugin* nccl, plugin());
    return nccl->deviceCount();
}

Result<std::string> ncclVersion() {
    RS_TRY_ASSIGN(const NcclPlugin* nccl, plugin());
    const int code = nccl->ncclVersion();
    return fmt::format("{}.{}.{}", code / 10000, code / 100 % 100, code % 100);
}

Result<c10::intrusive_ptr<c10d::Backend>> makeNcclBackend(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                                          int worldSize, at::Device device,
                                                          std::chrono::milliseconds timeout) {
    RS_TRY_ASSIGN(const NcclPlugin* nccl, plugin());
    std::array<char, 512> reason{};
    auto backend =
        nccl->makeBackend(store, rank, worldSize, device.index(), timeout.count(), reason.data(), reason.size());
    if (!backend) {
        return fail(Errc::Unsupported, {"NCCL does not start: {}", reason.data()}, fmt::format("rank {}", rank));
    }
    return backend;
}

} // namespace rankscope::trainer
