// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/chrome/header_bar.h"

#include "core/diagnosis/evidence/run_stall.h"
#include "core/launch/figures/run_pace.h"
#include "widgets/controls/tabular_label.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/models/view/run_status.h"
#include "widgets/models/view/watched_run.h"
#include "widgets/runs/panel/run_delegate.h"
#include "widgets/theme/theme.h"

#include <QAction>
#include <QDateTime>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace rankscope::ui {

static QString rateText(double stepsPerSecond) {
    if (!(stepsPerSecond > 0) || !std::isfinite(stepsPerSecond))
        return QStringLiteral("–");
    if (stepsPerSecond < 0.1)
        return HeaderTexts::tr("%1 s/step").arg(1 / stepsPerSecond, 0, 'f', 1);
    return HeaderTexts::tr("%1 steps/s").arg(stepsPerSecond, 0, 'f', stepsPerSecond < 10 ? 2 : 1);
}

static QString audioText(double audioPerSecond) {
    constexpr double kHour = 3600;
    if (!(audioPerSecond > 0) || !std::isfinite(audioPerSecond))
        return {};
    if (audioPerSecond < 0.01 * kHour)
        return HeaderTexts::tr("%1 × real time").arg(audioPerSecond, 0, 'g', 3);
    const double hours = audioPerSecond / kHour;
    return HeaderTexts::tr("%1 h of audio/s").arg(hours, 0, 'f', hours < 10 ? 2 : 0);
}

/// Returns the epoch and the time that is left of it; without the time if epochs are so short that it would say
/// nothing.
static QString epochText(const RunView& view) {
    constexpr std::int64_t kShortNs = 10'000'000'000;
    const std::int64_t done = view.step + 1;
    const auto epoch = launch::epochAfter(done, view.stepsPerEpoch);
    const std::int64_t left =
        launch::timeOf(launch::leftOfEpoch(done, view.stepsPerEpoch, view.info.totalSteps), view.stepsPerSecond);
    if (!epoch || left <= 0)
        return {};
    if (launch::timeOf(view.stepsPerEpoch, view.stepsPerSecond) < kShortNs)
        return HeaderTexts::tr("epoch %1").arg(countText(*epoch));
    return HeaderTexts::tr("epoch %1: %2 left").arg(countText(*epoch), wholeSecondsText(left));
}

/// Returns how long an ended run took, with those that it was resumed from.
static QString tookText(std::int64_t ns, const RelatedRuns& kin) {
    return kin.earlierRuns == 0 ? HeaderTexts::tr("took %1").arg(durationText(ns))
                                : HeaderTexts::tr("took %1 in %2 parts", "a time, a number")
                                      .arg(durationText(ns + kin.earlierNs), countText(kin.earlierRuns + 1));
}

static QString lostText(const store::LostTime& lost) {
    const double percent = 100 * lost.share();
    return HeaderTexts::tr("%1, %2 %", "time, share of the whole")
        .arg(durationText(static_cast<std::int64_t>(lost.lostNs)))
        .arg(percent, 0, 'f', percent < 9.95 ? 1 : 0);
}

static QString lostTip(const store::LostTime& lost, bool live) {
    if (lost.steps == 0)
        return HeaderTexts::tr("How long the ranks wait for each other will be known after the first steps.");
    const QString text =
        live ? HeaderTexts::tr("So far, an average rank has been blocked for %1 of %2 in collectives, waiting for the "
                               "last rank to arrive. With balanced ranks, training would have been that much faster. "
                               "\"Who waits for whom\" says which rank it was.")
             : HeaderTexts::tr("An average rank was blocked for %1 of %2 in collectives, waiting for the last rank to "
                               "arrive. With balanced ranks, training would have been that much faster. \"Who waits "
                               "for whom\" says which rank it was.");
    const QString told = text.arg(durationText(static_cast<std::int64_t>(lost.lostNs)), durationText(lost.lastedNs));
    return lost.estimated ? told + QLatin1Char('\n') +
                                HeaderTexts::tr("Partly an estimate: individual collectives are kept only for the "
                                                "newest steps and around incidents.")
                          : told;
}

/// Returns the time of day for today, otherwise date and time.
static QString whenText(qint64 realtimeNs) {
    const QDateTime at = QDateTime::fromMSecsSinceEpoch(realtimeNs / 1'000'000);
    return at.date() == QDate::currentDate() ? at.toString(QStringLiteral("HH:mm:ss"))
                                             : at.toString(QStringLiteral("yyyy-MM-dd HH:mm"));
}

HeaderTexts HeaderTexts::of(const RunView& view, const RelatedRuns& kin) {
    HeaderTexts texts;
    const launch::RunInfo& info = view.info;
    const bool live = launch::isLive(info.state);
    const RunStatus now = RunStatus::of(info, view.incidents, view.behindSinceNs());
    texts.name = QString::fromStdString(info.name);
    texts.mark = now.mark();
    texts.whyNoRate = now.whyNoRate(view.nowNs);
    QStringList under{now.words(view.nowNs), rankCountText(info)};
    if (info.startRealtimeNs > 0)
        under << (live ? tr("since %1") : tr("started %1")).arg(whenText(info.startRealtimeNs));
    if (info.supervisor == launch::SupervisorLife::Stopped)
        under << tr("its supervisor is suspended (SIGSTOP)");
    else if (info.supervisor == launch::SupervisorLife::Unknown)
        under << tr("not known whether its supervisor is alive");
    if (!live && info.endRealtimeNs > info.startRealtimeNs)
        under << tookText(info.endRealtimeNs - info.startRealtimeNs, kin);
    if (!live && info.state != launch::RunState::Finished && !info.cause.empty())
        under << messageText(info.cause);
    if (live && texts.whyNoRate.isEmpty()) {
        texts.audio = audioText(view.audioPerSecond);
        texts.epoch = epochText(view);
        for (const QString& one : {texts.audio, texts.epoch})
            if (!one.isEmpty())
                under << one;
    }
    if (!info.command.empty())
        under << commandText(info.command).simplified();
    texts.facts = under;
    texts.under = under.join(kBetweenFacts);

    const qint64 done = view.step + 1;
    // a resumed run's count includes earlier steps and is known with its first own step; a store that is unreadable or
    // does not exist yet is unknown
    const bool unknown = view.step < 0 && (!info.resumedFrom.empty() || !view.problem.isEmpty() || info.worldSize == 0);
    const QString steps = unknown ? QStringLiteral("–") : countText(done);
    texts.step = info.totalSteps > 0 ? tr("%1 of %2").arg(steps, countText(info.totalSteps)) : steps;
    texts.rate = texts.left = QStringLiteral("–");
    if (texts.whyNoRate.isEmpty()) {
        texts.rate = rateText(view.stepsPerSecond);
        if (live && info.totalSteps > done && view.stepsPerSecond > 0)
            texts.left =
                wholeSecondsText(std::llround(static_cast<double>(info.totalSteps - done) / view.stepsPerSecond * 1e9));
    }
    if (info.worldSize > 1 && (live || view.lost.steps > 0)) {
        texts.lost = view.lost.steps > 0 ? lostText(view.lost) : QStringLiteral("–");
        texts.lostTip = ui::lostTip(view.lost, live);
        if (kin.earlierRuns > 0)
            texts.lostTip += QLatin1Char('\n') + tr("Only in part %1 of this run: the parts before are not counted.")
                                                     .arg(countText(kin.earlierRuns + 1));
    }
    if (info.totalSteps > 0)
        texts.share = std::clamp(static_cast<double>(done) / static_cast<double>(info.totalSteps), 0.0, 1.0);
    return texts;
}

HeaderBar::HeaderBar(QWidget* parent)
    : QFrame(parent), m_first(new QWidget(this)), m_name(new QLabel(m_first)), m_chips(new LineageChips(m_first)),
      m_under(new QLabel(this)), m_row(new QHBoxLayout(this)) {
    setFixedHeight(56);
    m_name->setFont(titleFont());
    m_under->setFont(secondaryFont());
    m_under->setForegroundRole(QPalette::PlaceholderText);
    m_under->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    for (QLabel* label : {m_name, m_under})
        label->setTextFormat(Qt::PlainText);
    m_first->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_first->setFixedHeight(std::max(m_name->fontMetrics().height() + 2, LineageChips::kHeight));
    auto* left = new QVBoxLayout;
    left->setSpacing(0);
    left->setContentsMargins(28, 0, 0, 0); // the mark is painted before the name
    left->addStretch();
    left->addWidget(m_first);
    left->addWidget(m_under);
    left->addStretch();
    m_row->setContentsMargins(16, 0, 12, 2);
    m_row->setSpacing(20);
    m_row->addLayout(left, 1);
    m_first->installEventFilter(this);
    m_under->installEventFilter(this);
    connect(m_chips, &LineageChips::runRequested, this, &HeaderBar::runRequested);
    connect(m_chips, &LineageChips::changed, this, &HeaderBar::arrangeName);
    m_step = addFigure(96);
    m_rate = addFigure(84);
    m_lost = addFigure(116);
    m_left = addFigure(84);
    m_under->setObjectName(QStringLiteral("headerState"));
    m_step.value->setObjectName(QStringLiteral("headerStep"));
    m_rate.value->setObjectName(QStringLiteral("headerRate"));
    m_lost.value->setObjectName(QStringLiteral("headerLost"));
    m_left.value->setObjectName(QStringLiteral("headerLeft"));
    retranslate();
}

/// Gives the name the width that the chips leave; the chips leave it at least what it needs, up to half of the row.
void HeaderBar::arrangeName() {
    constexpr int kGap = 12, kLeast = 80;
    const QFontMetrics metrics = m_name->fontMetrics();
    const int wanted = metrics.horizontalAdvance(m_texts.name) + 2, room = m_first->width();
    const int chips = m_chips->fit(std::max(0, room - std::min(wanted, std::max(kLeast, room / 2)) - kGap));
    const int forName = std::min(wanted, chips > 0 ? room - chips - kGap : room);
    m_name->setGeometry(0, 0, std::max(0, forName), m_first->height());
    m_chips->setGeometry(forName + kGap, (m_first->height() - LineageChips::kHeight) / 2, chips, LineageChips::kHeight);
    m_name->setText(metrics.elidedText(m_texts.name, Qt::ElideRight, std::max(0, forName)));
}

HeaderBar::HeaderFigure HeaderBar::addFigure(int minimumWidth) {
    HeaderFigure figure{new QLabel(this), new QLabel(this)};
    figure.caption->setFont(secondaryFont());
    figure.caption->setForegroundRole(QPalette::PlaceholderText);
    figure.value->setFont(bodyFont());
    figure.value->setFixedSize(minimumWidth, figure.value->fontMetrics().height());
    figure.caption->setAlignment(Qt::AlignRight);
    figure.value->setAlignment(Qt::AlignRight);
    auto* column = new QVBoxLayout;
    column->setSpacing(1);
    column->addStretch();
    column->addWidget(figure.caption);
    column->addWidget(figure.value);
    column->addStretch();
    m_row->addLayout(column);
    return figure;
}

void HeaderBar::setButtons(const QList<QAction*>& actions, const QList<QAction*>& starting) {
    m_starting = starting;
    m_row->addSpacing(4);
    auto* group = new QHBoxLayout;
    group->setSpacing(8);
    for (QAction* action : actions)
        group->addWidget(addButton(action));
    m_row->addLayout(group);
}

QPushButton* HeaderBar::addButton(QAction* action) {
    auto* button = new QPushButton(this);
    button->setFocusPolicy(Qt::TabFocus);
    connect(action, &QAction::changed, button, [this, button, action] { follow(button, action); });
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    follow(button, action);
    m_buttons.emplace_back(button, action);
    return button;
}

void HeaderBar::follow(QPushButton* button, const QAction* action) const {
    button->setText(plainText(action->text()));
    button->setIcon(action->icon());
    button->setToolTip(action->toolTip());
    button->setEnabled(action->isEnabled());
    button->setVisible(action->isVisible() && !(m_beside && m_starting.contains(action)));
}

void HeaderBar::setBeside(bool beside) {
    if (std::exchange(m_beside, beside) == beside)
        return;
    for (QLabel* label : {m_name, m_step.value, m_rate.value, m_lost.value, m_left.value})
        label->setForegroundRole(beside ? QPalette::PlaceholderText : QPalette::WindowText);
    for (const auto& [button, action] : std::as_const(m_buttons))
        follow(button, action);
    if (!m_view.info.id.empty())
        setView(RunView(m_view));
}

void HeaderBar::setView(const RunView& view) {
    // copies only the parts that are shown: copying all tiles and incidents ten times a second would cost too much
    m_view.info = view.info;
    m_view.step = view.step;
    m_view.problem = view.problem;
    m_view.stepsPerSecond = view.stepsPerSecond;
    m_view.audioPerSecond = view.audioPerSecond;
    m_view.stepsPerEpoch = view.stepsPerEpoch;
    m_view.lost = view.lost;
    m_view.lag = view.lag;
    m_view.nowNs = view.nowNs;
    m_view.incidents.clear();
    std::copy_if(view.incidents.begin(), view.incidents.end(), std::back_inserter(m_view.incidents),
                 [](const diagnosis::Incident& in) { return in.closed == diagnosis::CloseReason::Open; });
    m_texts = HeaderTexts::of(m_view, m_kin);
    if (!m_title.isEmpty())
        m_texts.name = m_title;
    if (m_beside)
        m_texts.name = tr("Open run: %1").arg(m_texts.name);
    showTexts();
    // called many times a second, and painting repaints all buttons on top: only if something has changed
    const Painted now{view.info.id.empty(), m_texts.mark, progressPixels()};
    if (std::exchange(m_painted, now) != now)
        update();
}

/// Returns the length of the progress line at the bottom; -1 if there is none.
int HeaderBar::progressPixels() const {
    const bool shown = m_texts.share >= 0 && launch::isLive(m_view.info.state);
    return shown ? static_cast<int>(std::lround(width() * std::min(m_texts.share, 1.0))) : -1;
}

void HeaderBar::setTip(const HeaderFigure& figure, const QString& text) {
    for (QLabel* label : {figure.caption, figure.value})
        if (const QString tip = plainToolTip(text); label->toolTip() != tip)
            label->setToolTip(tip);
}

void HeaderBar::showTexts() {
    showFigures();
    arrangeName();
    m_name->setToolTip(plainToolTip(m_texts.name == toQString(m_view.info.name)
                                        ? toQString(m_view.info.id)
                                        : m_texts.name + QLatin1Char('\n') + toQString(m_view.info.id)));
    m_under->setText(underFor(std::max(40, m_under->width())));
    m_under->setToolTip(plainToolTip(m_texts.under));
    setFigure(m_step.value, m_texts.step);
    setFigure(m_rate.value, m_texts.rate);
    setFigure(m_lost.value, m_texts.lost);
    setFigure(m_left.value, m_texts.left);
    // shows what the line under the name has no room for in a small window
    setTip(m_rate, m_texts.whyNoRate.isEmpty() ? m_texts.audio : m_texts.whyNoRate);
    setTip(m_lost, m_texts.lostTip);
    setTip(m_left, m_texts.whyNoRate.isEmpty() ? m_texts.epoch : m_texts.whyNoRate);
}

/// Returns the line under the name. If it is too narrow, whole facts are left out: the start, and for a live run the
/// last ones. The cause of an end is elided instead.
QString HeaderBar::underFor(int width) const {
    const QFontMetrics metrics = m_under->fontMetrics();
    QStringList facts = m_texts.facts;
    const auto tooWide = [&] { return metrics.horizontalAdvance(facts.join(HeaderTexts::kBetweenFacts)) > width; };
    if (m_view.info.startRealtimeNs > 0 && facts.size() > HeaderTexts::kWhenFact && tooWide())
        facts.removeAt(HeaderTexts::kWhenFact);
    while (launch::isLive(m_view.info.state) && facts.size() > HeaderTexts::kWhenFact && tooWide())
        facts.removeLast();
    return metrics.elidedText(facts.join(HeaderTexts::kBetweenFacts), Qt::ElideRight, width);
}

void HeaderBar::setKin(const RelatedRuns& kin) {
    m_chips->setKin(kin);
    if (std::exchange(m_kin, kin) != kin && !m_view.info.id.empty())
        setView(RunView(m_view));
}

void HeaderBar::setTitle(const QString& title) {
    if (std::exchange(m_title, title) != title && !m_view.info.id.empty())
        setView(RunView(m_view));
}

void HeaderBar::retranslate() {
    m_chips->retranslate();
    m_step.caption->setText(tr("Steps done"));
    m_rate.caption->setText(tr("Rate"));
    m_lost.caption->setText(tr("Lost to waiting"));
    m_left.caption->setText(tr("Time left"));
    if (!m_view.info.id.empty())
        setView(RunView(m_view));
}

void HeaderBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    showFigures();
}

/// Shows the figures that fit; an ended run has no time left. A long name is shortened before figures are hidden; for a
/// live run the rate and the lost time are hidden first.
void HeaderBar::showFigures() {
    const bool live = launch::isLive(m_view.info.state), tight = width() < 900;
    m_row->setSpacing(width() < 1000 ? 10 : 20);
    for (QLabel* label : {m_rate.caption, m_rate.value})
        label->setVisible(!tight || !live);
    for (QLabel* label : {m_lost.caption, m_lost.value})
        label->setVisible(!m_texts.lost.isEmpty() && (!tight || !live));
    for (QLabel* label : {m_left.caption, m_left.value})
        label->setVisible(live);
}

/// Elides the texts again whenever widths change, because they are known only after the layout has run.
bool HeaderBar::eventFilter(QObject* watched, QEvent* event) {
    if ((watched == m_first || watched == m_under) && event->type() == QEvent::Resize)
        showTexts();
    return QFrame::eventFilter(watched, event);
}

void HeaderBar::paintEvent(QPaintEvent*) {
    const Palette& p = Theme::instance().palette();
    QPainter painter(this);
    painter.fillRect(rect(), p.panel);
    painter.fillRect(0, height() - 1, width(), 1, p.hairline);
    if (m_view.info.id.empty())
        return;
    if (const int done = progressPixels(); done >= 0)
        painter.fillRect(QRect(0, height() - 2, done, 2), p.secondary);
    drawRunMark(painter, QRectF(16, m_first->geometry().center().y() - 8, 16, 16), m_texts.mark);
}

} // namespace rankscope::ui
