// SPDX-License-Identifier: GPL-3.0-or-later
// What is shown, kept and exported of the review page.
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/review/page/review_impl.h"

#include <QFileDialog>
#include <QMenu>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

void ReviewPage::Impl::makePanesMenu() {
    for (int i = 0; i < ReviewLayout::PaneCount; ++i) {
        auto* action = toolbar->panes()->addAction(QString());
        action->setCheckable(true);
        action->setChecked(shown[static_cast<std::size_t>(i)]);
        connect(action, &QAction::toggled, this, [this, i](bool on) { setPaneShown(i, on); });
    }
    toolbar->panes()->addSeparator();
    chainAction = toolbar->panes()->addAction(QString());
    chainAction->setObjectName(QStringLiteral("withWhatCameBefore"));
    chainAction->setCheckable(true);
    chainAction->setChecked(controller.isWithChain());
    connect(chainAction, &QAction::toggled, this, &Impl::setWithChain);
    toolbar->panes()->addSeparator();
    addMenu = toolbar->panes()->addMenu(QString());
    connect(addMenu, &QMenu::aboutToShow, this, [this] { fillAddMenu(addMenu); });
}

void ReviewPage::Impl::setPaneShown(int pane, bool on) {
    shown[static_cast<std::size_t>(pane)] = on;
    switch (pane) {
    case ReviewLayout::BoardPane:
        board->setVisible(on);
        break;
    case ReviewLayout::OverviewPane:
        strip->setVisible(on);
        break;
    case ReviewLayout::WhoWaitsPane:
        whoWaits->setVisible(on);
        break;
    case ReviewLayout::CheckpointsPane:
        checkpoints->setVisible(on);
        break;
    default:
        break;
    }
    auto* action = toolbar->panes()->actions().at(pane);
    action->setChecked(on);
    emit page->switchesChanged();
}

void ReviewPage::Impl::setWithChain(bool on) {
    chainAction->setChecked(on);
    if (on == controller.isWithChain())
        return;
    controller.setWithChain(on);
    updateChain();
    updateSpans();
    updateValidations();
    updateMarks();
    emit page->switchesChanged();
}

/// Where the runs meet, and what depends on whether the earlier ones are shown.
void ReviewPage::Impl::updateChain() {
    const RunChain* chain = controller.chain();
    const std::vector<RunJoint> joints = session ? jointsOf(chain, session->view()) : std::vector<RunJoint>{};
    std::vector<double> places;
    for (const RunJoint& joint : joints)
        places.push_back(joint.x);
    for (const PlotPane& pane : panes)
        pane.plot->setJoints(joints);
    strip->setJoints(places);
    chainAction->setEnabled(session && session->view().chain);
    const std::size_t own = session ? session->view().incidents.size() : 0;
    toolbar->setIncidents(static_cast<int>(own + (chain ? chain->incidentCount() : 0)));
    const bool moved = chain != m_chainShown;
    m_chainShown = chain;
    if (moved)
        updateMarks();
}

/// The filter, or what is seen of the run; whole steps.
void ReviewPage::Impl::askWaits() {
    if (!session || !controller.hasSteps())
        return whoWaits->clear();
    if (filter)
        return whoWaits->setRequest({storeAt(filter->last), false, filter->first, filter->last});
    const PlotRange w = controller.window();
    if (controller.axis() == CurveAxis::SampleCount) {
        const auto steps = controller.stepsOf(w);
        return whoWaits->setRequest({session->run().store(), false, steps.first, steps.last});
    }
    const bool byTime = controller.axis() == CurveAxis::Time;
    const auto store = byTime ? session->run().store() : storeAt(static_cast<std::int64_t>(std::floor(w.hi)));
    const double scale = byTime ? 1e9 : 1;
    const auto whole = [](double value) { return static_cast<std::int64_t>(std::clamp(value, -1.0, 9e18)); };
    whoWaits->setRequest({store, byTime, whole(std::ceil(w.lo * scale)), whole(std::floor(w.hi * scale))});
}

/// Of an earlier run, where what is asked for ends before the opened one began.
std::filesystem::path ReviewPage::Impl::storeAt(std::int64_t lastStep) const {
    const RunChain* chain = controller.chain();
    const ChainPart* part = chain ? chain->partAt(lastStep) : nullptr;
    return part ? part->run.store() : session->run().store();
}

ReviewLayout ReviewPage::Impl::layout() const {
    ReviewLayout layout;
    layout.shown = shown;
    layout.plots.clear();
    for (const PlotPane& pane : panes)
        layout.plots.append({pane.series.key(), pane.log, pane.plot->y()->ignoresOutliers(), pane.pinned});
    layout.plotHeights = splitter->sizes();
    layout.smooth = smooth;
    layout.smoothHalfLife = smoothHalfLife;
    layout.log = log;
    layout.withChain = controller.isWithChain();
    layout.axis = wantedAxis;
    return layout;
}

void ReviewPage::Impl::setLayout(const ReviewLayout& layout) {
    for (int i = 0; i < ReviewLayout::PaneCount; ++i)
        setPaneShown(i, layout.shown[static_cast<std::size_t>(i)]);
    for (const PlotPane& pane : panes) {
        resources.remove(pane.plot);
        delete pane.plot;
    }
    panes.clear();
    setSmoothingHalfLife(layout.smoothHalfLife);
    toolbar->setSmoothingHalfLife(smoothHalfLife);
    for (const auto& plot : layout.plots)
        if (const auto series = PlotSeries::fromKey(plot.series)) {
            makePane(*series, plot.log)->y()->setIgnoreOutliers(plot.ignoresOutliers);
            panes.back().pinned = plot.pinned;
            panes.back().plot->setPinned(plot.pinned);
        }
    if (panes.empty()) // a layout of a newer version, or none
        makePane({}, layout.log);
    seriesChanged();
    outliersChanged();
    askResources();
    if (layout.plotHeights.size() == splitter->count())
        splitter->setSizes(layout.plotHeights);
    setSmoothing(layout.smooth);
    setWithChain(layout.withChain);
    log = layout.log;
    toolbar->setLogScale(log);
    setAxis(layout.axis);
    emit page->switchesChanged();
}

ExportJob ReviewPage::Impl::exportJob(const QList<RankPlot*>& only) const {
    ExportJob job;
    job.plots = only.isEmpty() ? plots() : only;
    job.range = controller.window();
    job.axis = controller.axis();
    if (session) {
        const auto& info = session->view().info;
        job.title = QStringLiteral("%1  %2").arg(toQString(info.name.empty() ? info.id : info.name), rangeText());
        job.ranks = chooseLines(choice, session->view(), RankPlot::kMaxLines).ranks;
    }
    return job;
}

void ReviewPage::Impl::exportDialog(const QList<RankPlot*>& only) {
    if (!session || !controller.hasSteps()) {
        emit page->message(ReviewPage::tr("There is nothing to export yet"));
        return;
    }
    auto* dialog = new QFileDialog(page, ReviewPage::tr("Export the plots"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({ReviewPage::tr("Picture (*.png)"), ReviewPage::tr("Vector graphics (*.svg)"),
                            ReviewPage::tr("Document (*.pdf)"), ReviewPage::tr("Table of the visible series (*.csv)")});
    dialog->setDefaultSuffix(QStringLiteral("png"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& chosen) {
        dialog->setDefaultSuffix(chosen.section(QStringLiteral("*."), 1).chopped(1));
    });
    dialog->selectFile(toQString(session->view().info.id) + QStringLiteral(".png"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, only](const QString& file) {
        for (auto* plot : only)
            if (!plots().contains(plot)) {
                emit page->message(ReviewPage::tr("The plot was removed meanwhile"));
                return;
            }
        const auto written = ui::exportPlots(exportJob(only), file);
        if (written)
            emit page->message(ReviewPage::tr("Written: %1").arg(file));
        else
            emit page->failed(toQString(written.error().message()));
    });
    dialog->open();
}

} // namespace rankscope::ui
