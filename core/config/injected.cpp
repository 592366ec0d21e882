// SPDX-License-Identifier: Apache-2.0
#include "core/config/injected.h"

#include "core/config/scalar.h"

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

} // namespace

void injectAsNemo(Node& root) {
    Node* model = root.child("model");
    if (!model || !model->isMap())
        return;
    injectSampleRate(*model, "train_ds");
    injectSampleRate(*model, "validation_ds");
}

} // namespace rankscope::config
