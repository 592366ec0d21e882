// SPDX-License-Identifier: Apache-2.0
// Reads the header of a safetensors file: which tensors there are, and where their bytes are.
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
    std::uint64_t begin = 0, end = 0; ///< bytes after the header; end - begin is the size by shape and type
};

/// A file whose header has been read and checked against its length: its entries, in the order of their bytes, cover it
/// without a gap or an overlap.
struct SafetensorsFile {
    UniqueFd fd;
    std::uint64_t dataStart = 0;
    std::vector<SafetensorsEntry> entries;
    std::map<std::string, std::string> metadata;

    /// Reads end - begin bytes. False: they cannot be read (any more).
    bool read(const SafetensorsEntry& entry, void* target) const;
};

/// Opens a file. Never allocates more than the file's real size. An error of code Malformed says what is wrong.
Result<SafetensorsFile> openSafetensors(const std::filesystem::path& path);

const char* safetensorsName(ElementType type); ///< "F32"

} // namespace rankscope::trainer
