// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/geometry/summary_track.h"

#include "widgets/models/text/text_format.h"
#include "widgets/theme/theme.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {

struct SummaryLabels {
    Q_DECLARE_TR_FUNCTIONS(SummaryLabels)
};

constexpr int kPad = 4; ///< above and below a row

QString shareText(float share) {
    return QStringLiteral("%1 %").arg(100 * static_cast<double>(share), 0, 'f', share < 0.0995F ? 1 : 0);
}

} // namespace

bool SummaryTrack::serves(const TimeScale& scale, PlotRange limits) const {
    if (!m_summary)
        return false;
    if (!m_summary->error.isEmpty())
        return true; // another request would fail again
    const double lo = std::max(scale.window.lo, limits.lo), hi = std::min(scale.window.hi, limits.hi);
    const double pixel = scale.nsPerPixel();
    return static_cast<double>(m_summary->request.fromNs) <= lo + pixel &&
           static_cast<double>(m_summary->request.toNs) >= hi - pixel && m_summary->columnNs() <= 3 * pixel;
}

void SummaryTrack::setOpenWaits(const std::vector<diagnosis::OpenWait>& waits, std::int64_t startNs, int ranks,
                                std::optional<std::int64_t> endNs) {
    m_open.clear();
    m_openEnd = endNs ? std::optional(static_cast<double>(*endNs - startNs)) : std::nullopt;
    m_ranks = ranks;
    const auto add = [this](int rank, std::int64_t step, std::int64_t fromNs, bool data) {
        if (std::ranges::find(m_open, rank, &OpenTime::rank) == m_open.end())
            m_open.push_back({static_cast<double>(fromNs), rank, step, data});
    };
    for (const auto& wait : waits)
        add(wait.rank, wait.step, wait.sinceNs - startNs, false);
    for (const auto& wait : waits)
        if (wait.holderPhase == telemetry::Phase::DataWait)
            add(wait.holder, wait.step, wait.sinceNs - startNs, true);
}

std::optional<SummaryColumn> SummaryTrack::openAt(double ns) const {
    SummaryColumn column;
    int blocked = 0, data = 0;
    for (const OpenTime& open : m_open)
        if (open.fromNs <= ns && (!m_openEnd || ns < *m_openEnd)) {
            ++(open.data ? data : blocked);
            column.firstStep = open.step;
        }
    if (blocked + data == 0 || m_ranks <= 0)
        return std::nullopt;
    column.blocked = static_cast<float>(blocked) / static_cast<float>(m_ranks);
    column.data = static_cast<float>(data) / static_cast<float>(m_ranks);
    return column;
}

std::optional<SummaryColumn> SummaryTrack::at(double ns) const {
    if (!m_summary || m_summary->columns.empty())
        return openAt(ns);
    const double column = (ns - static_cast<double>(m_summary->request.fromNs)) / m_summary->columnNs();
    if (!(column >= 0) || column >= static_cast<double>(m_summary->columns.size()))
        return openAt(ns);
    const SummaryColumn& found = m_summary->columns[static_cast<std::size_t>(column)];
    return found.blocked < 0 ? openAt(ns) : std::optional(found);
}

QString SummaryTrack::tip(double ns) const {
    const auto column = at(ns);
    if (!column)
        return {};
    if (column->longestStepNs == 0)
        return (m_openEnd ? SummaryLabels::tr("Step %1 did not end\nWaiting in collectives: %2 of the ranks\nWaiting "
                                              "for data: %3 of the ranks")
                          : SummaryLabels::tr("Step %1 has not ended yet\nWaiting in collectives: %2 of the ranks\n"
                                              "Waiting for data: %3 of the ranks"))
            .arg(countText(column->firstStep), shareText(column->blocked), shareText(column->data));
    return SummaryLabels::tr("Step %1: %2, longest of all ranks\nWaiting in collectives: %3 of the time\nWaiting for "
                             "data: %4 of the time")
        .arg(countText(column->firstStep), durationText(column->longestStepNs), shareText(column->blocked),
             shareText(column->data));
}

SummaryTrack::Pixel SummaryTrack::pixelAt(const TimeScale& scale, int x) const {
    Pixel pixel;
    const auto openPixel = [&]() -> Pixel {
        const auto open = openAt(scale.ns(x + 0.5));
        return open ? Pixel{open->blocked, open->data, 0} : Pixel{};
    };
    const double width = m_summary->columnNs(), from = static_cast<double>(m_summary->request.fromNs);
    const double begin = (scale.ns(x) - from) / width, end = (scale.ns(x + 1) - from) / width;
    const auto count = static_cast<double>(m_summary->columns.size());
    if (end <= 0 || begin >= count)
        return openPixel();
    const auto first = static_cast<std::size_t>(std::max(begin, 0.0));
    const auto behind = std::max(static_cast<std::size_t>(std::min(std::ceil(end), count)), first + 1);
    float blocked = 0, data = 0;
    int known = 0;
    for (std::size_t c = first; c < std::min(behind, m_summary->columns.size()); ++c) {
        const SummaryColumn& column = m_summary->columns[c];
        if (column.blocked < 0)
            continue;
        ++known;
        blocked += column.blocked;
        data += std::max(column.data, 0.0F);
        pixel.stepNs = std::max(pixel.stepNs, column.longestStepNs);
    }
    if (known == 0)
        return openPixel();
    pixel.blocked = blocked / static_cast<float>(known);
    pixel.data = data / static_cast<float>(known);
    return pixel;
}

std::pair<std::int64_t, std::int64_t> SummaryTrack::stepRange(const TimeScale& scale) const {
    std::int64_t least = 0, most = 0;
    for (int x = 0; x < static_cast<int>(scale.width); ++x)
        if (const std::int64_t ns = pixelAt(scale, x).stepNs; ns > 0) {
            least = least == 0 ? ns : std::min(least, ns);
            most = std::max(most, ns);
        }
    return {least, most};
}

void SummaryTrack::paintShares(QPainter& painter, const QRect& row, const TimeScale& scale,
                               const TimelineColours& colours) const {
    const QColor data = Theme::instance().palette().data;
    const QBrush waiting = hatchBrush(Theme::instance().palette().secondary, colours.waiting);
    for (int x = 0; x < row.width(); ++x) {
        const Pixel pixel = pixelAt(scale, x);
        if (pixel.blocked < 0)
            continue;
        const auto px = [&](float share) { return qRound(static_cast<double>(share) * row.height()); };
        const int blocked = px(pixel.blocked), both = std::min(px(pixel.blocked + pixel.data), row.height());
        const int bottom = row.top() + row.height();
        painter.fillRect(row.left() + x, row.top(), 1, row.height(), colours.lane);
        if (both > blocked)
            painter.fillRect(row.left() + x, bottom - both, 1, both - blocked, data);
        if (blocked > 0)
            painter.fillRect(row.left() + x, bottom - blocked, 1, blocked, waiting);
    }
}

/// Paints the steps' times on a logarithmic scale, because they differ by orders of magnitude. The scale starts a
/// little below the shortest.
void SummaryTrack::paintSteps(QPainter& painter, const QRect& row, const TimeScale& scale,
                              std::pair<std::int64_t, std::int64_t> range) const {
    if (range.second <= 0)
        return;
    const double least = std::log(static_cast<double>(range.first) * 0.8);
    const double most = std::max(std::log(static_cast<double>(range.second)), least + 0.5);
    const auto& palette = Theme::instance().palette();
    const QColor fill = withAlpha(palette.secondary, 0.25F);
    int before = -1;
    for (int x = 0; x < row.width(); ++x) {
        const std::int64_t ns = pixelAt(scale, x).stepNs;
        if (ns <= 0) {
            before = -1;
            continue;
        }
        const double share = (std::log(static_cast<double>(ns)) - least) / (most - least);
        const int y = row.top() + row.height() - 1 - qRound(share * (row.height() - 1));
        painter.fillRect(row.left() + x, y, 1, row.top() + row.height() - y, fill);
        const int upper = before < 0 ? y : std::min(y, before), lower = before < 0 ? y : std::max(y, before);
        painter.fillRect(row.left() + x, upper, 1, lower - upper + 1, palette.secondary);
        before = y;
    }
}

/// Returns "146 – 325 ms": a common unit appears only once, as there is little room.
static QString rangeText(std::int64_t first, std::int64_t last) {
    const QString from = durationText(first), to = durationText(last);
    const QString number = from.section(u' ', 0, 0), unit = from.section(u' ', 1);
    return QStringLiteral("%1 – %2").arg(!unit.isEmpty() && unit == to.section(u' ', 1) ? number : from, to);
}

void SummaryTrack::paint(QPainter& painter, const QRect& track, int labels, const TimeScale& scale,
                         const TimelineColours& colours) const {
    const auto& palette = Theme::instance().palette();
    painter.fillRect(track, palette.panel);
    painter.fillRect(track.left() - labels, track.top(), labels, track.height(), palette.window);
    const int half = (track.height() - 1) / 2;
    const QRect shares(track.left(), track.top() + kPad, track.width(), half - 2 * kPad + 2);
    const QRect steps(track.left(), track.top() + half + kPad - 2, track.width(), half - 2 * kPad + 2);
    QString range;
    if (m_summary && !m_summary->columns.empty()) {
        const auto shown = stepRange(scale);
        paintShares(painter, shares, scale, colours);
        paintSteps(painter, steps, scale, shown);
        if (shown.second > 0)
            range = shown.first * 11 >= shown.second * 10 ? durationText(shown.second)
                                                          : rangeText(shown.first, shown.second);
    }
    const QFontMetrics metrics(painter.font());
    const auto label = [&](int top, int height, const QString& text, const QColor& colour) {
        painter.setPen(colour);
        const QRect box(track.left() - labels + 8, top, labels - 14, height);
        painter.drawText(box, Qt::AlignVCenter | Qt::AlignLeft, metrics.elidedText(text, Qt::ElideRight, box.width()));
    };
    label(track.top(), half, SummaryLabels::tr("waiting, %"), palette.text);
    painter.setPen(palette.secondary); // its scale
    const QRect ends(track.left() - labels, shares.top() - 2, labels - 6, shares.height() + 4);
    painter.drawText(ends, Qt::AlignTop | Qt::AlignRight, QStringLiteral("100"));
    painter.drawText(ends, Qt::AlignBottom | Qt::AlignRight, QStringLiteral("0"));
    const int line = range.isEmpty() ? half : half / 2;
    label(track.top() + half, line, SummaryLabels::tr("step time"), palette.text);
    label(track.top() + half + line, half - line, range, palette.secondary);
    painter.setPen(palette.hairline);
    painter.drawLine(track.left() - labels, track.bottom(), track.right(), track.bottom());
    painter.drawLine(track.left() - 1, track.top(), track.left() - 1, track.bottom());
}

} // namespace rankscope::ui
