// SPDX-License-Identifier: Apache-2.0
#include "core/config/recipe/checkpoint_recipe.h"

#include "core/config/recipe/checkpoint_name.h"
#include "core/config/recipe/reader.h"
#include "core/config/schema/key_lookup.h"
#include "core/config/yaml/scalar.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::config {
namespace {

const std::string kParams = "exp_manager.checkpoint_callback_params";
constexpr const char* kInitKeys[] = {"init_from_nemo_model", "init_from_ptl_ckpt"};

/// Returns the name of the monitored metric; empty if the key is null.
std::string monitorOf(const Reader& params) {
    return params.isNull("monitor") ? "" : params.text("monitor", "val_loss");
}

/// Returns the text in a form that can be part of a file name.
std::string inFileName(std::string text) {
    for (char& c : text)
        if (c == '/' || c == '{' || c == '}')
            c = '-';
    return text.empty() || text.front() == '.' ? "run" + text : text;
}

/// Returns NeMo's default file name; {{ }} are escaped braces.
std::string defaultName(const std::string& name, const std::string& monitor) {
    return monitor.empty() ? name + "--{epoch}-{step}" : fmt::format("{}--{{{}:.4f}}-{{epoch}}", name, monitor);
}

InitialWeights weightsOf(const char* key, const Reader& section) {
    return {key, section.text("path", ""), section.texts("include"), section.texts("exclude")};
}

class RefusedKeys {
public:
    RefusedKeys(const Node& root, const KeySchema& facts) : m_root(root), m_facts(facts) {}

    Refusals take() {
        intervals();
        names();
        lengths();
        initialWeights();
        const Node* ema = find(m_root, "exp_manager.ema.enable");
        if (ema && asBool(*ema).value_or(false))
            add("exp_manager.ema.enable",
                {"{} is true: not supported by the trainer yet; it takes false", "exp_manager.ema.enable"});
        return std::move(m_out);
    }

private:
    void add(std::string key, Message why) { m_out.emplace_back(std::move(key), std::move(why)); }
    std::optional<Node> value(const char* name) const {
        auto node = effectiveNode(m_root, joinKey(kParams, name), m_facts);
        return node && !node->unresolved && !isMissing(*node) ? node : std::nullopt;
    }
    std::int64_t number(const char* name) const {
        const auto node = value(name);
        return node ? asInt(*node).value_or(0) : 0;
    }
    std::string text(const char* name) const {
        const auto node = value(name);
        return node && node->isScalar() && typeOf(*node) != Type::Null ? node->text : "";
    }

    void intervals() {
        const auto steps = number("every_n_train_steps"), epochs = number("every_n_epochs");
        if (steps > 0 && epochs > 0)
            add(kParams + ".every_n_train_steps",
                {"{} is {} while every_n_epochs is {}: Lightning takes only one of them; set every_n_epochs: 0",
                 kParams + ".every_n_train_steps", steps, epochs});
        const auto keep = number("save_top_k");
        const auto monitor = value("monitor");
        if (monitor && typeOf(*monitor) == Type::Null && keep > 1)
            add(kParams + ".save_top_k", {"{} is {} without a value to monitor: Lightning then takes only -1, 0 or 1",
                                          kParams + ".save_top_k", keep});
    }

    void names() {
        if (const std::string name = text("filename"); !name.empty()) {
            const auto unnamed = value("auto_insert_metric_name");
            const auto parsed = CheckpointName::parse(name, !unnamed || asBool(*unnamed).value_or(true));
            if (!parsed)
                add(kParams + ".filename", {"{} is {}: it {}", kParams + ".filename", name, parsed.error()});
        }
        if (const std::string end = text("postfix"); !end.empty() && !end.ends_with(".nemo"))
            add(kParams + ".postfix",
                {"{} is {}: not supported by the trainer; it must end in .nemo", kParams + ".postfix", end});
        for (const char* key : {"prefix", "postfix"})
            if (text(key).find('/') != std::string::npos)
                add(joinKey(kParams, key),
                    {"{} is a folder; files are written to the run folder", joinKey(kParams, key)});
    }

    std::string textAt(const std::string& key) const {
        const Node* node = find(m_root, key);
        const bool given = node && !node->unresolved && node->isScalar() && !isMissing(*node);
        return given && typeOf(*node) != Type::Null ? node->text : "";
    }

    /// Adds a problem if a file name of `taken` bytes is longer than `most`; `own` is the length of the key's value.
    void checkBytes(const std::string& key, std::size_t own, std::size_t taken, std::size_t most) {
        if (taken <= most)
            return;
        const std::size_t beyond = taken - most;
        add(key, {"{} has {} bytes, but a checkpoint's file name has room for {}", key, own,
                  own > beyond ? own - beyond : 0});
    }

    /// Checks the length of file names: the kernel would refuse a longer one only when the first checkpoint is written.
    void lengths() {
        const Node* manager = find(m_root, "exp_manager");
        if (!manager || !manager->isMap()) {
            const Node* on = find(m_root, "trainer.enable_checkpointing");
            const std::string name = inFileName(textAt("name").empty() ? "run" : textAt("name"));
            if (!on || asBool(*on).value_or(true))
                checkBytes("name", name.size(), name.size() + 5, CheckpointName::kMostNemoBytes);
            return;
        }
        const Node* on = find(m_root, "exp_manager.create_checkpoint_callback");
        if (on && !asBool(*on).value_or(true))
            return;
        const std::string given = textAt("exp_manager.name"), name = inFileName(given.empty() ? "default" : given);
        const auto named = value("auto_insert_metric_name");
        const std::string file = text("filename");
        const auto parsed = CheckpointName::parse(file.empty() ? defaultName(name, text("monitor")) : file,
                                                  !named || asBool(*named).value_or(true));
        if (parsed)
            checkBytes(file.empty() ? "exp_manager.name" : kParams + ".filename",
                       file.empty() ? name.size() : file.size(), parsed->longest(), CheckpointName::kMostBytes);
        const std::string prefix = text("prefix"), postfix = text("postfix").empty() ? ".nemo" : text("postfix");
        const std::string& front = prefix.empty() ? name : prefix;
        if (m_out.empty() || m_out.back().first != "exp_manager.name")
            checkBytes(prefix.empty() ? "exp_manager.name" : kParams + ".prefix", front.size(),
                       front.size() + postfix.size(), CheckpointName::kMostNemoBytes);
    }

    void initialWeights() {
        int given = 0;
        for (const char* key : kInitKeys) {
            const Node* node = find(m_root, key);
            if (!node || typeOf(*node) == Type::Null || node->unresolved)
                continue;
            if (++given > 1)
                add(key, {"{} cannot be combined with init_from_nemo_model: a run starts from only one of them", key});
            if (node->isList() || isMissing(*node))
                add(key, {"{} must be a file path, or a section of sections, each with a path", key});
            else if (node->isMap())
                for (const auto& entry : node->entries)
                    if (!Reader(entry.value).child("path"))
                        add(joinKey(key, entry.key.text), {"{} has no path", joinKey(key, entry.key.text)});
        }
        const Node* cloud = find(m_root, "init_from_pretrained_model");
        if (cloud && typeOf(*cloud) != Type::Null)
            add("init_from_pretrained_model",
                {"{} is {}: models are not downloaded; give the file's path as init_from_nemo_model",
                 "init_from_pretrained_model", toText(*cloud)});
    }

    const Node& m_root;
    const KeySchema& m_facts;
    Refusals m_out;
};

CheckpointConfig readCheckpoint(const Reader& root) {
    CheckpointConfig c;
    const Reader manager = root.section("exp_manager"), p = manager.section("checkpoint_callback_params");
    c.nemoName = inFileName(root.text("name", "run")) + ".nemo";
    if (!manager.present()) { // Lightning's default: the newest checkpoint, after each epoch
        c.enabled = root.section("trainer").boolean("enable_checkpointing", true);
        return c;
    }
    c.monitor = monitorOf(p);
    c.larger = p.text("mode", "min") == "max";
    c.saveTopK = 3;
    c.everyNEpochs = p.integer("every_n_epochs", p.isNull("every_n_epochs") ? 0 : 1);
    const std::string name = inFileName(manager.text("name", "default"));
    c.fileName = p.text("filename", defaultName(name, c.monitor));
    c.nemoName = p.text("prefix", name) + p.text("postfix", ".nemo");
    p.read(Field{"save_top_k", c.saveTopK}, Field{"save_last", c.saveLast}, Field{"every_n_train_steps", c.everyNSteps},
           Field{"save_on_train_epoch_end", c.atEpochEnd}, Field{"async_save", c.asyncSave},
           Field{"auto_insert_metric_name", c.namedMetrics}, Field{"always_save_nemo", c.alwaysSaveNemo},
           Field{"save_nemo_on_train_end", c.nemoAtEnd}, Field{"save_best_model", c.saveBestModel});
    if (c.everyNSteps == 0 && p.isNull("every_n_epochs"))
        c.everyNEpochs = 1; // neither is given; NeMo's default is 1
    manager.read(Field{"create_checkpoint_callback", c.enabled}, Field{"create_preemption_callback", c.saveOnStop},
                 Field{"resume_if_exists", c.resumeIfExists}, Field{"resume_ignore_no_checkpoint", c.mayBeMissing},
                 Field{"resume_from_checkpoint", c.resumeFrom});
    return c;
}

std::vector<InitialWeights> readInitialWeights(const Reader& root) {
    std::vector<InitialWeights> out;
    for (const char* key : kInitKeys) {
        if (const std::string path = root.text(key, ""); !path.empty())
            out.push_back({key, path, {}, {}});
        const Reader section = root.section(key);
        if (!section.present())
            continue;
        for (const auto& entry : root.child(key)->entries)
            if (!entry.mergeKey)
                out.push_back(weightsOf(key, section.section(entry.key.text)));
    }
    return out;
}

} // namespace

bool InitialWeights::takes(const std::string& tensor) const {
    const auto holds = [&](const std::string& part) { return tensor.find(part) != std::string::npos; };
    return (include.empty() || std::ranges::any_of(include, holds)) && std::ranges::none_of(exclude, holds);
}

Refusals refusedCheckpointKeys(const Node& resolved, const KeySchema& facts) {
    return RefusedKeys(resolved, facts).take();
}

CheckpointRecipe checkpointRecipeOf(const Node& tree) {
    const Reader root(tree);
    return {readCheckpoint(root), readInitialWeights(root)};
}

} // namespace rankscope::config
