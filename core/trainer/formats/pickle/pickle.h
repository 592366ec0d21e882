// SPDX-License-Identifier: Apache-2.0
// The part of Python's pickle format that torch.save and Lightning's checkpoints use. Nothing is executed or imported:
// the few classes and functions that make up a state dict are known here. The result of any other class or function
// becomes an opaque value with its name; the caller decides whether to accept it.
#pragma once

#include "core/base/text/message.h"
#include "core/trainer/formats/tensors/element_type.h"

#include <tl/expected.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::trainer::pickle {

using Id = std::uint32_t; ///< index in Values::all

inline constexpr std::size_t kMaxDimensions = 16; ///< of a tensor

enum class PickleKind : std::uint8_t {
    None,
    Bool,
    Integer,
    Real,
    Text,
    Tuple,
    List,
    Dict,
    Global,
    Storage,
    Tensor,
    Foreign, ///< a class or function that is not in globals(), or its result; `integer`: index in Values::foreign
    Other,   ///< bytes, a set, or an integer of more than 64 bits, whose value is not kept
};

enum class Role : std::uint8_t { OrderedDict, RebuildTensor, RebuildParameter, StorageClass };

/// A class or function that a state dict names.
struct Global {
    std::string_view module, name;
    Role role;
    ElementType type; ///< of a StorageClass
};
/// Returns all known classes and functions.
const std::vector<Global>& globals();
/// Returns the storage class of a type, such as "FloatStorage".
const Global& storageClass(ElementType type);

struct Value {
    PickleKind kind = PickleKind::None;
    bool ordered = false;     ///< Dict: an OrderedDict, which may be built
    std::int64_t integer = 0; ///< Bool, Integer; Global: index in globals()
    double real = 0;
    std::string_view text; ///< of the pickle's bytes
    /// Tuple, List: members. Dict: key, value, key, value… Storage: class, key, number of elements. Tensor: storage,
    /// offset, sizes, strides. Ids never form a deep structure of C++ objects, so that nesting costs nothing.
    std::vector<Id> items;
};

/// A name that is not in globals().
struct ForeignName {
    std::string_view module, name; ///< of the pickle's bytes
    std::size_t at = 0;            ///< byte of the opcode that named it
};

/// The values of a pickle.
struct Values {
    std::vector<Value> all;
    Id top = 0; ///< the result
    std::vector<ForeignName> foreign;

    /// Returns "omegaconf.dictconfig.DictConfig is not part of a state dict (byte 812)", safe to print on a terminal.
    Message refusal(const Value& value) const;
};

/// Runs the opcodes. `bytes` must outlive the result. The error says what is wrong and at which byte.
tl::expected<Values, Message> run(std::string_view bytes);

} // namespace rankscope::trainer::pickle
