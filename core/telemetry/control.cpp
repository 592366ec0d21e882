// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/control.h"

#include "core/telemetry/page.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>

namespace rankscope::telemetry {

namespace {

constexpr std::uint64_t kControlMagic = 0x004C544E4F435352; ///< the bytes "RSCONTL\0"
constexpr std::uint32_t kControlVersion = 1;
constexpr std::int64_t kGoOn = std::numeric_limits<std::int64_t>::max();

struct Page {
    std::uint64_t magic = kControlMagic;
    std::uint32_t version = kControlVersion;
    std::uint32_t reserved = 0;
    std::int64_t stopAtStep = kGoOn;
    std::array<std::uint64_t, 509> unused{};
};
static_assert(sizeof(Page) == 4096);

} // namespace

/// The supervisor writes through a mapping; a rank reads by pread, so that a page that is cut short cannot end it with
/// SIGBUS.
struct ControlPage::Impl {
    Mapping mapping;
    UniqueFd fd;
    mutable std::int64_t last = kGoOn;

    Page& page() const { return *reinterpret_cast<Page*>(mapping.base()); }
};

ControlPage::ControlPage(std::unique_ptr<Impl> impl) : m(std::move(impl)) {}
ControlPage::ControlPage(ControlPage&&) noexcept = default;
ControlPage& ControlPage::operator=(ControlPage&&) noexcept = default;
ControlPage::~ControlPage() = default;

Result<ControlPage> ControlPage::create(const std::filesystem::path& path) {
    const Page fresh;
    auto mapping = createPage(path, std::as_bytes(std::span(&fresh, 1)));
    if (!mapping)
        return tl::unexpected(mapping.error());
    auto impl = std::make_unique<Impl>();
    impl->mapping = std::move(*mapping);
    return ControlPage(std::move(impl));
}

Result<ControlPage> ControlPage::open(const std::filesystem::path& path) {
    auto fd = openForeign(path, sizeof(Page));
    if (!fd)
        return tl::unexpected(fd.error());
    Page page;
    if (readAt(fd->get(), &page, sizeof page, 0) != static_cast<std::ptrdiff_t>(sizeof page) ||
        page.magic != kControlMagic)
        return fail(Errc::Malformed, "is not a control page", path.string());
    if (page.version != kControlVersion)
        return fail(Errc::Unsupported,
                    fmt::format("is a control page of version {}, this program knows version {}", page.version,
                                kControlVersion),
                    path.string());
    auto impl = std::make_unique<Impl>();
    impl->fd = std::move(*fd);
    return ControlPage(std::move(impl));
}

ControlPage ControlPage::detached() {
    auto impl = std::make_unique<Impl>();
    impl->mapping = Mapping::anonymous(sizeof(Page));
    new (impl->mapping.base()) Page;
    return ControlPage(std::move(impl));
}

std::int64_t ControlPage::stopAtStep() const {
    if (m->mapping.base())
        return std::atomic_ref(m->page().stopAtStep).load(std::memory_order_acquire);
    std::int64_t step = 0;
    if (readAt(m->fd.get(), &step, sizeof step, offsetof(Page, stopAtStep)) == sizeof step)
        m->last = step;
    return m->last;
}

void ControlPage::setStopAtStep(std::int64_t step) {
    if (m->mapping.base())
        std::atomic_ref(m->page().stopAtStep).store(step, std::memory_order_release);
}

} // namespace rankscope::telemetry
