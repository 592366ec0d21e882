// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/audio/audio_file.h"

#include "core/base/files/file.h"
#include "core/base/values/result.h"

#include <archive.h>
#include <fmt/format.h>
#include <sndfile.h>
#include <soxr.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>

namespace rankscope::trainer {
namespace {

constexpr int kMinRate = 1'000, kMaxRate = 768'000, kMaxChannels = 64;
constexpr std::int64_t kChunkFrames = 8'192;

struct CloseSound {
    void operator()(SNDFILE* sound) const { sf_close(sound); }
};

/// A file's content, as libsndfile reads it.
struct MemoryFile {
    std::string_view content;
    std::int64_t at = 0;
};

struct Sound {
    std::unique_ptr<MemoryFile> memory; // outlives the handle, which reads it
    std::unique_ptr<SNDFILE, CloseSound> handle;
    SF_INFO info{};
};

tl::unexpected<Error> wrong(Message what, const std::string& path) {
    return fail(Errc::BadInput, std::move(what), path);
}

/// Returns libsndfile's reason without its "Error : " and full stop.
std::string reason(SNDFILE* sound) {
    std::string text = sf_strerror(sound);
    if (text.rfind("Error : ", 0) == 0)
        text.erase(0, 8);
    while (!text.empty() && (text.back() == '.' || text.back() == '\n' || text.back() == ' '))
        text.pop_back();
    return text;
}

/// Returns the opened file if its header makes sense.
Result<Sound> checkedSound(Sound sound, const AudioRequest& request, const std::string& path) {
    if (!sound.handle)
        return wrong({"is not readable audio: {}", reason(nullptr)}, path);
    const SF_INFO& info = sound.info;
    if (info.samplerate < kMinRate || info.samplerate > kMaxRate)
        return wrong({"claims a sample rate of {} Hz; expected {} to {}", info.samplerate, kMinRate, kMaxRate}, path);
    if (info.channels < 1 || info.channels > kMaxChannels)
        return wrong({"claims {} channels; expected 1 to {}", info.channels, kMaxChannels}, path);
    if (request.channel >= info.channels)
        return wrong(info.channels == 1
                         ? Message("has {} channel, but channel_selector asks for channel {} (numbered from 0)",
                                   info.channels, request.channel)
                         : Message("has {} channels, but channel_selector asks for channel {} (numbered from 0)",
                                   info.channels, request.channel),
                     path);
    return sound;
}

Result<Sound> openSound(const std::string& path, const AudioRequest& request) {
    RS_TRY_ASSIGN(auto file, openRegularFile(path));
    if (file.bytes == 0)
        return wrong("is empty (0 bytes)", path);
    Sound sound;
    sound.handle.reset(sf_open_fd(file.fd.release(), SFM_READ, &sound.info, SF_TRUE));
    return checkedSound(std::move(sound), request, path);
}

SF_VIRTUAL_IO memoryIo() {
    SF_VIRTUAL_IO io{};
    io.get_filelen = [](void* user) { return static_cast<sf_count_t>(static_cast<MemoryFile*>(user)->content.size()); };
    io.seek = [](sf_count_t offset, int whence, void* user) -> sf_count_t {
        MemoryFile& memory = *static_cast<MemoryFile*>(user);
        const auto size = static_cast<std::int64_t>(memory.content.size());
        const std::int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? memory.at : size;
        if (offset < -base || offset > size - base)
            return -1;
        memory.at = base + offset;
        return memory.at;
    };
    io.read = [](void* to, sf_count_t count, void* user) -> sf_count_t {
        MemoryFile& memory = *static_cast<MemoryFile*>(user);
        const auto left = static_cast<std::int64_t>(memory.content.size()) - memory.at;
        const std::int64_t got = std::clamp<std::int64_t>(count, 0, left);
        std::copy_n(memory.content.data() + memory.at, got, static_cast<char*>(to));
        memory.at += got;
        return got;
    };
    io.write = [](const void*, sf_count_t, void*) -> sf_count_t { return 0; };
    io.tell = [](void* user) -> sf_count_t { return static_cast<MemoryFile*>(user)->at; };
    return io;
}

Result<Sound> openContent(std::string_view content, const std::string& name, const AudioRequest& request) {
    if (content.empty())
        return wrong("is empty (0 bytes)", name);
    Sound sound;
    sound.memory = std::make_unique<MemoryFile>(MemoryFile{content, 0});
    SF_VIRTUAL_IO io = memoryIo();
    sound.handle.reset(sf_open_virtual(&io, SFM_READ, &sound.info, sound.memory.get()));
    return checkedSound(std::move(sound), request, name);
}

/// Reduces the samples in place to one channel, or to the average of all (-1); false if a sample is not finite.
bool mixToMono(std::vector<float>& interleaved, std::int64_t frames, int channels, int channel) {
    bool finite = true;
    const float scale = 1.0f / static_cast<float>(channels);
    const float* in = interleaved.data();
    for (std::int64_t i = 0; i < frames; ++i) {
        float sum = 0;
        for (int c = 0; c < channels; ++c)
            sum += channel < 0 || channel == c ? in[c] : 0;
        in += channels;
        const float value = channels == 1 || channel >= 0 ? sum : sum * scale;
        finite = finite && std::isfinite(value);
        interleaved[static_cast<std::size_t>(i)] = value;
    }
    return finite;
}

struct DeleteSoxr {
    void operator()(soxr_t soxr) const { soxr_delete(soxr); }
};

/// Converts a mono stream from one sample rate to another (libsoxr at high quality, as in librosa and thus NeMo). Equal
/// rates pass through. n samples become ceil(n x to / from) samples, as in librosa.
class Resampler {
public:
    /// Rates must be above 0 and their ratio within 1/256 ... 256.
    Resampler(int fromRate, int toRate) : m_from(fromRate), m_to(toRate) {
        if (passes())
            return;
        const soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I);
        const soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
        const soxr_runtime_spec_t runtime = soxr_runtime_spec(1); // the loader's workers are the threads
        soxr_error_t error = nullptr;
        m_soxr.reset(soxr_create(fromRate, toRate, 1, &error, &io, &quality, &runtime));
        if (error)
            m_soxr.reset();
    }

    /// Appends the samples that are ready to `out`. False if the library fails.
    bool push(const float* samples, std::int64_t count, std::vector<float>& out) {
        if (passes()) {
            out.insert(out.end(), samples, samples + count);
            return true;
        }
        m_in += count;
        return count <= 0 || process(samples, count, out);
    }

    /// Appends the remaining samples and ends the stream.
    bool finish(std::vector<float>& out) {
        if (passes())
            return true;
        if (!process(nullptr, 0, out))
            return false;
        // the library may give a few samples more or fewer than the exact length
        const std::int64_t exact = (m_in * m_to + m_from - 1) / m_from;
        out.resize(out.size() + static_cast<std::size_t>(exact) - static_cast<std::size_t>(m_out));
        return true;
    }

private:
    bool passes() const { return m_from == m_to; }

    /// `samples` null: flushes the samples that the library still holds.
    bool process(const float* samples, std::int64_t count, std::vector<float>& out) {
        std::array<float, 4096> piece;
        for (;;) {
            std::size_t used = 0, made = 0;
            if (!m_soxr || soxr_process(m_soxr.get(), samples, static_cast<std::size_t>(count), &used, piece.data(),
                                        piece.size(), &made) != nullptr)
                return false;
            out.insert(out.end(), piece.data(), piece.data() + made);
            m_out += static_cast<std::int64_t>(made);
            samples = samples ? samples + used : nullptr;
            count -= static_cast<std::int64_t>(used);
            if (made < piece.size() && count == 0)
                return true;
            if (made == 0 && used == 0)
                return false; // no progress
        }
    }

    std::int64_t m_from, m_to, m_in = 0, m_out = 0;
    std::unique_ptr<soxr, DeleteSoxr> m_soxr; // none: equal rates, or the library failed
};

struct Decoded {
    std::vector<float> samples;
    std::int64_t frames = 0; ///< at the file's rate
};

/// Decodes up to `want` frames (-1: to the end) from the file's current position.
Result<Decoded> decode(Sound& sound, std::int64_t want, const AudioRequest& request, const std::string& path) {
    const int rate = sound.info.samplerate, channels = sound.info.channels;
    const auto limit = static_cast<std::int64_t>(request.limitSeconds * rate);
    Resampler resampler(rate, request.sampleRate);
    std::vector<float> chunk(static_cast<std::size_t>(kChunkFrames * channels));
    Decoded out;
    for (;;) {
        const std::int64_t ask = want < 0 ? kChunkFrames : std::min(kChunkFrames, want - out.frames);
        const sf_count_t got = ask > 0 ? sf_readf_float(sound.handle.get(), chunk.data(), ask) : 0;
        if (got <= 0)
            break;
        out.frames += got;
        if (out.frames > limit)
            return wrong({"is longer than {:g} s: cut it, or set max_duration", request.limitSeconds}, path);
        if (!mixToMono(chunk, got, channels, request.channel))
            return wrong("contains a sample that is not a number", path);
        if (!resampler.push(chunk.data(), got, out.samples))
            return fail(Errc::Internal, {"cannot be resampled from {} Hz", rate}, path);
        if (got < ask)
            break;
    }
    if (sf_error(sound.handle.get()) != SF_ERR_NO_ERROR)
        return wrong(
            {"is cut off after {:.2f} s: {}", static_cast<double>(out.frames) / rate, reason(sound.handle.get())},
            path);
    if (!resampler.finish(out.samples))
        return fail(Errc::Internal, {"cannot be resampled from {} Hz", rate}, path);
    return out;
}

/// Returns an error if the file is shorter than its header or the manifest promised.
Result<void> checkLength(const Decoded& got, std::int64_t start, std::int64_t want, const Sound& sound,
                         const AudioRequest& request, const std::string& path) {
    const double rate = sound.info.samplerate, seconds = static_cast<double>(got.frames) / rate;
    if (got.frames == 0 && start > 0)
        return wrong({"offset {:g} s is beyond its end", request.offset}, path);
    if (got.frames == 0 || got.samples.empty())
        return wrong("contains no samples", path);
    if (sound.info.frames > 0 && sound.info.frames < SF_COUNT_MAX) {
        // some formats only estimate their length: a tenth of a second and 1 % are tolerated
        std::int64_t promised = sound.info.frames - start;
        if (want >= 0)
            promised = std::min(promised, want);
        if (static_cast<double>(promised - got.frames) > 0.1 * rate + 0.01 * static_cast<double>(promised))
            return wrong(
                {"is truncated: {:.2f} s of {:.2f} s could be read", seconds, static_cast<double>(promised) / rate},
                path);
    }
    return {};
}

Result<std::vector<float>> readSound(Result<Sound> opened, const AudioRequest& request, const std::string& path,
                                     std::string* shorter) {
    RS_TRY_ASSIGN(auto sound, std::move(opened));
    const int rate = sound.info.samplerate;
    const double ratio = static_cast<double>(request.sampleRate) / rate;
    if (ratio > 256 || ratio * 256 < 1)
        return wrong({"cannot be resampled from {} to {} Hz", rate, request.sampleRate}, path);
    if (request.duration > request.limitSeconds)
        return wrong({"{:g} s are requested; the limit is {:g} s", request.duration, request.limitSeconds}, path);
    const auto start = static_cast<std::int64_t>(request.offset * rate); // truncated, as NeMo does
    const std::int64_t want = request.duration > 0 ? static_cast<std::int64_t>(request.duration * rate) : -1;
    if (start > 0 && sf_seek(sound.handle.get(), start, SEEK_SET) != start)
        return wrong({"offset {:g} s is beyond its end", request.offset}, path);
    RS_TRY_ASSIGN(auto decoded, decode(sound, want, request, path));
    RS_TRY(checkLength(decoded, start, want, sound, request, path));
    if (shorter && want > 0 && decoded.frames < want / 2)
        *shorter = fmt::format("holds {:.2f} s from its offset, the manifest says {:.2f} s",
                               static_cast<double>(decoded.frames) / rate, static_cast<double>(want) / rate);
    return std::move(decoded.samples);
}

/// In "libsndfile-1.2.0" and "libarchive 3.6.2" the version begins at the first digit.
LinkedLibrary named(const char* name, const std::string& text) {
    const auto digit = text.find_first_of("0123456789");
    return {name, digit == std::string::npos ? text : text.substr(digit)};
}

} // namespace

Result<std::vector<float>> readAudio(const std::string& path, const AudioRequest& request, std::string* shorter) {
    return readSound(openSound(path, request), request, path, shorter);
}

Result<std::vector<float>> decodeAudio(std::string_view content, const std::string& name, const AudioRequest& request,
                                       std::string* shorter) {
    return readSound(openContent(content, name, request), request, name, shorter);
}

std::vector<LinkedLibrary> audioLinked() {
    return {named("libsndfile", ::sf_version_string()), named("libsoxr", ::soxr_version()),
            named("libarchive", ::archive_version_string())};
}

} // namespace rankscope::trainer
