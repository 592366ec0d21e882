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
    /// The objects that the menus act on; the page owns them.
    struct MenuParts {
        PlotStack* stack;
        PlotFeed* feed;
        FilterController* filters;
        AnnotationController* annotations;
        PlotExporter* exporter;
    };

    PlotMenu(QWidget* page, const MenuParts& parts);

    void fillAddMenu(QMenu* menu);
    /// Opens the context menu. `x` is the clicked place on the x axis, `annotation` the one there; 0: none.
    void popup(RankPlot* plot, QPoint globalPos, std::optional<double> x, qint64 annotation);

signals:
    void annotateRequested(std::optional<double> x);

private:
    void addAnnotationActions(QMenu* menu, std::optional<double> x, qint64 annotation);
    void addFilterActions(QMenu* menu);
    void addLookActions(QMenu* menu, RankPlot* plot);
    void addPlaceActions(QMenu* menu, RankPlot* plot);

    QWidget* m_page;
    MenuParts m_parts;
};

} // namespace rankscope::ui
