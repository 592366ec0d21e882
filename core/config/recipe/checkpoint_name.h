// SPDX-License-Identifier: Apache-2.0
// A file name with fields that are filled in when it is used, in the form of Lightning's ModelCheckpoint:
// "{epoch}-{val_loss:.3f}".
#pragma once

#include "core/base/text/message.h"

#include <tl/expected.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace rankscope::config {

class CheckpointName {
public:
    /// `named`: auto_insert_metric_name; if true, "{step}" becomes "step=12". The error says what is wrong with the
    /// text.
    static tl::expected<CheckpointName, Message> parse(const std::string& text, bool named);

    /// Fills in the fields. A missing value is 0, as in Lightning.
    std::string format(const std::map<std::string, double>& values) const;
    std::vector<std::string> fields() const; ///< their names, in order
    /// Returns the length in bytes of the longest result of format(), for numbers of at most nine digits before the
    /// point.
    std::size_t longest() const;

    /// Maximum number of bytes of a checkpoint's file name before its suffix. A file system allows 255; besides the
    /// suffix, a name that is already taken gets a number ("-v12"), and an incomplete file is called
    /// ".<name>.AbCdEf.part".
    static constexpr std::size_t kMostBytes =
        255 - sizeof(".safetensors") - sizeof("-v12") - sizeof("..AbCdEf.part") + 3;
    /// The same limit for the .nemo file, including its suffix.
    static constexpr std::size_t kMostNemoBytes = 255 - sizeof("..AbCdEf.part") + 1;

private:
    struct NamePart {
        std::string literal, field, spec; ///< the literal precedes the field; the last part has no field
        bool whole = false;               ///< shown without a fraction
    };
    std::vector<NamePart> m_parts;
    bool m_named = true;
};

} // namespace rankscope::config
