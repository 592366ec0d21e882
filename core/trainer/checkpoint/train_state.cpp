// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/checkpoint/train_state.h"

#include "core/base/files/atomic_file.h"
#include "core/base/text/unit_format.h"
#include "core/base/values/result.h"
#include "core/trainer/formats/archives/weights_file.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace rankscope::trainer {
namespace {

using nlohmann::json;
using Metadata = std::map<std::string, std::string>;

constexpr std::int64_t kVersion = 1;

// --- writing

/// Writes a value as text that keeps every bit, and NaN and infinity, which JSON lacks.
std::string realText(double value) {
    return fmt::format("{}", value);
}

json namesOf(const StateDict& tensors) {
    json names = json::array();
    for (const auto& item : tensors)
        names.push_back(item.first);
    return names;
}

json jsonOf(const TrainState& state) {
    const TrainProgress& p = state.progress;
    json metrics = json::object(), ranks = json::array(), buffers = json::array();
    for (const auto& [name, value] : p.metrics)
        metrics[name] = realText(value);
    for (const StateDict& own : state.buffers)
        buffers.push_back(namesOf(own));
    for (const RngState& rng : state.rng)
        ranks.push_back(rng.device.defined());
    return {{"step", p.step},
            {"epoch", p.epoch},
            {"batch_in_epoch", p.batchInEpoch},
            {"seed", p.seed},
            {"config_hash", p.configHash},
            {"metrics", metrics},
            {"extras", p.extras},
            {"model", namesOf(state.model)},
            {"optimizer", namesOf(state.optimizer)},
            {"buffers", buffers},
            {"rng_on_device", ranks}};
}

// --- reading

/// Reads fields of the JSON object and remembers the first one that is missing or wrong.
class Fields {
public:
    explicit Fields(const json& object) : m_object(object) {}

    std::int64_t integer(const char* key, bool negative = false) {
        const json& v = field(key);
        const bool fits = v.is_number_integer() &&
                          (!v.is_number_unsigned() || v.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
        if (!fits || (!negative && v.get<std::int64_t>() < 0)) {
            problem(key, "not a whole number");
            return 0;
        }
        return v.get<std::int64_t>();
    }
    std::uint64_t hash(const char* key) {
        const json& v = field(key);
        if (!v.is_number_unsigned()) {
            problem(key, "no hash");
            return 0;
        }
        return v.get<std::uint64_t>();
    }
    std::map<std::string, std::string> texts(const char* key) {
        const json& v = field(key);
        std::map<std::string, std::string> out;
        if (!v.is_object())
            problem(key, "not a set of values");
        else
            for (const auto& [name, value] : v.items()) {
                if (!value.is_string())
                    problem(key, "has a value that is not a string");
                else
                    out[name] = value.get<std::string>();
            }
        return out;
    }
    std::map<std::string, double> reals(const char* key) {
        std::map<std::string, double> out;
        for (const auto& [name, text] : texts(key)) {
            double value = 0;
            const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (ec != std::errc() || end != text.data() + text.size())
                problem(key, "has a value that is not a number");
            out[name] = value;
        }
        return out;
    }
    template <class T> std::vector<T> list(const char* key, bool (json::*isOne)() const noexcept) {
        const json& v = field(key);
        std::vector<T> out;
        if (!v.is_array())
            problem(key, "not a list");
        else
            for (const json& item : v) {
                if (!(item.*isOne)())
                    problem(key, "has a member of a different type");
                else
                    out.push_back(item.get<T>());
            }
        return out;
    }
    std::vector<std::vector<std::string>> lists(const char* key) {
        const json& v = field(key);
        std::vector<std::vector<std::string>> out;
        if (!v.is_array())
            problem(key, "not a list");
        else
            for (const json& item : v) {
                auto& names = out.emplace_back();
                for (const json& name : item)
                    if (name.is_string())
                        names.push_back(name.get<std::string>());
                if (!item.is_array() || names.size() != item.size())
                    problem(key, "has a member that is not a list of names");
            }
        return out;
    }
    const Message& problem() const { return m_problem; }

private:
    const json& field(const char* key) const {
        static const json none;
        const auto found = m_object.find(key);
        return found == m_object.end() ? none : *found;
    }
    void problem(const char* key, Message what) {
        if (m_problem.empty())
            m_problem = Message("state: {} is missing or wrong: {}", key, std::move(what));
    }

    const json& m_object;
    Message m_problem;
};

TrainProgress progressOf(Fields& fields) {
    TrainProgress p;
    p.step = fields.integer("step");
    p.epoch = fields.integer("epoch");
    p.batchInEpoch = fields.integer("batch_in_epoch");
    p.seed = fields.integer("seed", true);
    p.configHash = fields.hash("config_hash");
    p.metrics = fields.reals("metrics");
    p.extras = fields.texts("extras");
    return p;
}

/// Returns the JSON object of a checkpoint's metadata, or what is wrong with it.
tl::expected<json, Message> objectOf(const Metadata& metadata) {
    if (!isTrainState(metadata))
        return tl::unexpected<Message>(
            "is not a Rankscope checkpoint: its metadata does not have the format rankscope-train-state");
    const auto version = metadata.find("version"), text = metadata.find("state");
    if (version == metadata.end() || version->second != std::to_string(kVersion))
        return tl::unexpected(Message("is a checkpoint of version {}, but this program reads version {}",
                                      version == metadata.end() ? Message("none") : Message(version->second),
                                      kVersion));
    json object = text == metadata.end() ? json() : json::parse(text->second, nullptr, false);
    if (!object.is_object())
        return tl::unexpected<Message>("metadata state is missing or is not a JSON object");
    return object;
}

/// Hands out the file's tensors by name, each once.
class StateTensors {
public:
    explicit StateTensors(const StateDict& tensors) : m_left(tensors.begin(), tensors.end()) {}

    torch::Tensor take(const std::string& name) {
        const auto found = m_left.find(name);
        if (found == m_left.end()) {
            if (m_missing.empty())
                m_missing = name;
            return {};
        }
        torch::Tensor tensor = found->second;
        m_left.erase(found);
        return tensor;
    }
    StateDict takeAll(const std::string& prefix, const std::vector<std::string>& names) {
        StateDict out;
        for (const auto& name : names)
            out.emplace_back(name, take(prefix + name));
        return out;
    }
    /// Returns empty if every tensor was requested and every requested one existed.
    Message problem() const {
        if (!m_missing.empty())
            return {"tensor {} is missing", m_missing};
        return m_left.empty() ? Message() : Message("tensor {} is not expected", m_left.begin()->first);
    }

private:
    std::unordered_map<std::string, torch::Tensor> m_left;
    std::string m_missing;
};

std::string bufferPrefix(std::size_t rank) {
    return fmt::format("buffer.{}.", rank);
}

std::string rngName(std::size_t rank, const char* which) {
    return fmt::format("rng.{}.{}", rank, which);
}

torch::Tensor stateOf(at::Generator generator) {
    const std::scoped_lock lock(generator.mutex());
    return generator.get_state();
}

void setState(at::Generator generator, const torch::Tensor& state) {
    const std::scoped_lock lock(generator.mutex());
    generator.set_state(state);
}

at::Generator generatorOf(const torch::Device& device) {
    return device.is_cpu() ? at::detail::getDefaultCPUGenerator() : at::globalContext().defaultGenerator(device);
}

constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ull; ///< 2^64 / golden ratio

std::uint64_t mix(std::uint64_t h, std::uint64_t value) {
    return std::rotl(h ^ (value * kOdd), 29) * 0xBF58476D1CE4E5B9ull;
}

/// Four independent lanes hide the latency of the multiplication.
std::uint64_t hashBytes(const void* data, std::size_t size, std::uint64_t seed) {
    const auto* p = static_cast<const unsigned char*>(data);
    std::array<std::uint64_t, 4> lanes{seed, seed + kOdd, seed ^ size, ~seed};
    for (; size >= 32; p += 32, size -= 32)
        for (std::size_t i = 0; i < 4; ++i) {
            std::uint64_t word;
            std::memcpy(&word, p + 8 * i, sizeof word);
            lanes[i] = mix(lanes[i], word);
        }
    for (; size > 0; ++p, --size)
        lanes[0] = mix(lanes[0], *p);
    std::uint64_t h = lanes[0];
    for (std::size_t i = 1; i < 4; ++i)
        h = mix(h, lanes[i]);
    return h ^ (h >> 31);
}

} // namespace

bool isTrainState(const Metadata& metadata) {
    const auto format = metadata.find("format");
    return format != metadata.end() && format->second == kTrainStateFormat;
}

std::string trainStateChecksum(const std::string& text, StateDict tensors) {
    std::sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return fmt::format("{:016x}", hash64(text, stateHash(tensors)));
}

Result<void> writeTrainState(const std::filesystem::path& path, const TrainState& state) {
    StateDict tensors;
    for (const auto& [name, tensor] : state.model)
        tensors.emplace_back("model." + name, tensor);
    for (const auto& [name, tensor] : state.optimizer)
        tensors.emplace_back("optimizer." + name, tensor);
    for (std::size_t r = 0; r < state.rng.size(); ++r) {
        tensors.emplace_back(rngName(r, "cpu"), state.rng[r].cpu);
        if (state.rng[r].device.defined())
            tensors.emplace_back(rngName(r, "device"), state.rng[r].device);
    }
    for (std::size_t r = 0; r < state.buffers.size(); ++r)
        for (const auto& [name, tensor] : state.buffers[r])
            tensors.emplace_back(bufferPrefix(r) + name, tensor);
    for (const auto& [name, tensor] : tensors)
        if (!tensor.defined())
            return fail(Errc::BadInput, {"tensor {} has no value", name}, path.string());
    const std::string text = jsonOf(state).dump(-1, ' ', true, json::error_handler_t::replace);
    RS_TRY_ASSIGN(auto file, AtomicFile::createInRun(path, GuardedFolder::Checkpoints));
    return writeSafetensors(std::move(file), tensors,
                            {{"format", kTrainStateFormat},
                             {"version", std::to_string(kVersion)},
                             {"state", text},
                             {"checksum", trainStateChecksum(text, tensors)}});
}

Result<TrainState> trainStateOf(const SafeTensors& file, const std::string& where) {
    const auto object = objectOf(file.metadata);
    if (!object)
        return fail(Errc::Malformed, object.error(), where);
    const auto checksum = file.metadata.find("checksum");
    if (checksum == file.metadata.end() ||
        checksum->second != trainStateChecksum(file.metadata.at("state"), file.tensors))
        return fail(Errc::Malformed, "its checksum does not match: the file is damaged", where);
    Fields fields(*object);
    TrainState state;
    state.progress = progressOf(fields);
    const auto model = fields.list<std::string>("model", &json::is_string);
    const auto optimizer = fields.list<std::string>("optimizer", &json::is_string);
    const auto ranks = fields.list<bool>("rng_on_device", &json::is_boolean);
    const auto buffers = fields.lists("buffers");
    if (!fields.problem().empty())
        return fail(Errc::Malformed, fields.problem(), where);
    StateTensors tensors(file.tensors);
    state.model = tensors.takeAll("model.", model);
    state.optimizer = tensors.takeAll("optimizer.", optimizer);
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        state.rng.push_back({tensors.take(rngName(r, "cpu")), {}});
        if (ranks[r])
            state.rng.back().device = tensors.take(rngName(r, "device"));
    }
    for (std::size_t r = 0; r < buffers.size(); ++r)
        state.buffers.push_back(tensors.takeAll(bufferPrefix(r), buffers[r]));
    if (Message problem = tensors.problem(); !problem.empty())
        return fail(Errc::Malformed, std::move(problem), where);
    return state;
}

Result<TrainState> readTrainState(const std::filesystem::path& path) {
    RS_TRY_ASSIGN(const auto file, readSafetensors(path));
    return trainStateOf(file, path.string());
}

Result<TrainProgress> readTrainProgress(const std::filesystem::path& path) {
    RS_TRY_ASSIGN(const auto metadata, readSafetensorsMetadata(path));
    const auto object = objectOf(metadata);
    if (!object)
        return fail(Errc::Malformed, object.error(), path.string());
    Fields fields(*object);
    TrainProgress progress = progressOf(fields);
    if (!fields.problem().empty())
        return fail(Errc::Malformed, fields.problem(), path.string());
    return progress;
}

RngState captureRng(const torch::Device& device) {
    RngState out{stateOf(generatorOf(torch::kCPU)), {}};
    if (!device.is_cpu())
        out.device = stateOf(generatorOf(device));
    return out;
}

Result<void> restoreRng(const RngState& state, const torch::Device& device) {
    if (state.device.defined() == device.is_cpu())
        return fail(Errc::Unsupported,
                    {"the random numbers were drawn on {}, but training now runs on {}: their sequence cannot be "
                     "continued",
                     state.device.defined() ? Message("a GPU") : Message("the CPU"), device.str()});
    const RngState before = captureRng(device);
    try {
        setState(generatorOf(torch::kCPU), state.cpu);
        if (state.device.defined())
            setState(generatorOf(device), state.device);
        return {};
    } catch (const c10::Error& e) {
        setState(generatorOf(torch::kCPU), before.cpu);
        return fail(Errc::Malformed, {"the random number state cannot be used: {}", e.what_without_backtrace()});
    }
}

std::uint64_t stateHash(const StateDict& state) {
    std::uint64_t h = hash64("state");
    for (const auto& [name, tensor] : state) {
        h = hash64(name, h);
        h = mix(h, static_cast<std::uint64_t>(tensor.scalar_type()));
        for (const std::int64_t n : tensor.sizes())
            h = mix(h, static_cast<std::uint64_t>(n));
        const auto host = tensor.detach().to(torch::kCPU).contiguous();
        h = hashBytes(host.const_data_ptr(), host.nbytes(), h);
    }
    return h;
}

} // namespace rankscope::trainer
