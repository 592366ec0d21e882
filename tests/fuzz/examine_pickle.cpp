// SPDX-License-Identifier: Apache-2.0
// data.pkl of a checkpoint.
#include "core/trainer/formats/pickle/pickle.h"
#include "core/trainer/formats/pickle/pickled_state.h"
#include "tests/fuzz/target.h"

#include <algorithm>

namespace rankscope::fuzz {

using namespace trainer;

namespace {

__extension__ using Wide = __int128;

/// Checks, as LibTorch will assume, that every element of the view is inside the storage.
void isInside(const TensorSpec& t) {
    require(t.shape.size() == t.strides.size() && t.shape.size() <= pickle::kMaxDimensions, "sizes without strides");
    require(t.offset >= 0 && t.offset <= t.storage.elements, "it begins outside of its storage");
    bool empty = false;
    Wide elements = 1, last = t.offset;
    for (std::size_t i = 0; i < t.shape.size(); ++i) {
        require(t.shape[i] >= 0 && t.strides[i] >= 0, "a size below zero");
        empty |= t.shape[i] == 0;
        elements = std::min<Wide>(elements * std::max<std::int64_t>(t.shape[i], 1), INT64_MAX);
        last += static_cast<Wide>(t.shape[i] - 1) * t.strides[i];
    }
    require(empty || (elements <= t.storage.elements && last < t.storage.elements), "it reaches beyond its storage");
}

} // namespace

static void examine(const std::string& bytes) {
    const auto values = pickle::run(bytes);
    if (values) {
        require(values->top < values->all.size(), "there is no result");
        for (const auto& value : values->all)
            for (const auto id : value.items)
                require(id < values->all.size(), "a value that is not there");
        for (const auto& value : values->all)
            if (value.kind == pickle::PickleKind::Foreign)
                require(!values->refusal(value).empty(), "a class without a name");
    } else {
        require(!values.error().empty(), "refused without a reason");
    }
    const auto state = readPickledState(bytes);
    if (!state)
        return require(!state.error().empty(), "refused without a reason");
    require(values.has_value(), "a state of a pickle that cannot be run");
    ++taken;
    for (const TensorSpec& tensor : *state)
        isInside(tensor);
    const auto again = readPickledState(writePickledState(*state));
    require(again && again->size() == state->size(), again ? "tensors are lost" : again.error().english());
    for (std::size_t i = 0; i < state->size(); ++i) {
        const TensorSpec &a = (*state)[i], &b = (*again)[i];
        require(a.name == b.name && a.offset == b.offset && a.shape == b.shape && a.strides == b.strides &&
                    a.storage.key == b.storage.key && a.storage.type == b.storage.type &&
                    a.storage.elements == b.storage.elements,
                "written and read, it is another tensor");
    }
}

RANKSCOPE_FUZZ_TARGET(pickle)

} // namespace rankscope::fuzz
