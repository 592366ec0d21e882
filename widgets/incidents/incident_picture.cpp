// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/incident_picture.h"

#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/models/view/run_view.h"
#include "widgets/theme/accessible.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/view/span_text.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {

constexpr int kLeastRefreshMs = 500;
constexpr std::int64_t kRefreshShare = 6; ///< it is read again after this many times the duration of a reading
constexpr double kAroundShare = 0.1, kLeastAroundNs = 2e7; ///< shown before and after the incident
constexpr int kStepsOfSlowRank = 8;
constexpr double kAheadNs = 1e10; ///< of an open incident, so that passing time alone triggers no reading

bool isAmong(const std::vector<int>& ranks, int rank) {
    return std::ranges::find(ranks, rank) != ranks.end();
}

template <class Part> bool isIn(PlotRange window, const Part& part) {
    return static_cast<double>(part.endNs) > window.lo && static_cast<double>(part.beginNs) < window.hi;
}

bool isEmptyIn(PlotRange window, const TimelineLane& lane) {
    const auto none = [&](const auto& parts) {
        return std::none_of(parts.begin(), parts.end(), [&](const auto& part) { return isIn(window, part); });
    };
    return none(lane.phases) && none(lane.collectives) && none(lane.phaseColumns) && none(lane.collectiveColumns) &&
           none(lane.sums) && none(lane.steps);
}

/// Returns the longest span that has a part in the window; null if there is none.
const TimelineSpan* longestIn(const std::vector<TimelineSpan>& spans, PlotRange window,
                              std::int64_t (*length)(const TimelineSpan&)) {
    const TimelineSpan* longest = nullptr;
    for (const TimelineSpan& span : spans)
        if (isIn(window, span) && (!longest || length(span) > length(*longest)))
            longest = &span;
    return longest;
}

} // namespace

RankRange pictureRanks(const diagnosis::Incident& in, int ranks, int most) {
    const int count = std::min(ranks, most);
    if (count <= 0)
        return {};
    const int wanted = !in.holders.empty() ? in.holders.front() : !in.waiters.empty() ? in.waiters.front() : 0;
    const int holder = std::clamp(wanted, 0, ranks - 1);
    const auto concerned = [&](int first) {
        const auto inRange = [&](int rank) { return rank >= first && rank < first + count; };
        return std::count_if(in.holders.begin(), in.holders.end(), inRange) +
               std::count_if(in.waiters.begin(), in.waiters.end(), inRange);
    };
    RankRange best{std::max(holder - count + 1, 0), count};
    for (int first = best.first + 1; first <= std::min(holder, ranks - count); ++first)
        if (concerned(first) > concerned(best.first))
            best.first = first;
    return best;
}

PlotRange pictureTime(const diagnosis::Incident& in, std::int64_t startNs, std::int64_t nowNs) {
    double from = static_cast<double>(in.openedNs - startNs);
    const std::int64_t endNs = in.closedNs != 0 ? in.closedNs : std::max(nowNs, in.openedNs);
    const double to = std::max(static_cast<double>(endNs - startNs), from);
    const double stepNs = in.evidence.typicalStepSeconds.value_or(0) * 1e9;
    if (in.straggler && stepNs > 0)
        from = std::max(from, to - kStepsOfSlowRank * stepNs);
    const double around = std::max(kAroundShare * (to - from), kLeastAroundNs);
    return {std::max(from - around, 0.0), std::max(to, 0.0) + around};
}

IncidentPicture::IncidentPicture(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("incidentPicture"));
    setAccessibleRole(this, QAccessible::Chart, [this] { return description(); });
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMinimumWidth(3 * TimelineScene::kLabelWidth);
    m_again.setSingleShot(true);
    connect(&m_again, &QTimer::timeout, this, [this] {
        m_isStale = true;
        ask();
    });
    connect(&m_loader, &TimelineLoader::read, this, &IncidentPicture::take);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        m_painter.restyle();
        update();
    });
    retranslate();
}

void IncidentPicture::retranslate() {
    setAccessibleName(tr("What the ranks did during the incident"));
    m_painter.restyle();
    update();
}

QSize IncidentPicture::sizeHint() const {
    return {5 * TimelineScene::kLabelWidth,
            TimelineScene::kAxisHeight + std::max(m_ranks.count, 1) * m_scene.layout.height()};
}

void IncidentPicture::clear() {
    m_loader.cancel();
    m_again.stop();
    m_incident = {};
    m_isStale = false;
    m_problem.clear();
    m_scene.reply.reset();
    redraw();
}

void IncidentPicture::setIncident(const diagnosis::Incident& incident, const RunView& run,
                                  const std::filesystem::path& store) {
    const bool other = incident.id != m_incident.id || store != m_store;
    if (!other && m_incident.closedNs != 0 && m_scene.rankCount() == static_cast<int>(run.ranks.size()))
        return; // it does not change any more
    if (other)
        clear();
    m_incident = incident;
    m_store = store;
    updateScene(run);
    ask();
}

void IncidentPicture::updateScene(const RunView& run) {
    const bool open = m_incident.closedNs == 0 && launch::isLive(run.info.state);
    const PlotRange time = pictureTime(m_incident, run.info.startNs, run.knownNs);
    m_scene.ranks = run.ranks;
    for (RankTile& tile : m_scene.ranks)
        if (!open) // its part in the incident, not what it does now
            tile.status.state = isAmong(m_incident.holders, tile.rank)   ? diagnosis::RankState::Holder
                                : isAmong(m_incident.waiters, tile.rank) ? diagnosis::RankState::Waiting
                                                                         : diagnosis::RankState::Computing;
    m_scene.live = open;
    m_scene.openWaits.clear();
    for (const diagnosis::OpenWait& wait : run.openWaits)
        if (open ||
            (!launch::isLive(run.info.state) && wait.step == m_incident.step && isAmong(m_incident.waiters, wait.rank)))
            m_scene.openWaits.push_back(wait);
    m_scene.openUntilNs = run.openUntilNs;
    m_scene.startNs = run.info.startNs;
    m_scene.scale.window = time;
    const double opened = static_cast<double>(m_incident.openedNs - run.info.startNs);
    const double ended = static_cast<double>(
        (m_incident.closedNs != 0 ? m_incident.closedNs : std::max(run.knownNs, m_incident.openedNs)) -
        run.info.startNs);
    m_scene.limits = {0, open ? ended : time.hi};
    m_scene.incidents = {{m_incident.id, opened, ended, open, m_incident.cause == diagnosis::Cause::Paused, QString()}};
    const RankRange ranks = pictureRanks(m_incident, m_scene.rankCount(), kMostLanes);
    if (ranks != m_ranks) {
        m_ranks = ranks;
        m_scene.size.setHeight(sizeHint().height());
        setFixedHeight(m_scene.size.height());
    }
    m_scene.scrolled = m_ranks.first * m_scene.layout.height();
    redraw();
}

void IncidentPicture::redraw() {
    m_scene.loading = m_incident.id != 0 && !m_scene.reply && m_problem.isEmpty();
    m_painter.invalidate();
    update();
}

void IncidentPicture::storeChanged() {
    const bool isRead = m_scene.reply && static_cast<double>(m_scene.reply->lastNs) >= m_scene.scale.window.hi;
    if (m_incident.id == 0 || isRead || m_again.isActive())
        return;
    m_problem.clear();
    const std::int64_t readMs = m_scene.reply ? m_scene.reply->readNs / 1'000'000 : 0;
    m_again.start(static_cast<int>(std::clamp<std::int64_t>(readMs * kRefreshShare, kLeastRefreshMs, 60'000)));
}

void IncidentPicture::ask() {
    if (m_incident.id == 0 || !isVisible() || m_ranks.count == 0 || m_scene.scale.width < 2 || m_loader.isBusy() ||
        !m_problem.isEmpty() || (!m_isStale && m_scene.serves(m_scene.reply.get())))
        return;
    m_isStale = false;
    const PlotRange window = m_scene.scale.window;
    TimelineRequest request;
    request.store = m_store;
    request.fromNs = static_cast<std::int64_t>(std::floor(window.lo));
    request.toNs = static_cast<std::int64_t>(std::ceil(window.hi + (m_scene.live ? kAheadNs : 0)));
    request.firstRank = m_ranks.first;
    request.lastRank = m_ranks.first + m_ranks.count - 1;
    request.nsPerPixel = std::max<std::int64_t>(static_cast<std::int64_t>(m_scene.scale.nsPerPixel()), 1);
    m_loader.request(request);
}

void IncidentPicture::take(const TimelineReplyPtr& reply) {
    m_problem = reply->error;
    if (m_problem.isEmpty()) {
        m_scene.reply = reply;
        m_scene.recordedNs = reply->lastNs;
    }
    redraw();
    ask(); // the window may have grown meanwhile
}

/// Returns what is said over the lanes if they are empty; nothing while they are read.
QString IncidentPicture::notice() const {
    if (!m_problem.isEmpty())
        return m_problem;
    if (!m_scene.reply || m_scene.live || !m_scene.openWaits.empty())
        return {};
    const auto& lanes = m_scene.reply->lanes;
    const auto isEmpty = [this](const TimelineLane& lane) { return isEmptyIn(m_scene.scale.window, lane); };
    if (!std::all_of(lanes.begin(), lanes.end(), isEmpty))
        return {};
    return tr("Nothing was recorded of these ranks in this time");
}

QString IncidentPicture::description() const {
    if (!m_scene.reply)
        return notice();
    QStringList parts;
    const PlotRange window = m_scene.scale.window;
    for (const TimelineLane& lane : m_scene.reply->lanes) {
        const auto* phase = longestIn(lane.phases, window, [](const TimelineSpan& s) { return s.lengthNs(); });
        const auto* wait = longestIn(lane.collectives, window, [](const TimelineSpan& s) { return s.waitNs; });
        if (phase)
            parts << tr("%1: %2 for %3", "rank, phase, duration")
                         .arg(ranksText({lane.rank}), phaseText(phase->phase), durationText(phase->lengthNs()));
        if (wait && wait->waitNs > 0 && wait->holder >= 0 && wait->holder != lane.rank)
            parts << tr("%1: waited %2 for %3", "rank, duration, rank")
                         .arg(ranksText({lane.rank}), durationText(wait->waitNs), ranksText({wait->holder}));
    }
    for (const diagnosis::OpenWait& wait : m_scene.openWaits)
        parts << tr("%1: waited %2 for %3", "rank, duration, rank")
                     .arg(ranksText({wait.rank}), durationText(m_scene.openUntilNs - wait.sinceNs),
                          ranksText({wait.holder}));
    return parts.isEmpty() ? notice() : parts.join(QStringLiteral("; "));
}

QString IncidentPicture::tipAt(const QPoint& pixel) const {
    if (const auto pick = m_scene.pickAt(pixel))
        return pickTip(*pick);
    return plainToolTip(
        tr("What each rank did, in time since the start of the run. A double-click or Enter shows it in "
           "the Timeline"));
}

void IncidentPicture::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    m_painter.paint(painter, devicePixelRatioF(), hasFocus());
    const QString text = notice();
    if (text.isEmpty())
        return;
    painter.setPen(Theme::instance().palette().secondary);
    painter.drawText(m_scene.lanesRect().adjusted(8, 0, -8, 0), Qt::AlignCenter | Qt::TextWordWrap, text);
}

void IncidentPicture::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_scene.size = {width(), sizeHint().height()};
    m_scene.scale.width = m_scene.lanesRect().width();
    redraw();
    ask();
}

void IncidentPicture::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    ask();
}

void IncidentPicture::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange)
        m_painter.restyle();
    QWidget::changeEvent(event);
}

void IncidentPicture::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        emit activated();
    else
        QWidget::keyPressEvent(event);
}

void IncidentPicture::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton)
        emit activated();
}

bool IncidentPicture::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), tipAt(help->pos()), this);
    return true;
}

} // namespace rankscope::ui
