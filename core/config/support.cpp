// SPDX-License-Identifier: Apache-2.0
#include "core/config/support.h"

#include "core/config/recipe_reader.h"
#include "core/config/scalar.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::config {
namespace {

/// The values of a key that the trainer takes, as YAML; the list of a key that is only supported at its default holds
/// that default. A key that is absent from the file is fine when its default is listed.
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
        {"model.preprocessor.window", {"hann", "hamming", "blackman", "bartlett"}},
        {"model.masking.mask_value", {"null"}},
        {"model.quantizer.time_ahead", {"false"}},
        {"model.encoder.subsampling", {"dw_striding", "striding"}},
        {"model.encoder.subsampling_conv_chunking_factor", {"1"}},
        {"model.encoder.reduction", {"null"}},
        {"model.encoder.self_attention_model", {"rel_pos"}},
        {"model.encoder.att_context_probs", {"null"}},
        {"model.encoder.conv_norm_type", {"batch_norm", "layer_norm"}},
        {"model.encoder.global_tokens", {"0"}},
        {"model.encoder.use_pytorch_sdpa", {"false"}},
        {"model.optim.name", {"adamw", "adam", "sgd"}},
        {"model.optim.sched.name",
         {"NoamAnnealing", "NoamHoldAnnealing", "CosineAnnealing", "WarmupAnnealing", "WarmupPolicy",
          "WarmupHoldPolicy", "WarmupHoldAnnealLinear", "WarmupHoldAnnealOneMinusSquareRoot", "SquareAnnealing",
          "SquareRootAnnealing", "InverseSquareRootAnnealing", "T5InverseSquareRootAnnealing",
          "PolynomialDecayAnnealing", "PolynomialHoldDecayAnnealing"}},
        {"model.optim.sched.last_epoch", {"-1"}},
        {"trainer.precision", {"null", "32", "\"32\"", "32-true"}},
        {"trainer.accelerator", {"auto", "cpu", "gpu", "cuda"}},
        {"trainer.fast_dev_run", {"false", "0"}},
        {"trainer.overfit_batches", {"0.0"}},
        {"trainer.callbacks", {"null", "[]"}},
        {"trainer.plugins", {"null", "[]"}},
        {"trainer.profiler", {"null"}},
        {"trainer.deterministic", {"null", "false"}},
        {"trainer.detect_anomaly", {"null", "false"}},
        {"trainer.barebones", {"false"}},
        {"trainer.reload_dataloaders_every_n_epochs", {"0"}},
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

class Support {
public:
    Support(Loaded& loaded, const Facts& facts) : m_loaded(loaded), m_facts(facts) {}

    void run() {
        if (isForeignModel(m_loaded.resolved, m_facts) && m_loaded.resolved.child("model"))
            block("model", "is no NEST recipe (encoder, quantizer, masking, decoder and loss of NeMo's "
                           "EncDecDenoiseMaskedTokenPredModel): not supported by the trainer yet");
        targets();
        for (const auto& rule : supported())
            apply(rule.key, rule);
        for (const char* set : {"model.train_ds", "model.validation_ds"})
            dataset(set);
        strategy();
        attention();
        notes();
    }

private:
    const Node* given(const std::string& key) const {
        const Node* node = find(m_loaded.resolved, key);
        return node && !node->unresolved && !isMissing(*node) ? node : nullptr;
    }

    void block(const std::string& key, const std::string& why) {
        const Node* node = find(m_loaded.resolved, key);
        m_loaded.problems.push_back(
            {Problem::Severity::Warning, key, node ? node->at : Position{}, key + " " + why, true});
    }

    void apply(const std::string& key, const Supported& rule) {
        const auto value = effectiveNode(m_loaded.resolved, key, m_facts);
        if (!value || value->unresolved || isMissing(*value) || inForeignSection(key))
            return;
        const auto same = [&](const char* text) { return sameValue(*value, nodeOfText(text)); };
        if (std::none_of(rule.values.begin(), rule.values.end(), same))
            block(key, fmt::format("is {}: not supported by the trainer yet; it takes {}", toText(*value),
                                   fmt::join(rule.values, ", ")));
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
                block(joinKey(spec.at, "_target_"), fmt::format("is {}: not supported by the trainer yet; it takes {}",
                                                                section->child("_target_")->text, spec.selectorValue));
        }
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
            block("trainer.strategy",
                  fmt::format("is {}: not supported by the trainer yet; it takes auto or ddp", name));
    }

    void dataset(const std::string& set) {
        for (const auto& rule : supportedOfDataset())
            apply(joinKey(set, rule.key), rule);
        const std::string channel = joinKey(set, "channel_selector");
        if (const Node* node = given(channel);
            node && node->kind != Node::Kind::Null && node->text != "average" && asInt(*node).value_or(-1) < 0)
            block(channel, fmt::format("is {}: not supported by the trainer yet; it takes null, average or the number "
                                       "of a channel from 0 on",
                                       toText(*node)));
        const Node* sampler = given("trainer.use_distributed_sampler");
        const Node* tarred = given(joinKey(set, "is_tarred"));
        if (tarred && asBool(*tarred).value_or(false) && sampler && !asBool(*sampler).value_or(true))
            block("trainer.use_distributed_sampler",
                  "is false: not supported by the trainer yet with is_tarred; tarred sets are sharded by rank");
    }

    void attention() {
        const Node* context = given("model.encoder.att_context_size");
        if (context && context->isList() && !context->items.empty() && context->items[0].isList())
            block("model.encoder.att_context_size",
                  "names several contexts: not supported by the trainer yet; it takes one");
    }

    void note(const std::string& key, const std::string& text) {
        const Node* node = find(m_loaded.resolved, key);
        m_loaded.problems.push_back({Problem::Severity::Info, key, node ? node->at : Position{}, text});
    }

    void bucketsWithoutEffect(const std::string& set) {
        const Node* section = given(set);
        if (!section || !section->isMap() || Reader(*section).pathLists("manifest_filepath").size() > 1)
            return;
        for (const char* name : {"bucketing_batch_size", "bucketing_weights"})
            if (Reader(*section).child(name))
                note(joinKey(set, name), joinKey(set, name) +
                                             " has no effect, in NeMo neither: manifest_filepath is no "
                                             "list of lists (a bucket each)");
    }

    void notes() {
        if (given("exp_manager"))
            note("exp_manager", "exp_manager is NeMo's: Rankscope keeps each run in a folder of its own");
        if (isForeignModel(m_loaded.resolved, m_facts))
            return;
        for (const std::string set : {"model.train_ds", "model.validation_ds"})
            bucketsWithoutEffect(set);
        const auto freq = given("model.spec_augment.freq_masks"), time = given("model.spec_augment.time_masks");
        if ((freq && asInt(*freq).value_or(0) > 0) || (time && asInt(*time).value_or(0) > 0))
            note("model.spec_augment",
                 "model.spec_augment is built but never called by this model, in NeMo neither: masking "
                 "alone hides frames");
    }

    Loaded& m_loaded;
    const Facts& m_facts;
};

} // namespace

void checkSupport(Loaded& loaded, const Facts& facts) {
    Support(loaded, facts).run();
}

} // namespace rankscope::config
