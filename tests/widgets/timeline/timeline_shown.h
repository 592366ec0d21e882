// SPDX-License-Identifier: GPL-3.0-or-later
// The real page over a real store, with helpers for its tests.
#pragma once

#include "tests/widgets/timeline_run.h"
#include "widgets/models/run/run_session.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/page/timeline_page.h"
#include "widgets/timeline/view/timeline_view.h"

#include <QTest>

#include <memory>

namespace rankscope::test {

class TimelineShown {
protected:
    /// Makes a run with three ranks, of which rank 1 holds up the others in step 60.
    void makeRun() {
        ui::Theme::instance().apply(ui::Theme::Mode::Light);
        m_run = std::make_unique<SyntheticRun>(3, launch::RunState::Finished, 120);
        m_run->addSteps(120, timelineStep);
        m_run->addIncident(1, diagnosis::Cause::DataLoading, 1, 60, 2'900'000'000);
        m_run->finishStore();
    }
    void open(SyntheticRun& run) {
        m_page = std::make_unique<ui::TimelinePage>();
        m_session = std::make_unique<ui::RunSession>(run.paths());
        m_page->resize(1100, 700);
        m_page->setSession(m_session.get());
        m_page->show();
        m_view = m_page->view();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
        QTRY_VERIFY_WITH_TIMEOUT(m_view->scene().rankCount() > 0 && m_page->isComplete(), 15'000);
        m_page->activateWindow();
        m_view->setFocus();
    }
    void close() {
        m_page.reset();
        m_session.reset();
    }
    std::int64_t since(std::int64_t step) const { return m_run->stepBegin(step) - m_run->info().startNs; }
    /// Shows these steps and waits until they are drawn.
    void showSteps(std::int64_t first, std::int64_t last) {
        m_view->showWindow(
            {static_cast<double>(since(first)), static_cast<double>(since(last) + SyntheticRun::kStepNs)});
        QTRY_VERIFY_WITH_TIMEOUT(m_page->isComplete(), 15'000);
    }
    QPoint at(int rank, std::int64_t ns, ui::LanePart part) const {
        return m_view->scene().pointOf(rank, static_cast<double>(ns), part);
    }
    QColor colourAt(const QPoint& pixel) const { return m_view->viewport()->grab().toImage().pixelColor(pixel); }

    std::unique_ptr<SyntheticRun> m_run;
    std::unique_ptr<ui::RunSession> m_session;
    std::unique_ptr<ui::TimelinePage> m_page;
    ui::TimelineView* m_view = nullptr;
};

} // namespace rankscope::test
