// SPDX-License-Identifier: Apache-2.0
// The header of a safetensors file: which tensors there are, and where their bytes lie.
#pragma once

#include "core/base/files/file.h"
#include "core/base/values/error.h"
#include "core/trainer/formats/tensors/element_type.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace rankscope::trainer {

struct SafetensorsEntry {
    std::string name;
    ElementType type = ElementType::F32;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0, end = 0; ///< bytes behind the header; end - begin: what shape and type take
};

/// A file whose header is read and checked against its length: its entries, in the order of their bytes, cover it
/// without a gap or an overlap.
struct SafetensorsFile {
    UniqueFd fd;
    std::uint64_t dataStart = 0;
    std::vector<SafetensorsEntry> entries;
    std::map<std::string, std::string> metadata;

    /// end - begin bytes. False: they cannot be read (any more).
    bool read(const SafetensorsEntry& entry, void* target) const;
};

/// Nothing is allocated by a size that the file does not have. Malformed names what is wrong.
Result<SafetensorsFile> openSafetensors(const std::filesystem::path& path);

const char* safetensorsName(ElementType type); ///< "F32"

} // namespace rankscope::trainer
