// SPDX-License-Identifier: Apache-2.0
#include "core/config/check/cross_key_check.h"

#include "core/config/hydra/brace_expansion.h"
#include "core/config/recipe/reader.h"
#include "core/config/recipe/validation_sets.h"
#include "core/config/schema/key_lookup.h"
#include "core/config/yaml/scalar.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace rankscope::config {
namespace {

class Contradictions {
public:
    Contradictions(const Node& root, const KeySchema& facts, std::vector<Problem>& problems)
        : m_root(root), m_facts(facts), m_problems(problems) {}

    void run() {
        const bool postConv = textOf("model.mask_position") == "post_conv";
        divides();
        // frame_splicing stacks features: the model check uses the product
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
        attentionContext();
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
    void report(const std::string& key, Message text) {
        const Node* node = find(m_root, key);
        m_problems.push_back({Problem::Severity::Error, key, node ? node->at : Position{}, std::move(text)});
    }

    /// Requires two equal numbers; a difference is reported at `at`. Both keys are in the file or have a default.
    void equal(const std::string& at, const std::string& other) {
        const auto a = number(at), b = number(other);
        if (a && b && *a != *b)
            report(at, {"{} is {}, must equal {}, which is {}", at, *a, other, *b});
    }

    void divides() {
        const auto model = number("model.encoder.d_model"), heads = number("model.encoder.n_heads");
        if (model && heads && *heads >= 1 && std::fmod(*model, *heads) != 0)
            report("model.encoder.n_heads", {"{} is {}, must divide {}, which is {}", "model.encoder.n_heads", *heads,
                                             "model.encoder.d_model", *model});
        const auto kernel = number("model.encoder.conv_kernel_size");
        if (kernel && std::fmod(*kernel, 2) == 0)
            report("model.encoder.conv_kernel_size",
                   {"{} is {}, must be odd", "model.encoder.conv_kernel_size", *kernel});
    }

    void timeLimit() {
        const auto limit = effectiveNode(m_root, "trainer.max_time", m_facts);
        if (limit && typeOf(*limit) != Type::Null && !limit->unresolved && !isMissing(*limit) && !secondsOf(*limit))
            report("trainer.max_time",
                   {"{} must be DD:HH:MM:SS, or a map of days, hours, minutes and seconds", "trainer.max_time"});
    }

    /// Lightning refuses a share of an epoch if batches are counted across epochs.
    void validationInterval() {
        const auto epochs = effectiveNode(m_root, "trainer.check_val_every_n_epoch", m_facts);
        const auto interval = effectiveNode(m_root, "trainer.val_check_interval", m_facts);
        const Node* manifest = find(m_root, "model.validation_ds.manifest_filepath");
        if (!manifest || isMissing(*manifest) || typeOf(*manifest) == Type::Null)
            return;
        if (epochs && typeOf(*epochs) == Type::Null && interval && typeOf(*interval) != Type::Int)
            report("trainer.val_check_interval",
                   {"{} is {}, must be a number of batches (an integer) where trainer.check_val_every_n_epoch is null",
                    "trainer.val_check_interval", typeOf(*interval) == Type::Null ? "1.0" : toText(*interval)});
    }

    void ordered(const std::string& set) {
        const std::string mix = set + ".batch_augmentor.";
        atMost(set + ".min_duration", set + ".max_duration");
        for (const char* name : {"r_speech", "r_noise", "mix_rate", "num_segments", "num_speakers"})
            atMost(mix + "min_" + name, mix + "max_" + name);
    }

    void attentionContext() {
        static const std::string key = "model.encoder.att_context_size";
        const Node* size = find(m_root, key);
        if (!size || !size->isList() || textOf("model.encoder.att_context_style") == "chunked_limited_with_rc")
            return;
        const auto hasChunk = [](const Node& n) { return n.items.size() == 3 && !n.items.front().isList(); };
        if (hasChunk(*size) || std::any_of(size->items.begin(), size->items.end(), hasChunk))
            report(key, {"{} is {}, but must be [left, right] in frames, -1 for all", key, toText(*size)});
    }

    void chunkContext() {
        static const std::string key = "model.encoder.att_chunk_context_size";
        const Node* chunks = find(m_root, key);
        if (!chunks || !chunks->isList())
            return;
        if (chunks->items.size() != 3)
            report(key, {"{} is {}, but must be [left, chunk, right], each a list of sizes", key, toText(*chunks)});
        else if (textOf("model.encoder.att_context_style") != "chunked_limited_with_rc")
            report(key, {"{} is only for att_context_style chunked_limited_with_rc", key});
    }

    void optimizer() {
        const std::string sched = "model.optim.sched.", name = textOf("model.optim.sched.name");
        for (const std::string part : {"warmup", "hold", "constant"})
            if (number(sched + part + "_steps") && number(sched + part + "_ratio"))
                report(sched + part + "_ratio", {"{} and {} are both set: set only one, and leave the other null",
                                                 sched + part + "_ratio", sched + part + "_steps"});
        if (name == "NoamAnnealing" || name == "CosineAnnealing")
            atMost(sched + "min_lr", "model.optim.lr");
        const auto warmup = number(sched + "warmup_steps");
        if (name == "NoamHoldAnnealing" && warmup.value_or(0) == 0 && !number(sched + "warmup_ratio"))
            report(sched + "warmup_steps",
                   {"{} is needed by NoamHoldAnnealing: give at least one", sched + "warmup_steps"});
        const auto nesterov = effectiveNode(m_root, "model.optim.nesterov", m_facts);
        if (nesterov && asBool(*nesterov).value_or(false) &&
            (number("model.optim.momentum").value_or(0) == 0 || number("model.optim.dampening").value_or(0) != 0))
            report("model.optim.nesterov",
                   {"{} needs a model.optim.momentum above 0 and no dampening", "model.optim.nesterov"});
    }

    void atMost(const std::string& low, const std::string& high) {
        const auto a = number(low), b = number(high);
        if (a && b && *a > *b)
            report(low, {"{} is {}, must not be above {}, which is {}", low, *a, high, *b});
    }

    const Node& m_root;
    const KeySchema& m_facts;
    std::vector<Problem>& m_problems;
};

bool unresolved(const Node& node) {
    return node.unresolved || std::ranges::any_of(node.items, unresolved);
}

/// Returns whether every item is an integer of at least 1 that fits into an int.
bool positiveIntegers(const Node& list) {
    return std::ranges::all_of(list.items, [](const Node& item) {
        const auto value = asInt(item);
        return value && *value >= 1 && *value <= std::numeric_limits<int>::max();
    });
}

/// Checks that the keys of one dataset fit together: buckets, their sizes and weights, shards.
class DatasetCheck {
public:
    DatasetCheck(std::string at, const Node& section, std::vector<Problem>& problems)
        : m_at(std::move(at)), m_section(section), m_reader(section), m_problems(problems) {}

    void run() {
        for (const auto& entry : m_section.entries)
            if (unresolved(entry.value))
                return; // the interpolation is reported when it is resolved; nothing can be counted here
        mixedList("manifest_filepath");
        const std::size_t manifests = m_reader.pathLists("manifest_filepath").size();
        if (manifests == 0)
            return;
        if (m_at == "model.validation_ds")
            validationSets();
        if (m_reader.boolean("is_tarred", false))
            tarred(manifests);
        weights(manifests);
        if (manifests > 1)
            batchSizes(manifests);
    }

private:
    /// `text`: a sentence about `key`, which is in this section.
    void report(const std::string& key, Message text, Problem::Severity severity = Problem::Severity::Error) {
        const Node* node = m_section.child(key.substr(m_at.size() + 1));
        m_problems.push_back({severity, key, node ? node->at : m_section.at, std::move(text)});
    }
    std::string keyOf(const std::string& name) const { return joinKey(m_at, name); }

    void mixedList(const char* name) {
        const Node* node = m_reader.child(name);
        if (!node || !node->isList())
            return;
        const auto lists = std::ranges::count_if(node->items, [](const Node& n) { return n.isList(); });
        if (lists > 0 && lists < static_cast<std::ptrdiff_t>(node->items.size()))
            report(keyOf(name), {"{} mixes paths and lists: write a list of paths, or a list of lists (one per bucket)",
                                 keyOf(name)});
    }

    void validationSets() {
        const auto names = validationSetNames(m_section);
        const std::int64_t count = std::ssize(m_reader.paths("manifest_filepath")),
                           index = m_reader.integer64("val_dl_idx", 0);
        if (names.empty() ? index > 0 : index >= count)
            report(
                keyOf("val_dl_idx"),
                names.empty() || count == 1
                    ? Message("{} is {}, but there is one validation set (numbered from 0)", keyOf("val_dl_idx"), index)
                    : Message("{} is {}, but there are {} sets (numbered from 0)", keyOf("val_dl_idx"), index, count));
        if (!names.empty() && std::ssize(names) != count)
            report(keyOf("name"),
                   {"{} has {} items, but manifest_filepath has {} manifests", keyOf("name"), names.size(), count});
        const std::string key = keyOf(m_reader.child("name") ? "name" : "manifest_filepath");
        for (const std::string& name : names)
            if (name.empty())
                return report(key, {"{} leaves no name for a validation set: NeMo names it after the file, without "
                                    "\"manifest\" and \"dataset\"",
                                    key});
            else if (std::ranges::count(names, name) > 1)
                return report(key,
                              {"{} gives two validation sets the name {}: only the loss of the later one is kept under "
                               "it, as in NeMo",
                               key, name},
                              Problem::Severity::Warning);
    }

    void tarred(std::size_t manifests) {
        mixedList("tarred_audio_filepaths");
        const PathLists shards = m_reader.pathLists("tarred_audio_filepaths");
        const std::string key = keyOf("tarred_audio_filepaths");
        if (shards.empty())
            return report(key, {"{} is empty, but is_tarred is true: list the tar files", key});
        if (shards.size() != manifests)
            report(key, {"{} has {} buckets, but manifest_filepath has {}: each bucket needs its manifests and its tar "
                         "files",
                         key, shards.size(), manifests});
        for (const char* name : {"manifest_filepath", "tarred_audio_filepaths"})
            for (const std::string& pattern : m_reader.paths(name))
                if (const auto names = expandBraces(pattern); !names)
                    report(keyOf(name), {"{} {}: {}", keyOf(name), names.error().what, names.error().where});
    }

    void weights(std::size_t manifests) {
        const Node* node = m_reader.child("bucketing_weights");
        if (!node || !node->isList())
            return;
        const std::string key = keyOf("bucketing_weights");
        if (!positiveIntegers(*node))
            report(key, {"{} must be integers of 1 or more", key});
        else if (node->items.size() != manifests)
            report(key, {"{} has {} items, but manifest_filepath has {} buckets", key, node->items.size(), manifests});
    }

    void batchSizes(std::size_t manifests) {
        const Node* node = m_reader.child("bucketing_batch_size");
        if (!node)
            return;
        const std::string key = keyOf("bucketing_batch_size");
        if (const int size = m_reader.integer("batch_size", 1); size != 1)
            report(key, {"{} sets the batch sizes, so batch_size must be 1, but it is {}", key, size});
        if (!node->isList()) {
            if (asInt(*node).value_or(0) < 1)
                report(key, {"{} is {}, expected 1 or more", key, toText(*node)});
        } else if (!positiveIntegers(*node)) {
            report(key, {"{} must contain integers of 1 or more", key});
        } else if (node->items.size() != manifests) {
            report(key, {"{} has {} items, but manifest_filepath has {} buckets", key, node->items.size(), manifests});
        }
    }

    std::string m_at;
    const Node& m_section;
    Reader m_reader;
    std::vector<Problem>& m_problems;
};

} // namespace

void checkContradictions(const Node& root, const KeySchema& facts, std::vector<Problem>& problems) {
    Contradictions(root, facts, problems).run();
    for (const char* at : {"model.train_ds", "model.validation_ds"})
        if (const Node* section = find(root, at); section && section->isMap())
            DatasetCheck(at, *section, problems).run();
}

} // namespace rankscope::config
