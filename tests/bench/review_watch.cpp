// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/review_watch.h"

#include "widgets/theme/theme.h"

#include <QThread>

#include <fstream>
#include <string>

namespace rankscope::bench {

bool PaintWatch::notify(QObject* receiver, QEvent* event) {
    const bool mine = event->type() == QEvent::Paint && QThread::currentThread() == thread();
    const bool done = QApplication::notify(receiver, event);
    if (mine)
        m_painted[receiver] = monotonicNs();
    return done;
}

std::int64_t PaintWatch::paintedSince(std::int64_t ns) const {
    std::int64_t last = 0;
    for (const auto* plot : m_plots) {
        if (!plot->isVisible())
            continue;
        const std::int64_t at = m_painted.value(plot);
        if (at < ns)
            return 0;
        last = std::max(last, at);
    }
    return last;
}

std::int64_t PaintWatch::lastPaint() const {
    std::int64_t last = 0;
    for (const auto* plot : m_plots)
        last = std::max(last, m_painted.value(plot));
    return last;
}

bool PaintWatch::until(const std::function<bool()>& done, double seconds) {
    const int tick = startTimer(1, Qt::PreciseTimer);
    const std::int64_t limit = monotonicNs() + static_cast<std::int64_t>(seconds * 1e9);
    while (!done() && monotonicNs() < limit)
        processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    killTimer(tick);
    return done();
}

ReviewWindow::ReviewWindow(PaintWatch& application, const std::filesystem::path& runDir) : app(application) {
    ui::WindowOptions options;
    options.runsDir = QString::fromStdString(runDir.parent_path().string());
    options.page = ui::Page::Review;
    options.run = QString::fromStdString(runDir.string());
    options.remember = false;
    window = std::make_unique<ui::MainWindow>(options);
    window->resize(1440, 900);
    window->show();
    page = window->findChild<ui::ReviewPage*>();
    QList<ui::RankPlot*> plots; // in the page's default order, from top to bottom
    for (const char* name : {"lossPlot", "lengthPlot", "waitPlot"})
        plots << page->findChild<ui::RankPlot*>(QLatin1String(name));
    app.watch(plots);
    (void)app.until([this] { return window->isVisible(); });
    began = monotonicNs();
    window->start();
}

std::int64_t ReviewWindow::untilComplete() {
    constexpr std::int64_t kCalmNs = 150'000'000; // a reply may trigger another request
    std::int64_t since = 0;
    const bool ok = app.until([&] {
        if (!window->isComplete()) {
            since = 0;
            return false;
        }
        since = since ? since : monotonicNs();
        return monotonicNs() - std::max(since, app.lastPaint()) > kCalmNs;
    });
    return ok ? std::max(app.lastPaint(), since) : 0;
}

Memory Memory::read() {
    Memory memory;
    std::ifstream file("/proc/self/status");
    for (std::string word; file >> word;) {
        double kib = 0;
        if (word == "VmRSS:" && file >> kib)
            memory.nowMb = kib * 1024 / 1e6;
        else if (word == "VmHWM:" && file >> kib)
            memory.mostMb = kib * 1024 / 1e6;
    }
    return memory;
}

} // namespace rankscope::bench
