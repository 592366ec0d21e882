// SPDX-License-Identifier: Apache-2.0
// A file name with fields that are filled in when it is used, as Lightning's ModelCheckpoint writes them:
// "{epoch}-{val_loss:.3f}".
#pragma once

#include <tl/expected.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace rankscope::config {

class CheckpointName {
public:
    /// `named`: auto_insert_metric_name, "{step}" becomes "step=12". Error: what is wrong with the text.
    static tl::expected<CheckpointName, std::string> parse(const std::string& text, bool named);

    /// A value that is not there is 0, as in Lightning.
    std::string format(const std::map<std::string, double>& values) const;
    std::vector<std::string> fields() const; ///< names, in order
    /// Bytes of the longest text that format() gives, for numbers of at most nine digits before the point.
    std::size_t longest() const;

    /// Bytes that a checkpoint's file name may have in front of its suffix. A file system takes 255; besides the suffix
    /// there is what a taken name goes on with ("-v12"), and what it is called until it is whole
    /// (".<name>.AbCdEf.part").
    static constexpr std::size_t kMostBytes =
        255 - sizeof(".safetensors") - sizeof("-v12") - sizeof("..AbCdEf.part") + 3;
    /// The same of the .nemo, with its suffix.
    static constexpr std::size_t kMostNemoBytes = 255 - sizeof("..AbCdEf.part") + 1;

private:
    struct Part {
        std::string literal, field, spec; ///< the literal stands before the field; the last part has none
        bool whole = false;               ///< shown without a fraction
    };
    std::vector<Part> m_parts;
    bool m_named = true;
};

} // namespace rankscope::config
