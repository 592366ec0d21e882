// SPDX-License-Identifier: Apache-2.0
#include "core/config/check/trainer_support.h"

#include "core/config/check/model_support.h"
#include "core/config/recipe/checkpoint_recipe.h"
#include "core/config/recipe/reader.h"
#include "core/config/recipe/recipe_reader.h"
#include "core/config/recipe/validation_sets.h"
#include "core/config/schema/key_lookup.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::config {
namespace {

/// The values of a key that the trainer supports, as YAML. For a list of which only the default is supported, that
/// default is given. A key that is absent from the file is fine if its default is listed.
struct Supported {
    const char* key;
    std::vector<const char*> values;
};

const std::vector<Supported>& supported() {
    static const std::vector<Supported> table{
        {"model.preprocessor.rng", {"null"}},
        {"model.preprocessor.nb_augmentation_prob", {"0.0"}},
        {"model.preprocessor.use_torchaudio", {"false"}},
        {"model.preprocessor.stft_exact_pad", {"false"}},
        {"model.preprocessor.stft_conv", {"false"}},
        {"model.encoder.att_context_probs", {"null"}},
        {"model.encoder.global_tokens", {"0"}},
        {"model.encoder.global_attn_separate", {"false"}},
        {"model.optim.name", {"adamw", "adam", "sgd"}},
        {"model.optim.sched.name",
         {"NoamAnnealing", "NoamHoldAnnealing", "CosineAnnealing", "WarmupAnnealing", "WarmupPolicy",
          "WarmupHoldPolicy", "WarmupHoldAnnealLinear", "WarmupHoldAnnealOneMinusSquareRoot", "SquareAnnealing",
          "SquareRootAnnealing", "InverseSquareRootAnnealing", "T5InverseSquareRootAnnealing",
          "PolynomialDecayAnnealing", "PolynomialHoldDecayAnnealing"}},
        {"model.optim.sched.last_epoch", {"-1"}},
        {"trainer.precision", {"null", "32", "\"32\"", "32-true", "bf16", "bf16-mixed", "16", "\"16\"", "16-mixed"}},
        {"trainer.accelerator", {"auto", "cpu", "gpu", "cuda"}},
        {"trainer.fast_dev_run", {"false", "0"}},
        {"trainer.overfit_batches", {"0.0"}},
        {"trainer.callbacks", {"null", "[]"}},
        {"trainer.plugins", {"null", "[]"}},
        {"trainer.profiler", {"null"}},
        {"trainer.deterministic", {"null", "false", "true", "warn"}},
        {"trainer.detect_anomaly", {"null", "false"}},
        {"trainer.barebones", {"false"}},
        {"trainer.reload_dataloaders_every_n_epochs", {"0"}},
        {"trainer.strategy.device_ids", {"null"}},
        {"trainer.strategy.output_device", {"null"}},
        {"trainer.strategy.dim", {"0"}},
        {"trainer.strategy.init_sync", {"true"}},
        {"trainer.strategy.process_group", {"null"}},
        {"trainer.strategy.delay_all_reduce_named_params", {"null"}},
        {"trainer.strategy.param_to_hook_all_reduce", {"null"}},
        {"trainer.strategy.mixed_precision", {"null"}},
        {"trainer.strategy.device_mesh", {"null"}},
        {"trainer.strategy.bucket_cap_mb_list", {"null"}},
        {"trainer.strategy.ddp_comm_state", {"null"}},
        {"trainer.strategy.ddp_comm_wrapper", {"null"}},
        {"trainer.strategy.model_averaging_period", {"null"}},
        {"trainer.strategy.process_group_backend", {"null", "gloo", "nccl"}},
        {"trainer.strategy.timeout", {"null"}},
        {"trainer.strategy.start_method", {"popen"}},
        {"exp_manager.create_early_stopping_callback", {"false"}},
        {"exp_manager.create_ipl_epoch_stopper_callback", {"false"}},
        {"exp_manager.create_straggler_detection_callback", {"false"}},
        {"exp_manager.create_fault_tolerance_callback", {"false"}},
        {"exp_manager.disable_validation_on_resume", {"true"}},
        {"exp_manager.max_time_per_run", {"null"}},
        {"exp_manager.checkpoint_callback_params.filepath", {"null"}},
        {"exp_manager.checkpoint_callback_params.dirpath", {"null"}},
        {"exp_manager.checkpoint_callback_params.save_weights_only", {"null", "false"}},
        {"exp_manager.checkpoint_callback_params.train_time_interval", {"null"}},
        {"exp_manager.checkpoint_callback_params.model_parallel_size", {"null", "1"}},
        {"exp_manager.checkpoint_callback_params.save_last_n_optim_states", {"null", "-1"}},
        {"trainer.strategy.check_reduction", {"false"}},
        {"trainer.strategy.skip_all_reduce_unused_params", {"false"}},
    };
    return table;
}

const std::vector<Supported>& supportedOfDataset() {
    static const std::vector<Supported> table{
        {"is_concat", {"false"}},       {"use_lhotse", {"false"}}, {"use_dali", {"false"}},
        {"trim_silence", {"false"}},    {"augmentor", {"null"}},   {"int_values", {"false"}},
        {"shard_manifests", {"false"}},
    };
    return table;
}

/// NeMo keys that are not in the facts of any class, and why the trainer does not support them either.
struct RefusedKey {
    const char* key;
    fmt::format_string<std::string> why; ///< a sentence about the key
};

const RefusedKey kRefusedKeys[] = {
    {"model.optim.args", "{} is not supported by the trainer yet: write its keys directly below model.optim"},
    {"model.optim_param_groups",
     "{} is not supported by the trainer yet: all parameters have one learning rate and one weight decay"},
    {"model.freeze_updates", "{} is not supported by the trainer yet: the whole model learns from the first step on"},
};

constexpr const char* kOptimClass = "model.optim._target_";

class Support {
public:
    Support(Loaded& loaded, const KeySchema& facts) : m_loaded(loaded), m_facts(facts) {}

    void run() {
        if (isOtherModel() && m_loaded.resolved.child("model"))
            block("model", {"{} is not a NEST recipe (encoder, quantizer, masking, decoder and loss of NeMo's "
                            "EncDecDenoiseMaskedTokenPredModel): not supported by the trainer yet",
                            "model"});
        targets();
        optimizer();
        refusedKeys();
        hydraDefaults();
        for (const auto& rule : supported())
            apply(rule.key, rule);
        for (const char* set : {"model.train_ds", "model.validation_ds"})
            dataset(set);
        strategy();
        monitor();
        attention();
        frontEnd();
        model();
        for (const auto& [key, why] : refusedCheckpointKeys(m_loaded.resolved, m_facts))
            block(key, why);
        notes();
    }

private:
    /// Returns whether both of NEST's own sections are missing. If one exists, targets() names an unknown class.
    bool isOtherModel() const {
        return isForeignModel(m_loaded.resolved, m_facts) && !find(m_loaded.resolved, "model.quantizer") &&
               !find(m_loaded.resolved, "model.masking");
    }

    const Node* given(const std::string& key) const {
        const Node* node = find(m_loaded.resolved, key);
        return node && !node->unresolved && !isMissing(*node) ? node : nullptr;
    }

    bool isOn(const std::string& key, bool otherwise) const {
        const Node* node = given(key);
        return node ? asBool(*node).value_or(otherwise) : otherwise;
    }

    void block(const std::string& key, Message why) {
        const Node* node = find(m_loaded.resolved, key);
        m_loaded.problems.push_back(
            {Problem::Severity::Warning, key, node ? node->at : Position{}, std::move(why), true});
    }

    void blockValue(const std::string& key, std::string_view value, Message takes) {
        block(key, {"{} is {}: not supported by the trainer yet; it takes {}", key, value, std::move(takes)});
    }
    void blockValue(const std::string& key, std::string_view value, MessageList takes) {
        blockValue(key, value, Message("{}", std::move(takes)));
    }

    void apply(const std::string& key, const Supported& rule) {
        const auto value = effectiveNode(m_loaded.resolved, key, m_facts);
        if (!value || value->unresolved || isMissing(*value) || inForeignSection(key))
            return;
        if (value->origin == Origin::Code && std::string_view(rule.key) == "model.optim.name")
            return; // derived from _target_, which optimizer() reports
        const auto same = [&](const char* text) { return sameValue(*value, parseValue(text)); };
        if (std::none_of(rule.values.begin(), rule.values.end(), same))
            blockValue(key, toText(*value), allOf({rule.values.begin(), rule.values.end()}));
    }

    bool inForeignSection(const std::string& key) const {
        const auto dot = key.rfind('.');
        const SectionSpec* spec = m_facts.section(key.substr(0, dot));
        const Node* section = spec ? find(m_loaded.resolved, spec->at) : nullptr;
        return section && section->isMap() && spec->selectorKey != key.substr(dot + 1) &&
               !selectedSpec(m_facts, spec->at, *section);
    }

    void targets() {
        for (const auto& spec : m_facts.sections) {
            const Node* section = spec.selectorKey == "_target_" ? find(m_loaded.resolved, spec.at) : nullptr;
            if (section && section->isMap() && !isSelected(spec, *section))
                blockValue(joinKey(spec.at, "_target_"), section->child("_target_")->text, spec.selectorValue);
        }
    }

    void optimizer() {
        const Node *target = given(kOptimClass), *name = given("model.optim.name");
        if (!target || !name)
            return;
        const std::string known = optimizerOfClass(target->text);
        if (known.empty())
            blockValue(kOptimClass, target->text, anyOf({"torch.optim.AdamW", "torch.optim.Adam", "torch.optim.SGD"}));
        else if (known != name->text)
            block(kOptimClass, {"{} is {} while model.optim.name is {}: NeMo takes the class; remove the name",
                                kOptimClass, target->text, name->text});
    }

    void refusedKeys() {
        for (const auto& [key, why] : kRefusedKeys) {
            const Node* node = given(key);
            const Node* enabled = node && node->isMap() ? node->child("enabled") : nullptr;
            if (node && typeOf(*node) != Type::Null && !(enabled && !asBool(*enabled).value_or(true)))
                block(key, {why, key});
        }
    }

    /// Checks Hydra's defaults list, except for entries that only concern Hydra, such as `_self_` and
    /// `override hydra/launcher: …`.
    void hydraDefaults() {
        const Node* list = given("defaults");
        std::vector<std::string> names;
        for (const Node& item : list && list->isList() ? list->items : std::vector<Node>()) {
            std::string name = item.isMap() && !item.entries.empty() ? item.entries.front().key.text : item.text;
            for (const char* const word : {"override ", "optional ", "/"})
                if (name.starts_with(word))
                    name.erase(0, std::string_view(word).size());
            if (!name.empty() && name != "_self_" && !name.starts_with("hydra/"))
                names.push_back(name);
        }
        if (!names.empty())
            block("defaults", {"{} names {}: Hydra composes a recipe from such files, which are not read here; use the "
                               "output of NeMo's script with --cfg job",
                               "defaults", allOf({names.begin(), names.end()})});
    }

    void strategy() {
        const Node* node = given("trainer.strategy");
        if (!node)
            return;
        const Node* target = node->isMap() ? node->child("_target_") : node;
        if (!target || !target->isScalar())
            return;
        const std::string name = target->text.substr(target->text.rfind('.') + 1);
        static const std::vector<std::string> known{"auto", "ddp", "ddp_find_unused_parameters_false",
                                                    "ddp_find_unused_parameters_true", "DDPStrategy"};
        if (std::find(known.begin(), known.end(), name) == known.end())
            blockValue("trainer.strategy", name, anyOf({"auto", "ddp"}));
        commHook();
    }

    void commHook() {
        const Node* path = given("trainer.strategy.ddp_comm_hook.path");
        if (!path)
            return;
        static const std::vector<std::string> known{"allreduce_hook", "fp16_compress_hook", "bf16_compress_hook",
                                                    "noop_hook"};
        if (std::find(known.begin(), known.end(), path->text.substr(path->text.rfind('.') + 1)) == known.end())
            blockValue("trainer.strategy.ddp_comm_hook", path->text, allOf({known.begin(), known.end()}));
    }

    void dataset(const std::string& set) {
        for (const auto& rule : supportedOfDataset())
            apply(joinKey(set, rule.key), rule);
        const std::string channel = joinKey(set, "channel_selector");
        const Node* node = given(channel);
        const bool one = node && node->isList() && node->items.size() == 1; // NeMo accepts it in place of the number
        if (node && node->isList() && !one)
            block(channel, {"{} is {}: NeMo passes on several channels, but its model takes one; choose one", channel,
                            toText(*node)});
        else if (node && node->kind != Node::Kind::Null && node->text != "average" &&
                 asInt(one ? node->items[0] : *node).value_or(-1) < 0)
            blockValue(channel, toText(*node), Message("null, average or a channel number starting at 0"));
        if (isOn(joinKey(set, "is_tarred"), false) && !isOn("trainer.use_distributed_sampler", true))
            block("trainer.use_distributed_sampler",
                  {"{} is false: not supported by the trainer yet with is_tarred; tarred sets are sharded by rank",
                   "trainer.use_distributed_sampler"});
    }

    void monitor() {
        constexpr const char* kMonitor = "exp_manager.checkpoint_callback_params.monitor";
        const Node* node = given(kMonitor);
        if (!node || typeOf(*node) == Type::Null)
            return;
        const Node* section = given("model.validation_ds");
        auto names = validationLossNames(section && section->isMap() ? validationSetNames(*section)
                                                                     : std::vector<std::string>());
        names.emplace_back("train_loss");
        if (!node->isScalar() || std::find(names.begin(), names.end(), node->text) == names.end()) {
            names.insert(names.begin(), "null");
            blockValue(kMonitor, toText(*node), allOf({names.begin(), names.end()}));
        }
    }

    void attention() {
        const Node* context = given("model.encoder.att_context_size");
        if (context && context->isList() && context->items.size() > 1 && context->items[0].isList())
            block("model.encoder.att_context_size",
                  {"{} names several contexts: not supported by the trainer yet; it takes one",
                   "model.encoder.att_context_size"});
    }

    void frontEnd() {
        const Node* normalize = given("model.preprocessor.normalize");
        if (normalize && normalize->isMap())
            block("model.preprocessor.normalize",
                  {"{} is a section (fixed_mean, fixed_std): not supported by the trainer yet; it takes "
                   "per_feature, all_features or null",
                   "model.preprocessor.normalize"});
    }

    /// Reports what the model would refuse when a rank builds it, before the launch and with its position.
    void model() {
        const auto spoilt = [](const Problem& p) {
            const bool data = p.key.starts_with("model.train_ds") || p.key.starts_with("model.validation_ds");
            return p.severity == Problem::Severity::Error && !data && (p.key.empty() || p.key.starts_with("model"));
        };
        const auto& problems = m_loaded.problems;
        const Node* section = m_loaded.resolved.child("model");
        if (!section || !section->isMap() || isForeignModel(m_loaded.resolved, m_facts) ||
            std::any_of(problems.begin(), problems.end(), spoilt))
            return;
        for (const auto& p : modelProblems(readModelConfig(m_loaded.resolved, m_facts))) {
            const std::string key = joinKey("model", p.key);
            const auto told = [&](const Problem& other) { return other.key == key && other.blocksLaunch; };
            if (std::none_of(problems.begin(), problems.end(), told))
                block(key, {"{} is {}: not supported by the trainer yet ({})", key, p.value, p.need});
        }
    }

    void note(const std::string& key, Message text) {
        const Node* node = find(m_loaded.resolved, key);
        m_loaded.problems.push_back({Problem::Severity::Info, key, node ? node->at : Position{}, std::move(text)});
    }

    void bucketsWithoutEffect(const std::string& set) {
        const Node* section = given(set);
        if (!section || !section->isMap() || Reader(*section).pathLists("manifest_filepath").size() > 1)
            return;
        for (const char* name : {"bucketing_batch_size", "bucketing_weights"})
            if (Reader(*section).child(name))
                note(joinKey(set, name),
                     {"{} has no effect, as in NeMo: manifest_filepath is not a list of lists (one per bucket)",
                      joinKey(set, name)});
    }

    /// Notes a key that differs from its default although the key that would enable it is off.
    void reportIgnored(const char* key, const char* switchedBy, const char* off) {
        const Node* node = given(key);
        const KeySpec* spec = keySpec(m_loaded.resolved, key, m_facts);
        const auto other = effectiveNode(m_loaded.resolved, switchedBy, m_facts);
        if (node && spec && spec->code && other && sameValue(*other, parseValue(off)) &&
            !sameValue(*node, parseValue(*spec->code)))
            note(key, {"{} has no effect, as in NeMo: {} is {}", key, switchedBy, off});
    }

    void reportIgnoredKeys() {
        reportIgnored("model.preprocessor.nb_max_freq", "model.preprocessor.nb_augmentation_prob", "0.0");
        reportIgnored("model.encoder.global_tokens_spacing", "model.encoder.global_tokens", "0");
        reportIgnored("model.encoder.reduction", "model.encoder.reduction_factor", "1");
        reportIgnored("model.encoder.reduction_factor", "model.encoder.reduction", "null");
        reportIgnored("model.encoder.reduction_position", "model.encoder.reduction", "null");
        const Node* backends = given("model.encoder.use_pytorch_sdpa_backends");
        if (isOn("model.encoder.use_pytorch_sdpa", false))
            note("model.encoder.use_pytorch_sdpa", "model.encoder.use_pytorch_sdpa changes how NeMo computes "
                                                   "attention, not the result; it has no effect here");
        if (backends && typeOf(*backends) != Type::Null)
            note("model.encoder.use_pytorch_sdpa_backends",
                 "model.encoder.use_pytorch_sdpa_backends selects kernels for NeMo's attention; it has no effect here");
    }

    /// Notes keys of NeMo's other datasets and of torch's DataLoader, which NEST's dataset never reads.
    void datasetWithoutEffect(const std::string& set) {
        constexpr const char* kNeverRead[] = {"use_start_end_token",
                                              "labels",
                                              "parser",
                                              "normalize_transcripts",
                                              "cache_audio",
                                              "max_utts",
                                              "is_speech",
                                              "return_sample_id",
                                              "defer_setup",
                                              "persistent_workers",
                                              "timeout"};
        for (const char* name : kNeverRead) {
            const std::string key = joinKey(set, name);
            const Node* node = given(key);
            const auto off = [&](const char* text) { return sameValue(*node, parseValue(text)); };
            if (node && !off("null") && !off("false") && !off("0"))
                note(key, {"{} has no effect, as in NeMo: NEST's data sets do not read it", key});
        }
        const Node* section = given(set);
        if (!section || !section->isMap() || Reader(*section).boolean("is_tarred", false))
            return;
        for (const char* name : {"tarred_audio_filepaths", "tarred_shard_strategy"})
            if (Reader(*section).child(name))
                note(joinKey(set, name), {"{} has no effect, as in NeMo: is_tarred is false", joinKey(set, name)});
    }

    /// Notes keys that NeMo 3.0.0 accepts but does not use when NEST is trained.
    void idleInNewNemo() {
        if (m_facts.nemoVersion != toText(NemoVersion::V3_0_0))
            return;
        const Node* style = given("model.encoder.att_context_style");
        if (style && style->text == "chunked_limited_with_rc")
            note("model.encoder.att_context_style",
                 "model.encoder.att_context_style chunked_limited_with_rc has no effect in training, as in NeMo: "
                 "att_context_size and att_chunk_context_size are ignored, and every frame sees all others");
        const Node* convolution = given("model.encoder.conv_context_style");
        if (convolution && convolution->text == "dcc")
            note("model.encoder.conv_context_style",
                 "model.encoder.conv_context_style has no effect, as in NeMo: no module reads it");
        const Node* ratio = given("model.masking.max_mask_ratio");
        if (ratio && asDouble(*ratio) != 0.8)
            note("model.masking.max_mask_ratio",
                 "model.masking.max_mask_ratio has no effect, as in NeMo 3.0.0: short audio is not a special case "
                 "there");
    }

    void unshuffled() {
        if (!isOn("model.train_ds.shuffle", true) && !isOn("model.train_ds.is_tarred", false) &&
            isOn("trainer.use_distributed_sampler", true))
            note("model.train_ds.shuffle",
                 "model.train_ds.shuffle: false has an effect only on one rank with trainer.strategy: auto; with "
                 "several ranks or a DDP strategy Lightning's DistributedSampler shuffles, as in NeMo");
    }

    void notes() {
        if (given("exp_manager"))
            note("exp_manager",
                 "only the checkpoint and resume keys of exp_manager are used; output goes to the run folder, not to "
                 "exp_dir");
        if (isForeignModel(m_loaded.resolved, m_facts))
            return;
        for (const std::string set : {"model.train_ds", "model.validation_ds"}) {
            bucketsWithoutEffect(set);
            datasetWithoutEffect(set);
        }
        reportIgnoredKeys();
        idleInNewNemo();
        unshuffled();
        const auto freq = given("model.spec_augment.freq_masks"), time = given("model.spec_augment.time_masks");
        if ((freq && asInt(*freq).value_or(0) > 0) || (time && asInt(*time).value_or(0) > 0))
            note("model.spec_augment",
                 "model.spec_augment is built but never called by this model, as in NeMo: only masking hides frames");
    }

    Loaded& m_loaded;
    const KeySchema& m_facts;
};

} // namespace

bool isReportedBySupport(const std::string& key) {
    return key == kOptimClass || std::any_of(std::begin(kRefusedKeys), std::end(kRefusedKeys),
                                             [&](const RefusedKey& r) { return key == r.key; });
}

void checkSupport(Loaded& loaded, const KeySchema& facts) {
    Support(loaded, facts).run();
}

} // namespace rankscope::config
