// SPDX-License-Identifier: Apache-2.0
// A safetensors file. The first byte says whether the header's size is repaired, so that its JSON is reached.
#include "core/trainer/formats/tensors/raw_bytes.h"
#include "core/trainer/formats/tensors/safetensors_header.h"
#include "tests/fuzz/target.h"

#include <algorithm>

namespace rankscope::fuzz {

using namespace trainer;

static void examine(const std::string& bytes) {
    Bytes in(bytes);
    const bool mend = (in.byte() & 1) == 0;
    std::string file(in.rest());
    if (mend && file.size() > 8) {
        const auto end = file.rfind('}');
        const std::uint64_t header = end == std::string::npos || end < 8 ? file.size() - 8 : end + 1 - 8;
        std::memcpy(file.data(), &header, sizeof header);
    }
    const auto opened = openSafetensors(put("fuzz.safetensors", file));
    if (!opened)
        return require(!opened.error().what.empty() && !opened.error().where.empty(),
                       "refused without a reason or a place");
    ++taken;
    std::uint64_t at = 0;
    for (const SafetensorsEntry& e : opened->entries) {
        require(e.begin == at && e.end >= e.begin && opened->dataStart + e.end <= file.size(),
                "bytes outside the file");
        at = e.end;
        __extension__ using Wide = unsigned __int128;
        Wide size = elementBytes(e.type);
        for (const auto n : e.shape) {
            require(n >= 0, "a size below zero");
            size = std::min<Wide>(size * static_cast<std::uint64_t>(n), UINT64_MAX);
        }
        require(size == e.end - e.begin, "a shape that is not of these bytes");
        auto memory = RawBytes::ofSize(e.end - e.begin);
        require(memory && opened->read(e, memory->data()), "bytes that cannot be read");
        require(memory->view() == std::string_view(file).substr(opened->dataStart + e.begin, e.end - e.begin),
                "other bytes were read");
    }
    require(opened->dataStart + at == file.size(), "bytes that no tensor has");
}

RANKSCOPE_FUZZ_TARGET(safetensors)

} // namespace rankscope::fuzz
