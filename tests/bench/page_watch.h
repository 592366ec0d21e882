// SPDX-License-Identifier: Apache-2.0
// An application that records how long each event keeps the window's thread busy, and when a state was painted.
#pragma once

#include "core/base/values/clock.h"

#include <QApplication>
#include <QThread>
#include <QWidget>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

namespace rankscope::bench {

/// Milliseconds of several rounds.
struct Series {
    std::vector<double> ms;

    double at(double share) const {
        std::vector<double> sorted = ms;
        std::sort(sorted.begin(), sorted.end());
        return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
    }
    void print(const char* what) const {
        std::printf("  %-44s median %6.1f  p95 %6.1f  max %6.1f  least %6.1f ms\n", what, at(0.5), at(0.95), at(1),
                    at(0));
    }
};

struct Figures {
    Series text, tree, all, busy, busyCpu, cpu;
    std::function<bool()> rest; ///< true once everything is known; empty: once it is shown

    double shownMs() const { return all.at(0.5); }
    double busyMs() const { return busy.at(0.5); }
    void print(const char* what) const {
        std::printf(" %s, %zu times\n", what, all.ms.size());
        text.print("until the text is painted");
        tree.print("until the tree is painted");
        all.print("until all is evaluated and painted");
        busy.print("window's thread busy at a stretch, wall");
        busyCpu.print("window's thread busy at a stretch, CPU");
        cpu.print("window's thread in all, CPU");
    }
};

class WatchedApplication final : public QApplication {
public:
    using Predicate = std::function<bool()>;
    using QApplication::QApplication;

    void watch(QWidget* tree, QWidget* text) {
        m_tree = tree;
        m_text = text;
    }

    bool notify(QObject* receiver, QEvent* event) override {
        if (QThread::currentThread() != thread())
            return QApplication::notify(receiver, event);
        const bool painted = event->type() == QEvent::Paint && (receiver == m_tree || receiver == m_text);
        const bool isTree = receiver == m_tree;
        if (m_depth++ == 0)
            begin();
        const bool done = QApplication::notify(receiver, event);
        if (painted && m_treeShown && !(isTree ? m_treeAt : m_textAt) && (isTree ? m_treeShown : m_textShown)())
            (isTree ? m_treeAt : m_textAt) = monotonicNs();
        if (painted)
            m_lastPaint = monotonicNs();
        if (--m_depth == 0)
            end();
        return done;
    }

    /// Handles events until `done` returns true; returns false if that takes more than a minute.
    bool until(const Predicate& done) {
        const int tick = startTimer(5);
        const std::int64_t limit = monotonicNs() + 60'000'000'000;
        while (!done() && monotonicNs() < limit)
            processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
        killTimer(tick);
        return done();
    }
    void settle(std::int64_t ms) {
        const std::int64_t end = monotonicNs() + ms * 1'000'000;
        (void)until([&] { return monotonicNs() >= end; });
    }

    /// Runs `start` as a separate event, then handles events until `done` and for another `settleMs`. Returns the
    /// longest time that the window's thread was busy without a break, in ms.
    double longestMs(const std::function<void()>& start, const Predicate& done, std::int64_t settleMs) {
        m_worst = m_stretchEnd = 0;
        bool started = false;
        const auto first = [&] {
            started = true;
            start();
        };
        QMetaObject::invokeMethod(this, first, Qt::QueuedConnection);
        (void)until([&] { return started && done(); });
        settle(settleMs);
        return static_cast<double>(m_worst) / 1e6;
    }

    /// Runs `start` as a separate event; `tree` and `text` return whether they show the requested state.
    bool measure(const std::function<void()>& start, const Predicate& tree, const Predicate& text,
                 std::int64_t settleMs, Figures& figures) {
        m_treeShown = tree;
        m_textShown = text;
        m_treeAt = m_textAt = 0;
        m_worst = m_worstCpu = m_sum = 0;
        m_stretchEnd = 0;
        const std::int64_t began = monotonicNs();
        QMetaObject::invokeMethod(this, start, Qt::QueuedConnection);
        std::int64_t rest = 0;
        const bool ok = until([&] {
            if (!m_treeAt || !m_textAt || (figures.rest && !figures.rest()))
                return false;
            rest = rest ? rest : monotonicNs();
            return true;
        });
        const auto ms = [&](std::int64_t at) { return static_cast<double>(at - began) / 1e6; };
        figures.text.ms.push_back(ms(m_textAt));
        figures.tree.ms.push_back(ms(m_treeAt));
        settle(settleMs > 0 ? 30 : 0); // for what the last evaluation still paints
        figures.all.ms.push_back(ms(std::max(rest, std::min(m_lastPaint, rest + 30'000'000))));
        settle(settleMs);
        figures.busy.ms.push_back(static_cast<double>(m_worst) / 1e6);
        figures.busyCpu.ms.push_back(static_cast<double>(m_worstCpu) / 1e6);
        figures.cpu.ms.push_back(static_cast<double>(m_sum) / 1e6);
        m_treeShown = m_textShown = nullptr;
        figures.rest = nullptr;
        return ok;
    }

private:
    static std::int64_t threadCpuNs() {
        timespec t{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return t.tv_sec * 1'000'000'000 + t.tv_nsec;
    }
    /// Events that follow each other without a pause are one stretch, since a user has to wait for all of them.
    void begin() {
        static constexpr std::int64_t kAtOnce = 50'000;
        const std::int64_t now = monotonicNs();
        m_cpuBegin = threadCpuNs();
        if (now - m_stretchEnd > kAtOnce) {
            m_stretch = now;
            m_stretchCpu = m_cpuBegin;
        }
    }
    void end() {
        m_stretchEnd = monotonicNs();
        const std::int64_t cpu = threadCpuNs();
        m_sum += cpu - m_cpuBegin;
        m_worst = std::max(m_worst, m_stretchEnd - m_stretch);
        m_worstCpu = std::max(m_worstCpu, cpu - m_stretchCpu);
    }

    QWidget *m_tree = nullptr, *m_text = nullptr;
    Predicate m_treeShown, m_textShown;
    std::int64_t m_treeAt = 0, m_textAt = 0, m_lastPaint = 0;
    std::int64_t m_worst = 0, m_worstCpu = 0, m_sum = 0, m_cpuBegin = 0;
    std::int64_t m_stretch = 0, m_stretchEnd = 0, m_stretchCpu = 0;
    int m_depth = 0;
};

} // namespace rankscope::bench
