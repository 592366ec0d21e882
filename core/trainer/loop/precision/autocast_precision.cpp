// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/precision/autocast_precision.h"

#include "core/trainer/argument_error.h"

#include <ATen/Context.h>
#include <ATen/cpu/Utils.h>

#include <fmt/format.h>

#include <cstdlib>

namespace rankscope::trainer {
namespace {

std::string bfloat16Units() {
    const auto units = at::cpu::get_cpu_capabilities();
    const auto has = [&](const char* name) {
        const auto at = units.find(name);
        return at != units.end() && at->second.isBool() && at->second.toBool();
    };
    const bool amx = has("amx_bf16"), avx512 = has("avx512_bf16");
    if (!amx && !avx512)
        return "this CPU has neither AMX nor AVX512-BF16: correct, but slower than float32";
    return fmt::format("this CPU has {}{}{}", amx ? "AMX" : "", amx && avx512 ? " and " : "",
                       avx512 ? "AVX512-BF16" : "");
}

} // namespace

Precision::Precision(const std::string& name, at::Device device) : m_device(device.type()) {
    if (name == "bf16-mixed" || (name == "16-mixed" && device.is_cpu())) {
        m_products = at::kBFloat16;
        if (name == "16-mixed") {
            m_warning = "trainer.precision: 16-mixed needs a GPU: this rank is on the CPU and uses bf16-mixed, as "
                        "Lightning does";
        }
    } else if (name == "16-mixed") {
        m_products = at::kHalf;
        m_scaler = std::make_shared<GradScaler>(device);
    } else if (name != "32") {
        throw ArgumentError("trainer.precision",
                            {"{} is not supported ({})", name, Message("32, bf16-mixed or 16-mixed")});
    }
}

std::string Precision::sentence() const {
    if (m_products == at::kFloat)
        return {};
    if (m_products == at::kHalf) {
        return fmt::format("precision 16-mixed: products in float16, gradients initially scaled by {:g}",
                           m_scaler->currentScale());
    }
    return m_device == at::kCPU ? fmt::format("precision bf16-mixed: products in bfloat16; {}", bfloat16Units())
                                : "precision bf16-mixed: products in bfloat16";
}

void useDeterminism(const config::TrainerConfig& trainer) {
    const bool warn = trainer.deterministic == "warn", on = warn || trainer.deterministic == "true";
    auto& context = at::globalContext();
    context.setDeterministicAlgorithms(on, warn);
    context.setBenchmarkCuDNN(trainer.benchmark.value_or(false));
    if (on)
        ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
}

} // namespace rankscope::trainer
