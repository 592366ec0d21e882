// SPDX-License-Identifier: Apache-2.0
#include "core/config/check/cross_key_check.h"

#include "core/config/check/dataset_check.h"
#include "core/config/yaml/duration.h"
#include "core/config/yaml/scalar.h"

#include <fmt/format.h>

#include <cmath>

namespace rankscope::config {
namespace {

class Contradictions {
public:
    Contradictions(const Node& root, const Facts& facts, std::vector<Problem>& problems)
        : m_root(root), m_facts(facts), m_problems(problems) {}

    void run() {
        const bool postConv = textOf("model.mask_position") == "post_conv";
        divides();
        // frame_splicing stacks features: the model check knows the product
        if (number("model.preprocessor.frame_splicing").value_or(1) == 1)
            equal("model.encoder.feat_in", "model.preprocessor.features");
        equal("model.decoder.num_classes", "model.quantizer.num_classes");
        equal("model.decoder.num_decoders", "model.quantizer.num_books");
        equal("model.loss.num_decoders", "model.decoder.num_decoders");
        if (number("model.encoder.feat_out").value_or(-1) <= 0)
            equal("model.decoder.feat_in", "model.encoder.d_model");
        if (!postConv) { // with post_conv NeMo sets these itself
            if (number("model.preprocessor.frame_splicing").value_or(1) == 1) {
                equal("model.masking.feat_in", "model.preprocessor.features");
                equal("model.quantizer.feat_in", "model.preprocessor.features");
            }
            if (textOf("model.encoder.reduction").empty() || textOf("model.encoder.reduction") == "null") {
                equal("model.quantizer.combine_time_steps", "model.encoder.subsampling_factor");
                equal("model.loss.combine_time_steps", "model.encoder.subsampling_factor");
            }
        }
        equal("model.preprocessor.sample_rate", "model.train_ds.sample_rate");
        equal("model.validation_ds.sample_rate", "model.train_ds.sample_rate");
        for (const char* set : {"model.train_ds", "model.validation_ds"})
            ordered(set);
        chunkContext();
        optimizer();
        validationInterval();
        timeLimit();
    }

private:
    std::optional<double> number(const std::string& key) const {
        const auto node = effectiveNode(m_root, key, m_facts);
        return node && !node->unresolved && !isMissing(*node) ? asDouble(*node) : std::nullopt;
    }
    std::string textOf(const std::string& key) const {
        const auto node = effectiveNode(m_root, key, m_facts);
        return node && node->isScalar() ? node->text : "";
    }
    void report(const std::string& key, const std::string& why) {
        const Node* node = find(m_root, key);
        m_problems.push_back({Problem::Severity::Error, key, node ? node->at : Position{}, key + " " + why});
    }

    /// `at` is where it is told; both stand in the file or have a default.
    void equal(const std::string& at, const std::string& other) {
        const auto a = number(at), b = number(other);
        if (a && b && *a != *b)
            report(at, fmt::format("is {}, must equal {}, which is {}", *a, other, *b));
    }

    void divides() {
        const auto model = number("model.encoder.d_model"), heads = number("model.encoder.n_heads");
        if (model && heads && *heads >= 1 && std::fmod(*model, *heads) != 0)
            report("model.encoder.n_heads",
                   fmt::format("is {}, must divide model.encoder.d_model, which is {}", *heads, *model));
        const auto kernel = number("model.encoder.conv_kernel_size");
        if (kernel && std::fmod(*kernel, 2) == 0)
            report("model.encoder.conv_kernel_size", fmt::format("is {}, must be odd", *kernel));
    }

    void timeLimit() {
        const auto limit = effectiveNode(m_root, "trainer.max_time", m_facts);
        if (limit && typeOf(*limit) != Type::Null && !limit->unresolved && !isMissing(*limit) && !secondsOf(*limit))
            report("trainer.max_time", "must be DD:HH:MM:SS, or a map of days, hours, minutes and seconds");
    }

    /// Lightning refuses a share of an epoch where batches are counted across epochs.
    void validationInterval() {
        const auto epochs = effectiveNode(m_root, "trainer.check_val_every_n_epoch", m_facts);
        const auto interval = effectiveNode(m_root, "trainer.val_check_interval", m_facts);
        const Node* manifest = find(m_root, "model.validation_ds.manifest_filepath");
        if (!manifest || isMissing(*manifest) || typeOf(*manifest) == Type::Null)
            return;
        if (epochs && typeOf(*epochs) == Type::Null && interval && typeOf(*interval) != Type::Int)
            report("trainer.val_check_interval",
                   fmt::format(
                       "is {}, must be a number of batches (an integer) where trainer.check_val_every_n_epoch is null",
                       typeOf(*interval) == Type::Null ? "1.0" : toText(*interval)));
    }

    void ordered(const std::string& set) {
        const std::string mix = set + ".batch_augmentor.";
        atMost(set + ".min_duration", set + ".max_duration");
        for (const char* name : {"r_speech", "r_noise", "mix_rate", "num_segments", "num_speakers"})
            atMost(mix + "min_" + name, mix + "max_" + name);
    }

    void chunkContext() {
        static const std::string key = "model.encoder.att_chunk_context_size";
        const Node* chunks = find(m_root, key);
        if (!chunks || !chunks->isList())
            return;
        if (chunks->items.size() != 3)
            report(key, fmt::format("is {}, must be [left, chunk, right]: a list of sizes each", toText(*chunks)));
        else if (textOf("model.encoder.att_context_style") != "chunked_limited_with_rc")
            report(key, "is only for att_context_style chunked_limited_with_rc");
    }

    void optimizer() {
        const std::string sched = "model.optim.sched.", name = textOf("model.optim.sched.name");
        for (const std::string part : {"warmup", "hold", "constant"})
            if (number(sched + part + "_steps") && number(sched + part + "_ratio"))
                report(sched + part + "_ratio", fmt::format("stands beside {}{}_steps: give one of the two, the other "
                                                            "is null",
                                                            sched, part));
        if (name == "NoamAnnealing" || name == "CosineAnnealing")
            atMost(sched + "min_lr", "model.optim.lr");
        const auto warmup = number(sched + "warmup_steps");
        if (name == "NoamHoldAnnealing" && warmup.value_or(0) == 0 && !number(sched + "warmup_ratio"))
            report(sched + "warmup_steps", "is needed by NoamHoldAnnealing: give at least one");
        const auto nesterov = effectiveNode(m_root, "model.optim.nesterov", m_facts);
        if (nesterov && asBool(*nesterov).value_or(false) &&
            (number("model.optim.momentum").value_or(0) == 0 || number("model.optim.dampening").value_or(0) != 0))
            report("model.optim.nesterov", "needs a model.optim.momentum above 0 and no dampening");
    }

    void atMost(const std::string& low, const std::string& high) {
        const auto a = number(low), b = number(high);
        if (a && b && *a > *b)
            report(low, fmt::format("is {}, must not be above {}, which is {}", *a, high, *b));
    }

    const Node& m_root;
    const Facts& m_facts;
    std::vector<Problem>& m_problems;
};

} // namespace

void checkContradictions(const Node& root, const Facts& facts, std::vector<Problem>& problems) {
    Contradictions(root, facts, problems).run();
    checkDatasets(root, problems);
}

} // namespace rankscope::config
