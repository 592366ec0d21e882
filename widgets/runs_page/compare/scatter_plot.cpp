// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/compare/scatter_plot.h"

#include "widgets/models/text/tool_tip.h"
#include "widgets/plots/axes/plot_style.h"
#include "widgets/plots/axes/ticks.h"
#include "widgets/plots/export/page_export.h"
#include "widgets/theme/accessible.h"
#include "widgets/theme/theme.h"

#include <QFileInfo>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

/// Returns a short form of a YAML value: without brackets, and only the file name of a path.
static QString categoryText(const QString& yaml) {
    if (yaml == QLatin1String("[]") || yaml == QLatin1String("{}") || yaml == QLatin1String("null"))
        return ScatterPlot::tr("none");
    QString text = yaml;
    for (const QChar c : QStringLiteral("[]{}\"'"))
        text.remove(c);
    if (!text.contains(QLatin1Char(' ')) && text.contains(QLatin1Char('/')))
        text = text.section(QLatin1Char('/'), -1, -1, QString::SectionSkipEmpty);
    return text.isEmpty() ? yaml : text;
}

ScatterData scatterOf(const QList<RunRow>& runs, const QList<QColor>& colours, const RunField& x, const RunField& y,
                      qint64 nowNs) {
    ScatterData data;
    bool numbers = true;
    QStringList texts;
    for (qsizetype i = 0; i < runs.size(); ++i) {
        const Cell a = cellOf(runs[i], x, nowNs), b = cellOf(runs[i], y, nowNs);
        if (a.isMissing() || std::isnan(b.number)) {
            ++data.missing;
            continue;
        }
        numbers = numbers && !std::isnan(a.number);
        texts << a.text;
        const QString changes = runs[i].changesLine();
        const QString name = changes.isEmpty() ? runs[i].name() : runs[i].name() + QStringLiteral(" · ") + changes;
        data.points.push_back({a.number, b.number, name, runs[i].dir(), a.text, b.text, colours.value(i)});
    }
    if (numbers)
        return data;
    QStringList sorted = texts;
    sorted.sort();
    sorted.removeDuplicates();
    for (const QString& text : std::as_const(sorted))
        data.categories << categoryText(text);
    if (QSet<QString>(data.categories.begin(), data.categories.end()).size() != data.categories.size())
        data.categories = sorted; // their short forms would be the same
    for (std::size_t i = 0; i < data.points.size(); ++i)
        data.points[i].x = static_cast<double>(sorted.indexOf(texts[static_cast<qsizetype>(i)]));
    return data;
}

ScatterPlot::ScatterPlot(QWidget* parent)
    : QCustomPlot(parent), m_yTicker(QSharedPointer<PlotTicker>::create()),
      m_xTicker(QSharedPointer<PlotTicker>::create()), m_categories(QSharedPointer<QCPAxisTickerText>::create()) {
    setAccessibleRole(this, QAccessible::Chart);
    setInteractions(QCP::iNone);
    setMouseTracking(true);
    setMinimumSize(160, 120);
    m_frame = new PlotFrameItem(this, m_noSpans);
    m_frame->setLayer(QStringLiteral("axes"));
    yAxis->setTicker(m_yTicker);
    prepareAxes(this);
    connect(&Theme::instance(), &Theme::changed, this, &ScatterPlot::applyTheme);
    applyTheme();
}

void ScatterPlot::applyTheme() {
    styleAxes(this);
    setPlotMargins(this, true);
    replot(rpQueuedReplot);
}

static QCPRange padded(double lo, double hi) {
    const double pad = hi > lo ? (hi - lo) * 0.08 : std::max(std::abs(hi) * 0.1, 1e-6);
    return {lo - pad, hi + pad};
}

void ScatterPlot::setData(ScatterData data, const QString& xTitle, const RunField& y) {
    m_data = std::move(data);
    m_xTitle = xTitle;
    m_y = y;
    clearGraphs();
    double left = 0, right = 1, low = 0, high = 1;
    bool any = false;
    QHash<QRgb, QCPGraph*> graphs; // by colour
    for (const ScatterPoint& point : m_data.points) {
        QCPGraph*& graph = graphs[point.colour.rgba()];
        if (!graph) {
            graph = addGraph();
            graph->setLineStyle(QCPGraph::lsNone);
            graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, point.colour, 9));
        }
        graph->addData(point.x, point.y);
        left = any ? std::min(left, point.x) : point.x;
        right = any ? std::max(right, point.x) : point.x;
        low = any ? std::min(low, point.y) : point.y;
        high = any ? std::max(high, point.y) : point.y;
        any = true;
    }
    yAxis->setRange(padded(low, high));
    if (m_data.categories.isEmpty()) {
        xAxis->setTicker(m_xTicker);
        xAxis->setRange(padded(left, right));
    } else {
        nameCategories();
        xAxis->setTicker(m_categories);
        xAxis->setRange(-0.5, static_cast<double>(m_data.categories.size()) - 0.5);
    }
    const bool seconds = y.kind() == FieldKind::Seconds;
    m_yTicker->setFactor(seconds ? durationUnit(high).perSecond : y.kind() == FieldKind::Bytes ? 1e-6 : 1);
    m_frame->title = y.title();
    m_frame->unit = seconds                        ? QString::fromUtf8(durationUnit(high).name)
                    : y.kind() == FieldKind::Bytes ? QStringLiteral("MB")
                                                   : QString();
    m_frame->remark = m_data.missing > 0 ? tr("%n run(s) without a value", nullptr, m_data.missing) : QString();
    xAxis->setLabel(xTitle);
    replot(rpQueuedReplot);
}

void ScatterPlot::nameCategories() {
    constexpr int kGap = 8, kLeast = 40;
    m_categories->clear();
    if (m_data.categories.isEmpty())
        return;
    // not the axes' width, which is laid out only when the plot is drawn
    const QMargins margins = axisRect()->margins();
    const int plot = width() - margins.left() - margins.right();
    const int room = std::max(kLeast, plot / static_cast<int>(m_data.categories.size()) - kGap);
    for (int i = 0; i < m_data.categories.size(); ++i)
        m_categories->addTick(i, QFontMetrics(font()).elidedText(m_data.categories[i], Qt::ElideRight, room));
}

QPointF ScatterPlot::pixelOf(int point) const {
    const ScatterPoint& p = m_data.points[static_cast<std::size_t>(point)];
    return {xAxis->coordToPixel(p.x), yAxis->coordToPixel(p.y)};
}

const ScatterPoint* ScatterPlot::pointAt(const QPointF& pixel) const {
    const ScatterPoint* best = nullptr;
    double nearest = 10; // pixels
    for (std::size_t i = 0; i < m_data.points.size(); ++i) {
        const double distance = QLineF(pixelOf(static_cast<int>(i)), pixel).length();
        if (distance <= nearest) {
            nearest = distance;
            best = &m_data.points[i];
        }
    }
    return best;
}

void ScatterPlot::resizeEvent(QResizeEvent* event) {
    nameCategories();
    QCustomPlot::resizeEvent(event);
}

void ScatterPlot::mouseMoveEvent(QMouseEvent* event) {
    QCustomPlot::mouseMoveEvent(event);
    const ScatterPoint* point = pointAt(event->position());
    setCursor(point ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (point)
        QToolTip::showText(event->globalPosition().toPoint(),
                           plainToolTip(QStringLiteral("%1\n%2: %3\n%4: %5")
                                            .arg(point->name, m_xTitle, point->xText, m_y.title(), point->yText)),
                           this);
    else
        QToolTip::hideText();
}

void ScatterPlot::mouseReleaseEvent(QMouseEvent* event) {
    QCustomPlot::mouseReleaseEvent(event);
    const ScatterPoint* point = pointAt(event->position());
    if (point && event->button() == Qt::LeftButton)
        emit clicked(QString(point->dir)); // a copy: the receiver may replace the points
}

QString ScatterPlot::csv(QChar separator) const {
    const auto quoted = [](QString text) {
        return QStringLiteral("\"%1\"").arg(text.replace(QLatin1Char('"'), QStringLiteral("\"\"")));
    };
    const auto line = [separator](const QStringList& cells) { return cells.join(separator) + QLatin1Char('\n'); };
    QString text = line({QStringLiteral("run"), quoted(m_xTitle), QString::fromStdString(m_y.key)});
    for (const ScatterPoint& point : m_data.points)
        text += line({quoted(QFileInfo(point.dir).fileName()), quoted(point.xText), QString::number(point.y, 'g', 9)});
    return text;
}

Result<void> ScatterPlot::exportTo(const QString& file, const QString& title) {
    if (QFileInfo(file).suffix().toLower() == QLatin1String("csv"))
        return writeTextFile(csv(), file);
    PlotPage page;
    page.title = title;
    page.draw = [this, &page](QCPPainter& painter) { toPainter(&painter, PlotPage::kWidth, page.height); };
    return writePage(page, file);
}

} // namespace rankscope::ui
