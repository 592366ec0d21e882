// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/page/plot_menu.h"

#include "widgets/models/text/text_format.h"
#include "widgets/review/annotations/annotation_controller.h"
#include "widgets/review/page/filter_controller.h"
#include "widgets/review/page/plot_exporter.h"
#include "widgets/review/page/plot_feed.h"
#include "widgets/review/page/plot_stack.h"

#include <QMenu>

namespace rankscope::ui {

PlotMenu::PlotMenu(QWidget* page, const MenuParts& parts) : QObject(page), m_page(page), m_parts(parts) {}

void PlotMenu::fillAddMenu(QMenu* menu) {
    menu->clear();
    const auto add = [this](QMenu* into, const PlotSeries& series) {
        auto* action = into->addAction(series.title(), this, [this, series] { m_parts.stack->addPlot(series); });
        action->setEnabled(!m_parts.stack->has(series));
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
    if (m_parts.feed->extras().tags.empty())
        return;
    auto* imported = menu->addMenu(tr("Imported series"));
    imported->setStyleSheet(QStringLiteral("QMenu{menu-scrollable:1;}"));
    for (const auto& tag : m_parts.feed->extras().tags)
        if (const auto series = PlotSeries::fromKey(QStringLiteral("tag:") + toQString(tag)))
            add(imported, *series);
}

void PlotMenu::popup(RankPlot* plot, QPoint globalPos, std::optional<double> x, qint64 annotation) {
    if (!m_parts.stack->paneOf(plot))
        return;
    auto* menu = new QMenu(m_page);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    addAnnotationActions(menu, x, annotation);
    addFilterActions(menu);
    menu->addSeparator();
    addLookActions(menu, plot);
    menu->addAction(tr("Copy as table"), plot, [=, this] { m_parts.exporter->copyAsTable(plot); });
    menu->addAction(tr("Export this plot…"), plot, [=, this] { m_parts.exporter->askAndWrite({plot}); });
    menu->addSeparator();
    addPlaceActions(menu, plot);
    menu->popup(globalPos);
}

void PlotMenu::addAnnotationActions(QMenu* menu, std::optional<double> x, qint64 annotation) {
    auto* annotations = m_parts.annotations;
    if (annotation != 0) {
        menu->addAction(tr("Edit the annotation"), annotations, [=] { annotations->edit(annotation); });
        menu->addAction(tr("Delete the annotation"), annotations, [=] { annotations->remove(annotation); });
    } else if (m_parts.feed->controller().hasSteps()) {
        menu->addAction(m_parts.filters->filter() ? tr("Annotate the filtered steps…") : tr("Annotate here…"), this,
                        [=, this] { emit annotateRequested(x); });
    }
    if (annotations->canUndo())
        menu->addAction(tr("Undo annotation"), annotations, &AnnotationController::undo);
}

void PlotMenu::addFilterActions(QMenu* menu) {
    auto* filters = m_parts.filters;
    if (filters->filter()) {
        menu->addSeparator();
        menu->addAction(tr("Zoom to the filter"), filters, &FilterController::zoomToFilter);
        menu->addAction(tr("Clear filter"), filters, [filters] { filters->setFilter(std::nullopt); });
    } else if (m_parts.feed->controller().hasSteps()) {
        menu->addAction(tr("Filter to the current view"), filters, [this] {
            const SharedAxisController& controller = m_parts.feed->controller();
            m_parts.filters->setFilter(controller.stepsOf(controller.window()));
        });
    }
}

void PlotMenu::addLookActions(QMenu* menu, RankPlot* plot) {
    auto* logAction =
        menu->addAction(tr("Logarithmic"), plot, [=, this] { m_parts.stack->setPlotLog(plot, !plot->logScale()); });
    logAction->setCheckable(true);
    logAction->setChecked(plot->logScale());
    logAction->setEnabled(plot->spec().canBeLog);
    auto* outliersAction = menu->addAction(tr("Ignore outliers"), plot, [=, this] {
        m_parts.stack->setPlotIgnoresOutliers(plot, !plot->y()->ignoresOutliers());
    });
    outliersAction->setCheckable(true);
    outliersAction->setChecked(plot->y()->ignoresOutliers());
    menu->addAction(tr("Fit the y axis again") + QStringLiteral("\tCtrl+Home"), plot,
                    [=] { plot->y()->setByHand(std::nullopt); })
        ->setEnabled(plot->y()->byHand().has_value());
}

void PlotMenu::addPlaceActions(QMenu* menu, RankPlot* plot) {
    auto* stack = m_parts.stack;
    fillAddMenu(menu->addMenu(tr("Add a plot")));
    auto* pinAction = menu->addAction(tr("Pin to top"), stack, [=] {
        if (const auto* pane = stack->paneOf(plot))
            stack->setPinned(plot, !pane->pinned);
    });
    pinAction->setCheckable(true);
    const auto* pane = stack->paneOf(plot);
    pinAction->setChecked(pane->pinned);
    const auto place = pane - stack->panes().data();
    menu->addAction(tr("Move up") + QStringLiteral("\tAlt+↑"), stack, [=] { stack->movePlot(plot, -1); })
        ->setEnabled(stack->placeAfterMove(plot, -1) != place);
    menu->addAction(tr("Move down") + QStringLiteral("\tAlt+↓"), stack, [=] { stack->movePlot(plot, 1); })
        ->setEnabled(stack->placeAfterMove(plot, 1) != place);
    menu->addAction(tr("Remove this plot") + QStringLiteral("\tDel"), stack, [=] { stack->removePlot(plot); })
        ->setEnabled(stack->panes().size() > 1);
}

} // namespace rankscope::ui
