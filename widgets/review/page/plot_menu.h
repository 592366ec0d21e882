// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPoint>

#include <optional>

class QMenu;
class QWidget;

namespace rankscope::ui {

class AnnotationController;
class FilterController;
class PlotExporter;
class PlotFeed;
class PlotStack;
class RankPlot;

/// The context menu of the review page's plots, and the menu from which plots are added.
class PlotMenu final : public QObject {
    Q_OBJECT
public:
    /// What the menus act on; the page owns all of it.
    struct Parts {
        PlotStack* stack;
        PlotFeed* feed;
        FilterController* filters;
        AnnotationController* annotations;
        PlotExporter* exporter;
    };

    PlotMenu(QWidget* page, const Parts& parts);

    void fillAddMenu(QMenu* menu);
    /// `x`: place on the x axis that was clicked; `annotation`: the one there, 0: none.
    void popup(RankPlot* plot, QPoint globalPos, std::optional<double> x, qint64 annotation);

signals:
    void annotateRequested(std::optional<double> x);

private:
    void addAnnotationActions(QMenu* menu, std::optional<double> x, qint64 annotation);
    void addFilterActions(QMenu* menu);
    void addLookActions(QMenu* menu, RankPlot* plot);
    void addPlaceActions(QMenu* menu, RankPlot* plot);

    QWidget* m_page;
    Parts m_parts;
};

} // namespace rankscope::ui
