// SPDX-License-Identifier: Apache-2.0
// Own zlib streams that are flushed after each piece, so that a piece can be read without the later ones.
#pragma once

#include "core/base/text/library_versions.h"
#include "core/base/values/hidden_part.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct z_stream_s;

namespace rankscope::diagnosis {

class Deflater {
public:
    Deflater();
    /// Returns the next piece of the compressed stream; all of `bytes` can be read from it.
    std::string piece(std::string_view bytes);

private:
    HiddenPart<z_stream_s> m_stream;
};

class Inflater {
public:
    Inflater();
    /// Returns none if the piece is damaged, or expands to more than `limit` bytes.
    std::optional<std::string> piece(std::string_view bytes, std::size_t limit);

private:
    HiddenPart<z_stream_s> m_stream;
};

std::uint32_t checksumOf(std::string_view bytes);

/// Returns the name and version of the loaded zlib.
LinkedLibrary zlibLinked();

} // namespace rankscope::diagnosis
