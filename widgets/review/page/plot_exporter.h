// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/values/error.h"

#include <QList>
#include <QObject>
#include <QPointer>

namespace rankscope::ui {

class FilterController;
class PlotFeed;
class PlotStack;
class RankPlot;
class RunSession;
struct ExportJob;

/// Writes plots of the review page to files, or copies them as a table. An empty list of plots means all.
class PlotExporter final : public QObject {
    Q_OBJECT
public:
    /// The page owns all three.
    PlotExporter(QWidget* page, const PlotStack* stack, const PlotFeed* feed, const FilterController* filters);

    void setSession(RunSession* session) { m_session = session; }
    /// Writes plots in the format given by the suffix: .png, .pdf, .svg or .csv.
    Result<void> write(const QList<RankPlot*>& only, const QString& file) const;
    void askAndWrite(const QList<RankPlot*>& only); ///< asks for the file first
    void copyAsTable(RankPlot* plot);

signals:
    void message(const QString& text);
    void failed(const QString& problem);

private:
    ExportJob job(const QList<RankPlot*>& only) const;

    QWidget* m_page;
    const PlotStack* m_stack;
    const PlotFeed* m_feed;
    const FilterController* m_filters;
    QPointer<RunSession> m_session;
};

} // namespace rankscope::ui
