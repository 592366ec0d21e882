// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/tensorboard/tfrecord.h"

#include "core/base/values/result.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

namespace rankscope::exchange {

static constexpr std::uint32_t kPolynomial = 0x82F63B78; // 0x1EDC6F41 with its bits reversed
static constexpr std::uint32_t kMask = 0xA282EAD8;

static constexpr std::array<std::uint32_t, 256> makeTable() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        std::uint32_t c = i;
        for (int bit = 0; bit < 8; ++bit)
            c = (c & 1) != 0 ? c >> 1 ^ kPolynomial : c >> 1;
        table[i] = c;
    }
    return table;
}
static constexpr auto kTable = makeTable();

std::uint32_t crc32c(std::string_view bytes) {
    std::uint32_t c = ~std::uint32_t{0};
    for (const char byte : bytes)
        c = kTable[(c ^ static_cast<std::uint8_t>(byte)) & 0xFF] ^ c >> 8;
    return ~c;
}

std::uint32_t maskedCrc(std::string_view bytes) {
    return std::rotr(crc32c(bytes), 15) + kMask;
}

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t kHeadBytes = 12, kTailBytes = 4, kRecordBlockBytes = 256u << 10;
/// Larger records are skipped: they hold images or audio, not scalars.
constexpr std::uint64_t kMostBytes = 64u << 20;

template <class T> T at(const char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

template <class T> void append(std::string& to, T value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

} // namespace

std::string framed(std::string_view record) {
    std::string bytes;
    bytes.reserve(record.size() + kHeadBytes + kTailBytes);
    append(bytes, std::uint64_t{record.size()});
    append(bytes, maskedCrc(bytes));
    bytes += record;
    append(bytes, maskedCrc(record));
    return bytes;
}

Result<RecordWriter> RecordWriter::create(const std::filesystem::path& path) {
    RS_TRY_ASSIGN(auto file, AtomicFile::create(path));
    return RecordWriter(std::move(file));
}

void RecordWriter::write(std::string_view record) {
    m_pending += framed(record);
    if (m_pending.size() >= kRecordBlockBytes)
        flush();
}

void RecordWriter::flush() {
    m_file.write(m_pending.data(), m_pending.size());
    m_pending.clear();
}

Result<void> RecordWriter::commit() {
    flush();
    return m_file.commit();
}

Result<RecordReader> RecordReader::open(const std::filesystem::path& path) {
    RS_TRY_ASSIGN(auto file, openRegularFile(path));
    return RecordReader(path, std::move(file));
}

/// Buffers at least `bytes`. Returns false if the file ends before that.
Result<bool> RecordReader::fill(std::size_t bytes) {
    if (m_buffer.size() - m_used >= bytes)
        return true;
    m_buffer.erase(0, m_used);
    m_used = 0;
    while (m_buffer.size() < bytes) {
        const std::size_t had = m_buffer.size();
        const std::size_t wanted =
            std::max(kRecordBlockBytes, std::min<std::size_t>(bytes - had, std::size_t{4} << 20));
        m_buffer.resize(had + wanted);
        const ssize_t n = ::read(m_file.fd.get(), m_buffer.data() + had, wanted);
        m_buffer.resize(had + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
        if (n == 0)
            return false;
        if (n < 0 && errno != EINTR)
            return tl::unexpected(systemError("read", m_path.string(), errno));
        m_read += static_cast<std::uint64_t>(std::max<ssize_t>(n, 0));
    }
    return true;
}

void RecordReader::end(Message what) {
    const std::uint64_t whole = std::max(m_file.bytes, m_read);
    m_damage = Damage{m_offset, std::move(what), whole - std::min(whole, m_offset)};
}

/// Skips the rest of a record that is not needed.
void RecordReader::skip(std::uint64_t bytes) {
    const std::uint64_t here = std::min<std::uint64_t>(bytes, m_buffer.size() - m_used);
    m_used += static_cast<std::size_t>(here);
    if (bytes > here)
        m_read = static_cast<std::uint64_t>(::lseek(m_file.fd.get(), static_cast<off_t>(bytes - here), SEEK_CUR));
}

Result<std::optional<std::string>> RecordReader::next() {
    while (!m_damage) {
        m_offset = m_next;
        RS_TRY_ASSIGN(bool there, fill(kHeadBytes));
        if (!there) {
            if (m_buffer.size() > m_used)
                end({"the file ends {} bytes into a record's header", m_buffer.size() - m_used});
            break;
        }
        const std::string_view head(m_buffer.data() + m_used, kHeadBytes);
        const auto length = at<std::uint64_t>(head.data());
        if (at<std::uint32_t>(head.data() + 8) != maskedCrc(head.substr(0, 8))) {
            end("the length field of a record has a wrong checksum");
            break;
        }
        const std::uint64_t left = std::max(m_file.bytes, m_read) - m_offset;
        if (left < kHeadBytes + kTailBytes || length > left - kHeadBytes - kTailBytes) {
            end({"a record of {} bytes is cut off", std::to_string(length)});
            break;
        }
        m_next = m_offset + kHeadBytes + length + kTailBytes;
        if (length > kMostBytes) {
            m_firstSkipped = m_skipped++ == 0 ? m_offset : m_firstSkipped;
            skip(kHeadBytes + length + kTailBytes);
            continue;
        }
        RS_TRY_ASSIGN(there, fill(kHeadBytes + static_cast<std::size_t>(length) + kTailBytes));
        if (!there) {
            end({"a record of {} bytes is cut off", std::to_string(length)});
            break;
        }
        const char* body = m_buffer.data() + m_used + kHeadBytes;
        std::string record(body, static_cast<std::size_t>(length));
        const bool sound = at<std::uint32_t>(body + length) == maskedCrc(record);
        m_used += kHeadBytes + static_cast<std::size_t>(length) + kTailBytes;
        if (sound)
            return std::optional(std::move(record));
        m_firstSkipped = m_skipped++ == 0 ? m_offset : m_firstSkipped;
    }
    return std::optional<std::string>();
}

} // namespace rankscope::exchange
