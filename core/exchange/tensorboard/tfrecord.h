// SPDX-License-Identifier: Apache-2.0
// TFRecord, the framing of TensorBoard's event files: records one behind the other, each
//   8 bytes length | 4 bytes masked CRC-32C of the length | the bytes | 4 bytes masked CRC-32C of the bytes
// little endian.
#pragma once

#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::exchange {

/// One record as it stands in a file.
std::string framed(std::string_view record);

/// Streams; the file appears with commit(), whole.
class RecordWriter {
public:
    static Result<RecordWriter> create(const std::filesystem::path& path);
    void write(std::string_view record);
    Result<void> commit();
    bool failed() const { return m_file.failed(); }

private:
    explicit RecordWriter(AtomicFile file) : m_file(std::move(file)) {}
    void flush();
    AtomicFile m_file;
    std::string m_pending;
};

/// What kept a reader from a file's last byte.
struct Damage {
    std::uint64_t offset = 0;    ///< of the record that is damaged
    std::string what;            ///< "its length has a wrong checksum"
    std::uint64_t lostBytes = 0; ///< that were there and were not read; 0 where nothing is known to be lost
};

/// Reads a file of records, front to back. No length is believed before as many bytes are there.
class RecordReader {
public:
    static Result<RecordReader> open(const std::filesystem::path& path);

    /// The next sound record; none at the end, or where nothing behind a damage can be read. A record whose bytes have
    /// a wrong checksum is left out (see skipped()). An Error only where the system refuses to read.
    Result<std::optional<std::string>> next();

    const std::filesystem::path& path() const { return m_path; }
    std::uint64_t bytes() const { return m_file.bytes; }
    /// Where the record that next() gave last begins.
    std::uint64_t offset() const { return m_offset; }
    std::uint64_t skipped() const { return m_skipped; } ///< records that were left out
    std::uint64_t firstSkipped() const { return m_firstSkipped; }
    const std::optional<Damage>& damage() const { return m_damage; } ///< where reading ended before the file's end

private:
    RecordReader(std::filesystem::path path, RegularFile file) : m_path(std::move(path)), m_file(std::move(file)) {}
    Result<bool> fill(std::size_t bytes);
    void end(std::string what);
    void skip(std::uint64_t bytes);

    std::filesystem::path m_path;
    RegularFile m_file;
    std::string m_buffer; ///< read and not used yet, from m_used on
    std::size_t m_used = 0;
    std::uint64_t m_read = 0; ///< bytes of the file that came into the buffer, or were passed over
    std::uint64_t m_offset = 0, m_next = 0;
    std::uint64_t m_skipped = 0, m_firstSkipped = 0;
    std::optional<Damage> m_damage;
};

/// CRC-32C (Castagnoli, RFC 3720): "123456789" gives 0xE3069283.
std::uint32_t crc32c(std::string_view bytes);

/// As TFRecord stores it: a checksum of bytes that hold checksums would be weak, so it is turned and shifted.
std::uint32_t maskedCrc(std::string_view bytes);

} // namespace rankscope::exchange
