// SPDX-License-Identifier: GPL-3.0-or-later
// The plots of the page: which series, in which order, and what the menu of one offers.
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/review/series/lineage_series.h"
#include "widgets/review/page/plot_order.h"
#include "widgets/review/page/review_impl.h"

#include <QClipboard>
#include <QGuiApplication>

#include <algorithm>

namespace rankscope::ui {

namespace {
constexpr int kLeastPlotHeight = 80, kAxisHeight = 40; ///< with a curve that can be read; the x axis of the last one
constexpr int kMostTagPoints = 150'000;                ///< over all ranks and tags of one answer

QString paneName(const PlotSeries& series) {
    if (series.resource)
        return series.key() + QStringLiteral("Plot");
    if (series.isTag())
        return QStringLiteral("tagPlot");
    switch (series.metric) {
    case store::Metric::Loss:
        return QStringLiteral("lossPlot");
    case store::Metric::FramesMax:
        return QStringLiteral("lengthPlot");
    case store::Metric::WaitTotal:
        return QStringLiteral("waitPlot");
    default:
        return series.key() + QStringLiteral("Plot");
    }
}
} // namespace

QList<RankPlot*> ReviewPage::Impl::plots() const {
    QList<RankPlot*> all;
    for (const PlotPane& pane : panes)
        all << pane.plot;
    return all;
}

PlotPane* ReviewPage::Impl::paneOf(const RankPlot* plot) {
    const auto it = std::find_if(panes.begin(), panes.end(), [plot](const PlotPane& p) { return p.plot == plot; });
    return it == panes.end() ? nullptr : &*it;
}

RankPlot* ReviewPage::Impl::makePane(const PlotSeries& series, bool logScale) {
    auto* plot = new RankPlot(series.spec());
    plot->setObjectName(paneName(series));
    plot->setAccessibleName(series.title());
    plot->setSpanText([this](qint64 id) { return sentence(id); });
    plot->setAxis(controller.axis());
    plot->setSmoothing(smooth);
    plot->setSmoothingHalfLife(smoothHalfLife);
    plot->setLogScale(logScale);
    plot->setRange(controller.window());
    if (session)
        plot->setJoints(jointsOf(controller.chain(), session->view()));
    connectPlot(plot);
    splitter->addWidget(plot);
    splitter->setStretchFactor(splitter->count() - 1, 1);
    plot->show();
    panes.push_back({series, plot, logScale});
    if (series.resource)
        resources.add(plot, *series.resource);
    return plot;
}

/// Plots came, went or changed places.
void ReviewPage::Impl::seriesChanged() {
    updateEnds();
    updateLines();
    updateValidations();
    if (session)
        updateSpans();
    applyFilter();
    updateMarks();
    std::vector<store::Metric> metrics;
    for (const PlotPane& pane : panes)
        if (pane.series.isMetric())
            metrics.push_back(pane.series.metric);
    controller.setMetrics(std::move(metrics));
}

void ReviewPage::Impl::updateEnds() {
    for (const PlotPane& pane : panes) {
        pane.plot->setTop(&pane == &panes.front());
        const bool bottom = &pane == &panes.back();
        pane.plot->setBottom(bottom);
        pane.plot->setMinimumHeight(bottom ? kLeastPlotHeight + kAxisHeight : kLeastPlotHeight);
    }
}

bool ReviewPage::Impl::addPlot(const PlotSeries& series) {
    const auto same = std::find_if(panes.begin(), panes.end(), [&](const PlotPane& p) { return p.series == series; });
    if (same != panes.end()) {
        same->plot->setFocus(Qt::TabFocusReason);
        emit page->message(ReviewPage::tr("%1 is on the page already").arg(series.title()));
        return false;
    }
    if (std::ssize(panes) >= ReviewLayout::kMostPlots) {
        emit page->message(
            ReviewPage::tr("%n plots are all that fit; remove one first", nullptr, ReviewLayout::kMostPlots));
        return false;
    }
    QList<int> heights = splitter->sizes();
    const bool ignoresOutliers =
        std::ranges::all_of(panes, [](const auto& p) { return p.plot->y()->ignoresOutliers(); });
    makePane(series, log)->y()->setIgnoreOutliers(ignoresOutliers);
    heights << (heights.isEmpty() ? 100 : heights.back());
    splitter->setSizes(heights);
    seriesChanged();
    if (series.isTag())
        controller.askAgain();
    if (series.resource)
        askResources();
    return true;
}

void ReviewPage::Impl::removePlot(RankPlot* plot) {
    if (panes.size() <= 1) {
        emit page->message(ReviewPage::tr("The last plot stays"));
        return;
    }
    const auto it = std::find_if(panes.begin(), panes.end(), [plot](const PlotPane& p) { return p.plot == plot; });
    if (it == panes.end())
        return;
    emit page->message(
        ReviewPage::tr("%1 was removed; it can be added again from the menu of panes").arg(it->series.title()));
    panes.erase(it);
    resources.remove(plot);
    outliersChanged();
    plot->hide();
    plot->setParent(nullptr);
    plot->deleteLater(); // its own menu or key may have asked for it
    seriesChanged();
}

void ReviewPage::Impl::setPlotLog(RankPlot* plot, bool on) {
    if (PlotPane* pane = paneOf(plot)) {
        pane->log = on;
        plot->setLogScale(on);
    }
}

void ReviewPage::Impl::setLogScale(bool on) {
    log = on;
    toolbar->setLogScale(on);
    for (const PlotPane& pane : panes)
        setPlotLog(pane.plot, on);
    emit page->switchesChanged();
}

void ReviewPage::Impl::setIgnoreOutliers(bool on) {
    for (const PlotPane& pane : panes)
        pane.plot->y()->setIgnoreOutliers(on);
    outliersChanged();
}

void ReviewPage::Impl::outliersChanged() {
    toolbar->setIgnoreOutliers(
        std::ranges::any_of(panes, [](const auto& p) { return p.plot->y()->ignoresOutliers(); }));
}

void ReviewPage::Impl::askResources() {
    if (session)
        resources.ask(static_cast<int>(session->view().ranks.size()), splitter->width());
}

void ReviewPage::Impl::fillAddMenu(QMenu* menu) {
    menu->clear();
    const auto add = [this](QMenu* into, const PlotSeries& series) {
        auto* action = into->addAction(series.title(), this, [this, series] { addPlot(series); });
        action->setEnabled(
            std::none_of(panes.begin(), panes.end(), [&](const PlotPane& p) { return p.series == series; }));
    };
    for (const auto group : {SeriesGroup::Training, SeriesGroup::Batches, SeriesGroup::Waits, SeriesGroup::Times}) {
        auto* into = menu->addMenu(groupTitle(group));
        for (const auto& info : store::metrics())
            if (groupOf(info.metric) == group)
                add(into, {info.metric, {}});
    }
    auto* machine = menu->addMenu(resourcesTitle());
    for (const auto& info : store::resources())
        add(machine, PlotSeries::of(info.resource));
    if (extra->tags.empty())
        return;
    auto* imported = menu->addMenu(ReviewPage::tr("Imported series"));
    imported->setStyleSheet(QStringLiteral("QMenu{menu-scrollable:1;}"));
    for (const auto& tag : extra->tags)
        if (const auto series = PlotSeries::fromKey(QStringLiteral("tag:") + toQString(tag)))
            add(imported, *series);
}

void ReviewPage::Impl::askTags(const SeriesRequest& window) {
    TagRequest request;
    for (const PlotPane& pane : panes)
        if (pane.series.isTag())
            request.tags.push_back(pane.series.tag.toStdString());
    if (request.tags.empty() || !session)
        return;
    request.ranks = static_cast<int>(session->view().ranks.size());
    request.axis = window.axis;
    const bool counted = window.axis == CurveAxis::SampleCount; // an import's series lie at steps
    const auto place = [&](std::int64_t x) {
        return counted ? static_cast<std::int64_t>(controller.stepOf(static_cast<double>(x))) : x;
    };
    request.from = std::max<std::int64_t>(0, place(window.from));
    request.to = place(window.to) + counted;
    const auto series = static_cast<int>(request.tags.size()) * std::max(1, request.ranks);
    request.maxPoints = std::clamp(kMostTagPoints / series, 50, std::max(50, splitter->width()));
    extras.requestSeries(request);
}

void ReviewPage::Impl::takeTags(const TagReply& reply) {
    if (!reply.error.isEmpty())
        emit page->failed(reply.error);
    if (reply.request.axis != controller.axis())
        return;
    for (std::size_t t = 0; t < reply.points.size(); ++t)
        for (const PlotPane& pane : panes) {
            if (!pane.series.isTag() || pane.series.tag.toStdString() != reply.request.tags[t])
                continue;
            std::vector<Samples> ranks;
            for (const auto& points : reply.points[t])
                ranks.push_back(toSamples(points, reply.request.axis, 1, controller.samples()));
            pane.plot->setSeries(std::move(ranks));
        }
}

void ReviewPage::Impl::plotMenu(RankPlot* plot, QPoint at, std::optional<double> x, qint64 annotation) {
    PlotPane* pane = paneOf(plot);
    if (!pane)
        return;
    auto* menu = new QMenu(page);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (annotation != 0) {
        menu->addAction(ReviewPage::tr("Edit the annotation"), this, [=, this] { editAnnotation(annotation); });
        menu->addAction(ReviewPage::tr("Delete the annotation"), this, [=, this] { removeAnnotation(annotation); });
    } else if (session && controller.hasSteps()) {
        menu->addAction(filter ? ReviewPage::tr("Annotate the filtered steps…") : ReviewPage::tr("Annotate here…"),
                        this, [=, this] { annotate(x); });
    }
    if (!m_annotationUndo.empty())
        menu->addAction(ReviewPage::tr("Undo annotation"), this, &Impl::undoAnnotation);
    if (filter) {
        menu->addSeparator();
        menu->addAction(ReviewPage::tr("Zoom to the filter"), this,
                        [this] { filter ? controller.showSteps(filter->first, filter->last) : void(); });
        menu->addAction(ReviewPage::tr("Clear filter"), this, [this] { setFilter(std::nullopt); });
    } else if (session && controller.hasSteps()) {
        menu->addAction(ReviewPage::tr("Filter to the current view"), this,
                        [this] { setFilter(controller.stepsOf(controller.window())); });
    }
    menu->addSeparator();
    auto* logAction =
        menu->addAction(ReviewPage::tr("Logarithmic"), this, [=, this] { setPlotLog(plot, !plot->logScale()); });
    logAction->setCheckable(true);
    logAction->setChecked(plot->logScale());
    logAction->setEnabled(plot->spec().canBeLog);
    auto* outliersAction = menu->addAction(ReviewPage::tr("Ignore outliers"), this, [=, this] {
        plot->y()->setIgnoreOutliers(!plot->y()->ignoresOutliers());
        outliersChanged();
    });
    outliersAction->setCheckable(true);
    outliersAction->setChecked(plot->y()->ignoresOutliers());
    menu->addAction(ReviewPage::tr("Fit the y axis again") + QStringLiteral("\tCtrl+Home"), this,
                    [=] { plot->y()->setByHand(std::nullopt); })
        ->setEnabled(plot->y()->byHand().has_value());
    menu->addAction(ReviewPage::tr("Copy as table"), this, [=, this] {
        QGuiApplication::clipboard()->setText(toCsv(exportJob({plot}), u'\t'));
        emit page->message(ReviewPage::tr("The visible series was copied; paste it into a spreadsheet"));
    });
    menu->addAction(ReviewPage::tr("Export this plot…"), this, [=, this] { exportDialog({plot}); });
    menu->addSeparator();
    auto* adding = menu->addMenu(ReviewPage::tr("Add a plot"));
    fillAddMenu(adding);
    auto* pinAction = menu->addAction(ReviewPage::tr("Pin to top"), this, [=, this] {
        if (const PlotPane* mine = paneOf(plot))
            setPinned(plot, !mine->pinned);
    });
    pinAction->setCheckable(true);
    pinAction->setChecked(pane->pinned);
    const auto place = pane - panes.data();
    const QList<bool> pinned = pinnedPlots();
    menu->addAction(ReviewPage::tr("Move up") + QStringLiteral("\tAlt+↑"), this, [=, this] { movePlot(plot, -1); })
        ->setEnabled(allowedPlace(pinned, place, place - 1) != place);
    menu->addAction(ReviewPage::tr("Move down") + QStringLiteral("\tAlt+↓"), this, [=, this] { movePlot(plot, 1); })
        ->setEnabled(allowedPlace(pinned, place, place + 1) != place);
    menu->addAction(ReviewPage::tr("Remove this plot") + QStringLiteral("\tDel"), this, [=, this] { removePlot(plot); })
        ->setEnabled(panes.size() > 1);
    menu->popup(at);
}

} // namespace rankscope::ui
