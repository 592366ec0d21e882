// SPDX-License-Identifier: Apache-2.0
// A state dict as its pickle describes it: tensors are views of storages, whose bytes are elsewhere.
#pragma once

#include "core/base/text/message.h"
#include "core/trainer/formats/tensors/element_type.h"

#include <tl/expected.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::trainer {

struct StorageSpec {
    std::string key; ///< the bytes are the record data/<key>
    ElementType type = ElementType::F32;
    std::int64_t elements = 0;
};

struct TensorSpec {
    std::string name;
    StorageSpec storage;
    std::int64_t offset = 0; ///< in elements, like the strides
    std::vector<std::int64_t> shape, strides;
};

/// Reads a dict of tensors, or the dict `state_dict` in it, as Lightning and NeMo write it: the entries next to it
/// (hyper_parameters, callbacks, optimizer_states) may be of any class and are skipped. Every tensor is inside its
/// storage and has no more elements than it; names are distinct. Error: what is wrong, with the tensor's name, or the
/// class and byte of a value that is not a tensor.
tl::expected<std::vector<TensorSpec>, Message> readPickledState(std::string_view bytes);

/// Returns a pickle that Python's torch.load(weights_only=True) accepts.
std::string writePickledState(const std::vector<TensorSpec>& tensors);

} // namespace rankscope::trainer
