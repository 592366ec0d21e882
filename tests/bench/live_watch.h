// SPDX-License-Identifier: GPL-3.0-or-later
// An application that records over a long time when a plot was painted with which newest steps, how long each stretch
// of events kept the window's thread busy, and the memory and CPU time of this process and of another one.
#pragma once

#include "core/base/values/clock.h"
#include "tests/bench/page_watch.h"
#include "widgets/plots/plot/rank_plot.h"

#include <QApplication>
#include <QFile>
#include <QTimerEvent>

#include <unistd.h>

#include <utility>

namespace rankscope::bench {

/// Resident memory, MB, once a second.
struct Resident {
    std::vector<double> mb;
    double third() const { return mb.empty() ? 0 : mb[mb.size() / 3]; }
    double last() const { return mb.empty() ? 0 : mb.back(); }
};

class LiveApplication final : public QApplication {
public:
    using QApplication::QApplication;
    struct Picture {
        std::int64_t step = -1, paintedNs = 0;
    };

    void watch(const ui::RankPlot* plot, int ranks, qint64 otherPid) {
        m_plot = plot;
        m_other = otherPid;
        m_pictures.assign(static_cast<std::size_t>(ranks), {});
        m_drawn.assign(static_cast<std::size_t>(ranks), -1);
        connect(plot, &QCustomPlot::afterReplot, this, [this] {
            if (m_plot)
                noteDrawn();
        });
        m_since = monotonicNs();
        m_cpuSince = threadCpuNs();
        m_timer = startTimer(1000);
    }
    void unwatch() {
        m_share = static_cast<double>(threadCpuNs() - m_cpuSince) / static_cast<double>(monotonicNs() - m_since);
        m_plot = nullptr;
        killTimer(std::exchange(m_timer, 0)); // a timer event may still be queued
    }

    bool notify(QObject* receiver, QEvent* event) override {
        if (QThread::currentThread() != thread())
            return QApplication::notify(receiver, event);
        const bool painted = m_plot && receiver == m_plot && event->type() == QEvent::Paint;
        if (m_depth++ == 0)
            begin();
        const std::int64_t cpu = m_depth == 1 ? threadCpuNs() : 0;
        const char* const what = receiver->metaObject()->className(); // the receiver may be deleted by its event
        const auto type = static_cast<int>(event->type());
        const bool done = QApplication::notify(receiver, event);
        if (painted)
            notePicture();
        if (m_depth == 1 && m_plot)
            noteHeaviest(what, type, static_cast<double>(threadCpuNs() - cpu) / 1e6);
        if (--m_depth == 0)
            end();
        return done;
    }
    /// Handles events until `done` returns true; returns false if that takes more than `seconds`.
    template <class Predicate> bool until(Predicate done, std::int64_t seconds) {
        const int tick = startTimer(50);
        const std::int64_t limit = monotonicNs() + seconds * 1'000'000'000;
        while (!done() && monotonicNs() < limit)
            processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
        killTimer(tick);
        return done();
    }

    std::int64_t watchedSinceNs() const { return m_since; }
    const std::vector<Picture>& pictures(int rank) const { return m_pictures[static_cast<std::size_t>(rank)]; }
    const Series& stretches() const { return m_cpu; }
    const Series& wallStretches() const { return m_wall; }
    double cpuShare() const { return m_share; }
    struct Heaviest {
        double ms = 0, afterSeconds = 0;
        const char* receiver = "";
        int type = 0; ///< QEvent::Type
    };
    const Heaviest& heaviest() const { return m_heaviest; }
    const Resident& ownRss() const { return m_own; }
    const Resident& otherRss() const { return m_others; }
    static double growth(const Resident& r) { return r.third() > 0 ? (r.last() / r.third() - 1) * 100 : 0; }

protected:
    void timerEvent(QTimerEvent* event) override {
        if (event->timerId() != m_timer)
            return;
        m_own.mb.push_back(residentMb(::getpid()));
        m_others.mb.push_back(residentMb(m_other));
    }

private:
    static double residentMb(qint64 pid) {
        QFile file(QStringLiteral("/proc/%1/statm").arg(pid));
        if (!file.open(QIODevice::ReadOnly))
            return 0;
        const QList<QByteArray> words = file.readAll().split(' ');
        return words.size() > 1 ? words[1].toDouble() * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6 : 0;
    }
    static std::int64_t threadCpuNs() {
        timespec t{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return t.tv_sec * 1'000'000'000 + t.tv_nsec;
    }
    void noteHeaviest(const char* receiver, int type, double ms) {
        if (ms > m_heaviest.ms)
            m_heaviest = {ms, static_cast<double>(monotonicNs() - m_since) / 1e9, receiver, type};
    }
    void noteDrawn() {
        const auto& series = m_plot->series();
        for (std::size_t r = 0; r < m_drawn.size() && r < series.size(); ++r)
            m_drawn[r] = series[r].empty() ? -1 : series[r].back().lastStep;
    }
    void notePicture() {
        const std::int64_t now = monotonicNs();
        for (std::size_t r = 0; r < m_pictures.size(); ++r)
            if (m_drawn[r] >= 0 && (m_pictures[r].empty() || m_pictures[r].back().step < m_drawn[r]))
                m_pictures[r].push_back({m_drawn[r], now});
    }
    /// Events that follow each other without a pause are one stretch, since a user has to wait for all of them.
    void begin() {
        static constexpr std::int64_t kAtOnce = 50'000;
        const std::int64_t now = monotonicNs(), cpu = threadCpuNs();
        if (now - m_stretchEnd <= kAtOnce)
            return;
        if (m_plot && m_stretchEnd > m_stretch) {
            m_wall.ms.push_back(static_cast<double>(m_stretchEnd - m_stretch) / 1e6);
            m_cpu.ms.push_back(static_cast<double>(m_stretchCpuEnd - m_stretchCpu) / 1e6);
        }
        m_stretch = now;
        m_stretchCpu = cpu;
    }
    void end() {
        m_stretchEnd = monotonicNs();
        m_stretchCpuEnd = threadCpuNs();
    }

    const ui::RankPlot* m_plot = nullptr;
    qint64 m_other = 0;
    std::vector<std::vector<Picture>> m_pictures; ///< by rank
    std::vector<std::int64_t> m_drawn;            ///< newest step on the plot's canvas, by rank
    Series m_cpu, m_wall;
    Heaviest m_heaviest;
    Resident m_own, m_others;
    std::int64_t m_since = 0, m_cpuSince = 0, m_stretch = 0, m_stretchEnd = 0, m_stretchCpu = 0, m_stretchCpuEnd = 0;
    double m_share = 0;
    int m_depth = 0, m_timer = 0;
};

} // namespace rankscope::bench
