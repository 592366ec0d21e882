// SPDX-License-Identifier: Apache-2.0
// TFRecord, the framing of TensorBoard's event files: consecutive records, each
//   8 bytes length | 4 bytes masked CRC-32C of the length | the bytes | 4 bytes masked CRC-32C of the bytes
// in little-endian order.
#pragma once

#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/text/message.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::exchange {

/// Returns a record with its framing, as stored in a file.
std::string framed(std::string_view record);

/// Writes records as a stream. The complete file appears with commit().
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

/// Describes why a reader did not reach the end of a file.
struct Damage {
    std::uint64_t offset = 0;    ///< of the damaged record
    Message what;                ///< "its length has a wrong checksum"
    std::uint64_t lostBytes = 0; ///< existing bytes that were not read; 0 if nothing is known to be lost
};

/// Reads a file of records from start to end. A record's length is not trusted until that many bytes were read.
class RecordReader {
public:
    static Result<RecordReader> open(const std::filesystem::path& path);

    /// Returns the next valid record; none at the end, or if nothing can be read after damage. A record whose bytes
    /// have a wrong checksum is left out (see skipped()). Returns an error only if the system fails to read.
    Result<std::optional<std::string>> next();

    const std::filesystem::path& path() const { return m_path; }
    std::uint64_t bytes() const { return m_file.bytes; }
    /// Returns the offset of the record that next() last returned.
    std::uint64_t offset() const { return m_offset; }
    std::uint64_t skipped() const { return m_skipped; } ///< records that were left out
    std::uint64_t firstSkipped() const { return m_firstSkipped; }
    const std::optional<Damage>& damage() const { return m_damage; } ///< set if reading ended before the file's end

private:
    RecordReader(std::filesystem::path path, RegularFile file) : m_path(std::move(path)), m_file(std::move(file)) {}
    Result<bool> fill(std::size_t bytes);
    void end(Message what);
    void skip(std::uint64_t bytes);

    std::filesystem::path m_path;
    RegularFile m_file;
    std::string m_buffer; ///< unused bytes from m_used on
    std::size_t m_used = 0;
    std::uint64_t m_read = 0; ///< bytes of the file that were buffered or skipped
    std::uint64_t m_offset = 0, m_next = 0;
    std::uint64_t m_skipped = 0, m_firstSkipped = 0;
    std::optional<Damage> m_damage;
};

/// Returns the CRC-32C (Castagnoli, RFC 3720): "123456789" gives 0xE3069283.
std::uint32_t crc32c(std::string_view bytes);

/// Returns the CRC as TFRecord stores it: rotated and offset, because a CRC over bytes that contain CRCs would be weak.
std::uint32_t maskedCrc(std::string_view bytes);

} // namespace rankscope::exchange
