// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/board/control_page.h"

#include "core/base/text/terminal_safe.h"
#include "core/base/values/result.h"
#include "core/telemetry/format/mapped_page.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace rankscope::telemetry {

namespace {

constexpr std::uint64_t kControlMagic = 0x004C544E4F435352; ///< the bytes "RSCONTL\0"
constexpr std::uint32_t kControlVersion = 1;
constexpr std::int64_t kGoOn = std::numeric_limits<std::int64_t>::max();

struct StoreError {
    std::int64_t sinceNs = 0;
    std::uint64_t bytes = 0;
    std::array<char, ControlPage::kMostTroubleBytes> text{};
};

struct PageLayout {
    std::uint64_t magic = kControlMagic;
    std::uint32_t version = kControlVersion;
    std::uint32_t reserved = 0;
    std::int64_t stopAtStep = kGoOn;
    std::int64_t storedNs = 0;
    StoreError trouble;
    std::array<std::uint64_t, 442> unused{};
};
static_assert(sizeof(PageLayout) == 4096);

} // namespace

/// Uses pwrite and pread, never a mapping: truncating the page must not kill its writer or a reader with SIGBUS.
struct ControlPage::Impl {
    UniqueFd fd; ///< none: detached
    bool writes = false;
    std::filesystem::path path;
    mutable std::atomic<std::int64_t> last = kGoOn; ///< last value read, or set by the supervisor

    Result<void> write(std::span<const std::byte> bytes, std::size_t offset) const;
};

Result<ControlPage> ControlPage::create(const std::filesystem::path& path) {
    const PageLayout fresh;
    RS_TRY_ASSIGN(auto fd, createPage(path, std::as_bytes(std::span(&fresh, 1)), GuardedFolder::Run));
    auto impl = makeHidden<Impl>();
    impl->fd = std::move(fd);
    impl->writes = true;
    impl->path = path;
    return ControlPage(std::move(impl));
}

/// Checks that an open file is a control page of this version.
static Result<void> checkPage(int fd, const std::filesystem::path& path) {
    PageLayout page;
    if (readAt(fd, &page, sizeof page, 0) != static_cast<std::ptrdiff_t>(sizeof page) || page.magic != kControlMagic)
        return fail(Errc::Malformed, "is not a control page", path.string());
    if (page.version != kControlVersion)
        return fail(
            Errc::Unsupported,
            {"is a control page of version {}, but this program supports version {}", page.version, kControlVersion},
            path.string());
    return {};
}

Result<ControlPage> ControlPage::open(const std::filesystem::path& path) {
    RS_TRY_ASSIGN(auto fd, openForeign(path, sizeof(PageLayout), GuardedFolder::Run));
    RS_TRY(checkPage(fd.get(), path));
    auto impl = makeHidden<Impl>();
    impl->fd = std::move(fd);
    return ControlPage(std::move(impl));
}

Result<ControlPage> ControlPage::createOrUse(const std::filesystem::path& path) {
    auto file = openRunFile(path, GuardedFolder::Run, O_RDWR);
    if (!file && file.error().code == Errc::NotFound)
        return create(path);
    if (!file)
        return tl::unexpected(file.error());
    RS_TRY(checkPage(file->fd.get(), path));
    auto impl = makeHidden<Impl>();
    impl->fd = std::move(file->fd);
    impl->writes = true;
    impl->path = path;
    return ControlPage(std::move(impl));
}

ControlPage ControlPage::detached() {
    auto impl = makeHidden<Impl>();
    impl->writes = true;
    return ControlPage(std::move(impl));
}

std::int64_t ControlPage::stopAtStep() const {
    std::int64_t step = 0;
    if (!m->writes && readAt(m->fd.get(), &step, sizeof step, offsetof(PageLayout, stopAtStep)) == sizeof step)
        m->last = step;
    return m->last;
}

Result<void> ControlPage::Impl::write(std::span<const std::byte> bytes, std::size_t offset) const {
    if (writes && fd && !writeAt(fd.get(), bytes, offset))
        return tl::unexpected(systemError("write", path.string(), errno));
    return {};
}

Result<void> ControlPage::setStopAtStep(std::int64_t step) {
    auto written = m->write(std::as_bytes(std::span(&step, 1)), offsetof(PageLayout, stopAtStep));
    if (written && m->writes)
        m->last = step;
    return written;
}

StoreProgress ControlPage::storedUntil() const {
    PageLayout page;
    StoreProgress until;
    if (!m->fd || readAt(m->fd.get(), &page, sizeof page, 0) != static_cast<std::ptrdiff_t>(sizeof page))
        return until;
    until.atNs = std::max<std::int64_t>(0, page.storedNs);
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(page.trouble.bytes, kMostTroubleBytes));
    if (bytes == 0)
        return until;
    until.troubleSinceNs = std::max<std::int64_t>(0, page.trouble.sinceNs);
    until.trouble = printableLine(std::string_view(page.trouble.text.data(), bytes));
    return until;
}

Result<void> ControlPage::publishStored(std::int64_t atNs) {
    return m->write(std::as_bytes(std::span(&atNs, 1)), offsetof(PageLayout, storedNs));
}

Result<void> ControlPage::publishStoreError(std::int64_t sinceNs, std::string_view trouble) {
    StoreError told;
    told.sinceNs = sinceNs;
    told.bytes = std::min(trouble.size(), kMostTroubleBytes);
    std::copy_n(trouble.begin(), told.bytes, told.text.begin());
    return m->write(std::as_bytes(std::span(&told, 1)), offsetof(PageLayout, trouble));
}

} // namespace rankscope::telemetry
