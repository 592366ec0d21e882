// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/header_bar.h"

#include "core/base/text.h"
#include "widgets/main_window/actions.h"
#include "widgets/models/run_cause_text.h"
#include "widgets/models/tool_tip.h"
#include "widgets/runs/run_state.h"
#include "widgets/theme/figure_label.h"
#include "widgets/theme/fonts.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/theme.h"

#include <QAction>
#include <QDateTime>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <cmath>
#include <utility>

namespace rankscope::ui {

static QString count(qint64 n) {
    return QString::fromStdString(formatCount(n));
}

static QString duration(double seconds) {
    return QString::fromStdString(formatDuration(static_cast<std::int64_t>(seconds * 1e9)));
}

static QString rateText(double stepsPerSecond) {
    if (!(stepsPerSecond > 0) || !std::isfinite(stepsPerSecond))
        return QStringLiteral("–");
    if (stepsPerSecond < 0.1)
        return HeaderBar::tr("%1 s/step").arg(1 / stepsPerSecond, 0, 'f', 1);
    return HeaderBar::tr("%1 steps/s").arg(stepsPerSecond, 0, 'f', stepsPerSecond < 10 ? 2 : 1);
}

/// Today: the time of day; else with the date.
static QString whenText(qint64 realtimeNs) {
    const QDateTime at = QDateTime::fromMSecsSinceEpoch(realtimeNs / 1'000'000);
    return at.date() == QDate::currentDate() ? at.toString(QStringLiteral("HH:mm:ss"))
                                             : at.toString(QStringLiteral("yyyy-MM-dd HH:mm"));
}

HeaderTexts HeaderTexts::of(const RunView& view) {
    HeaderTexts texts;
    const launch::RunInfo& info = view.info;
    const bool live = launch::isLive(info.state);
    texts.name = QString::fromStdString(info.name);
    QStringList under{runStateWord(info.state), HeaderBar::tr("%n rank(s)", nullptr, info.worldSize)};
    if (info.startRealtimeNs > 0)
        under << (live ? HeaderBar::tr("since %1") : HeaderBar::tr("started %1")).arg(whenText(info.startRealtimeNs));
    if (info.supervisor == launch::SupervisorLife::Stopped)
        under << HeaderBar::tr("its supervisor is stopped (SIGSTOP)");
    else if (info.supervisor == launch::SupervisorLife::Unknown)
        under << HeaderBar::tr("not known whether its supervisor lives");
    if (!live && info.endRealtimeNs > info.startRealtimeNs)
        under << HeaderBar::tr("took %1").arg(
            duration(static_cast<double>(info.endRealtimeNs - info.startRealtimeNs) / 1e9));
    if (!live && info.state != launch::RunState::Finished && !info.cause.empty())
        under << runCauseText(info.cause);
    texts.under = under.join(QStringLiteral(" · "));

    const qint64 done = view.step + 1;
    texts.step = info.totalSteps > 0 ? QStringLiteral("%1 / %2").arg(count(done), count(info.totalSteps)) : count(done);
    texts.rate = rateText(view.stepsPerSecond);
    texts.left = QStringLiteral("–");
    if (live && info.totalSteps > done && view.stepsPerSecond > 0)
        texts.left = duration(static_cast<double>(info.totalSteps - done) / view.stepsPerSecond);
    if (info.totalSteps > 0)
        texts.share = std::clamp(static_cast<double>(done) / static_cast<double>(info.totalSteps), 0.0, 1.0);
    return texts;
}

HeaderBar::HeaderBar(QWidget* parent)
    : QFrame(parent), m_name(new QLabel(this)), m_under(new QLabel(this)), m_related(new QLabel(this)),
      m_row(new QHBoxLayout(this)) {
    setFixedHeight(56);
    m_name->setFont(titleFont());
    m_under->setFont(secondaryFont());
    m_under->setForegroundRole(QPalette::PlaceholderText);
    for (QLabel* label : {m_name, m_under}) {
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        label->setTextFormat(Qt::PlainText);
    }
    m_related->setObjectName(QStringLiteral("related"));
    m_related->setFont(secondaryFont());
    m_related->setTextFormat(Qt::RichText);
    m_related->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_related->hide();
    connect(&Theme::instance(), &Theme::changed, this, &HeaderBar::showKin);
    connect(m_related, &QLabel::linkActivated, this, [this](const QString& link) {
        if (link != QLatin1String("later"))
            return emit runRequested(link);
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        for (const RunKin::One& one : std::as_const(m_kin.later))
            menu->addAction(one.id, this, [this, dir = one.dir] { emit runRequested(dir); });
        menu->popup(QCursor::pos());
    });
    auto* left = new QVBoxLayout;
    left->setSpacing(0);
    left->setContentsMargins(28, 0, 0, 0); // the mark stands before the name
    left->addStretch();
    auto* second = new QHBoxLayout;
    second->setSpacing(12);
    second->addWidget(m_under, 1);
    second->addWidget(m_related);
    left->addWidget(m_name);
    left->addLayout(second);
    left->addStretch();
    m_row->setContentsMargins(16, 0, 12, 2);
    m_row->setSpacing(20);
    m_row->addLayout(left, 1);
    m_name->installEventFilter(this);
    m_step = addFigure(96);
    m_rate = addFigure(84);
    m_left = addFigure(84);
    retranslate();
}

HeaderBar::Figure HeaderBar::addFigure(int minimumWidth) {
    Figure figure{new QLabel(this), new QLabel(this)};
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

void HeaderBar::setButtons(const QList<QAction*>& actions) {
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
    const auto follow = [button, action] {
        button->setText(plainText(action->text()));
        button->setIcon(action->icon());
        button->setToolTip(action->toolTip());
        button->setEnabled(action->isEnabled());
        button->setVisible(action->isVisible());
    };
    connect(action, &QAction::changed, button, follow);
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    follow();
    m_buttons << button;
    return button;
}

void HeaderBar::setView(const RunView& view) {
    // what is shown of it; ten times a second, all tiles and incidents need not be copied for that
    m_view.info = view.info;
    m_view.step = view.step;
    m_view.stepsPerSecond = view.stepsPerSecond;
    m_texts = HeaderTexts::of(view);
    showTexts();
    // many times a second: what is painted here is painted again with all buttons on it, so only when it is another
    const Painted now{view.info.id.empty(), view.info.state, progressPixels()};
    if (std::exchange(m_painted, now) != now)
        update();
}

/// Of the line below; -1: there is none.
int HeaderBar::progressPixels() const {
    const bool shown = m_texts.share >= 0 && launch::isLive(m_view.info.state);
    return shown ? static_cast<int>(std::lround(width() * std::min(m_texts.share, 1.0))) : -1;
}

void HeaderBar::showTexts() {
    const auto elided = [](QLabel* label, const QString& text) {
        label->setText(label->fontMetrics().elidedText(text, Qt::ElideRight, std::max(40, label->width())));
        label->setToolTip(plainToolTip(text));
    };
    elided(m_name, m_texts.name);
    elided(m_under, m_texts.under);
    setFigure(m_step.value, m_texts.step);
    setFigure(m_rate.value, m_texts.rate);
    setFigure(m_left.value, m_texts.left);
}

void HeaderBar::setKin(const RunKin& kin) {
    if (m_kin == kin)
        return;
    m_kin = kin;
    showKin();
}

void HeaderBar::showKin() {
    const QString colour = Theme::instance().palette().accent.name();
    const auto link = [&](const QString& target, const QString& text) {
        return QStringLiteral("<a href=\"%1\" style=\"color:%2\">%3</a>")
            .arg(target.toHtmlEscaped(), colour, text.toHtmlEscaped());
    };
    const auto of = [&](const RunKin::One& one) {
        return one.dir.isEmpty() ? one.id.toHtmlEscaped() : link(one.dir, one.id);
    };
    QStringList parts;
    if (!m_kin.repeated.id.isEmpty())
        parts << tr("repeats %1").arg(of(m_kin.repeated));
    if (!m_kin.resumed.id.isEmpty())
        parts << tr("goes on from %1").arg(of(m_kin.resumed));
    if (m_kin.later.size() == 1)
        parts << tr("followed by %1").arg(of(m_kin.later.front()));
    else if (m_kin.later.size() > 1)
        parts << link(QStringLiteral("later"),
                      tr("followed by %n run(s)", nullptr, static_cast<int>(m_kin.later.size())));
    m_related->setText(parts.join(QStringLiteral(" · ")));
    m_related->setVisible(!parts.isEmpty() && width() >= 860);
}

QString HeaderBar::kinText() const {
    static const QRegularExpression tags(QStringLiteral("<[^>]*>"));
    return m_related->text().remove(tags);
}

void HeaderBar::retranslate() {
    showKin();
    m_step.caption->setText(tr("Step"));
    m_rate.caption->setText(tr("Rate"));
    m_left.caption->setText(tr("Time left"));
    if (!m_view.info.id.empty())
        setView(m_view);
}

void HeaderBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    // a long name gives way before the figures do; the rate goes first when all is tight
    const bool tight = width() < 860;
    m_related->setVisible(!m_related->text().isEmpty() && !tight);
    for (const Figure& figure : {m_rate})
        for (QLabel* label : {figure.caption, figure.value})
            label->setVisible(!tight);
}

/// The name's width is known only after the layout ran: elide again whenever it changes.
bool HeaderBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_name && event->type() == QEvent::Resize)
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
        painter.fillRect(QRect(0, height() - 2, done, 2), p.accent);
    drawRunMark(painter, QRectF(16, m_name->geometry().center().y() - 8, 16, 16), m_view.info.state);
}

} // namespace rankscope::ui
