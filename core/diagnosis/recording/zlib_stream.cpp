// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/recording/zlib_stream.h"

#include <zlib.h>

#include <array>
#include <limits>
#include <new>

namespace rankscope::diagnosis {

namespace {

constexpr int kLevel = 3; // most of the gain at little of the cost: pieces are small and similar

/// zlib counts in unsigned int.
uInt atMost(std::size_t size) {
    return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

} // namespace

Deflater::Deflater()
    : m_stream(new z_stream{}, [](z_stream* stream) {
          deflateEnd(stream);
          delete stream;
      }) {
    if (deflateInit(m_stream.get(), kLevel) != Z_OK)
        throw std::bad_alloc();
}

std::string Deflater::piece(std::string_view bytes) {
    std::string out;
    std::array<Bytef, 16384> buffer;
    std::size_t taken = 0;
    for (;;) {
        const uInt size = atMost(bytes.size() - taken);
        m_stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + taken)); // zlib only reads it
        m_stream->avail_in = size;
        m_stream->next_out = buffer.data();
        m_stream->avail_out = static_cast<uInt>(buffer.size());
        (void)deflate(m_stream.get(), Z_SYNC_FLUSH); // can only fail with Z_BUF_ERROR: all output is written
        taken += size - m_stream->avail_in;
        out.append(reinterpret_cast<const char*>(buffer.data()), buffer.size() - m_stream->avail_out);
        if (taken == bytes.size() && m_stream->avail_out > 0)
            return out;
    }
}

Inflater::Inflater()
    : m_stream(new z_stream{}, [](z_stream* stream) {
          inflateEnd(stream);
          delete stream;
      }) {
    if (inflateInit(m_stream.get()) != Z_OK)
        throw std::bad_alloc();
}

std::optional<std::string> Inflater::piece(std::string_view bytes, std::size_t limit) {
    std::string out;
    std::array<Bytef, 16384> buffer;
    if (bytes.size() > std::numeric_limits<uInt>::max())
        return std::nullopt;
    m_stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); // zlib only reads it
    m_stream->avail_in = static_cast<uInt>(bytes.size());
    for (;;) {
        m_stream->next_out = buffer.data();
        m_stream->avail_out = static_cast<uInt>(buffer.size());
        const int state = inflate(m_stream.get(), Z_SYNC_FLUSH);
        out.append(reinterpret_cast<const char*>(buffer.data()), buffer.size() - m_stream->avail_out);
        if (out.size() > limit || (state != Z_OK && state != Z_BUF_ERROR))
            return std::nullopt;
        if (m_stream->avail_out > 0)
            return m_stream->avail_in == 0 ? std::optional(std::move(out)) : std::nullopt;
    }
}

std::uint32_t checksumOf(std::string_view bytes) {
    uLong sum = crc32(0, nullptr, 0);
    for (std::size_t at = 0; at < bytes.size();) {
        const uInt size = atMost(bytes.size() - at);
        sum = crc32(sum, reinterpret_cast<const Bytef*>(bytes.data() + at), size);
        at += size;
    }
    return static_cast<std::uint32_t>(sum);
}

LinkedLibrary zlibLinked() {
    return {"zlib", zlibVersion()};
}

} // namespace rankscope::diagnosis
