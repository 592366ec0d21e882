// SPDX-License-Identifier: Apache-2.0
#include "core/config/hydra/nemo_injection.h"

#include "core/config/yaml/scalar.h"

namespace rankscope::config {
namespace {

bool isGiven(const Node* node) {
    return node && !node->unresolved && typeOf(*node) != Type::Null && !isMissing(*node);
}

void injectNode(Node& section, const char* name, Node value) {
    Entry entry{Node::plain(name), std::move(value)};
    entry.value.at = {};
    entry.value.origin = Origin::Code;
    section.entries.push_back(std::move(entry));
}

void injectSampleRate(Node& model, const char* set) {
    Node* section = model.child(set);
    const Node* rate = model.child("sample_rate");
    if (!section || !section->isMap() || !isGiven(rate))
        return;
    Node* own = section->child("sample_rate");
    if (!own)
        injectNode(*section, "sample_rate", Node(*rate));
    else if (typeOf(*own) == Type::Null)
        own->kind = rate->kind, own->text = rate->text;
}

void injectOptimizer(Node& model) {
    Node* optim = model.child("optim");
    if (!optim || !optim->isMap() || optim->child("name"))
        return;
    const Node* target = optim->child("_target_");
    const std::string known = isGiven(target) ? optimizerOfClass(target->text) : "adam";
    injectNode(*optim, "name", Node::string(known.empty() ? target->text : known)); // an unknown class stays unknown
}

} // namespace

std::string optimizerOfClass(const std::string& target) {
    for (const char* const name : {"Adam", "AdamW", "SGD"})
        for (const char* const module : {"", "adam.", "adamw.", "sgd."})
            if (target == std::string("torch.optim.") + module + name)
                return name == std::string("Adam") ? "adam" : name == std::string("AdamW") ? "adamw" : "sgd";
    return {};
}

void injectAsNemo(Node& root) {
    Node* model = root.child("model");
    if (!model || !model->isMap())
        return;
    injectOptimizer(*model);
    injectSampleRate(*model, "train_ds");
    injectSampleRate(*model, "validation_ds");
}

} // namespace rankscope::config
