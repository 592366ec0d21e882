// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/incident_banner.h"

#include "widgets/controls/elided_label.h"
#include "widgets/controls/rank_state_mark.h"
#include "widgets/models/failure/injected_fault.h"
#include "widgets/models/failure/remedy_offer.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/accessible.h"
#include "widgets/theme/theme.h"

#include <QBoxLayout>
#include <QEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kHeight = 40;

/// The shape that the holder's tile has, so that banner and board tell the same.
diagnosis::RankState markOf(diagnosis::Cause cause) {
    switch (cause) {
    case diagnosis::Cause::Dead:
    case diagnosis::Cause::NeverJoined:
        return diagnosis::RankState::Dead;
    case diagnosis::Cause::Stopped:
        return diagnosis::RankState::Stopped;
    default:
        return diagnosis::RankState::Holder;
    }
}

class MarkWidget final : public QWidget {
public:
    explicit MarkWidget(QWidget* parent) : QWidget(parent) { setFixedSize(16, 16); }
    void setState(diagnosis::RankState state) {
        m_state = state;
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        drawStateMark(painter, rect(), m_state, stateColor(m_state));
    }

private:
    diagnosis::RankState m_state = diagnosis::RankState::Holder;
};

} // namespace

struct IncidentBanner::Impl {
    MarkWidget* mark = nullptr;
    ElidedLabel* sentence = nullptr;
    QLabel *more = nullptr, *injected = nullptr;
    QPushButton *remedy = nullptr, *details = nullptr;
    std::vector<diagnosis::Incident> all; ///< the open ones as last given
    std::vector<std::string> faults;
    OfferedRemedy offered;
    std::int64_t nowNs = 0;
    QString lag;
    diagnosis::Incident shown;
    diagnosis::RankState state = diagnosis::RankState::Holder;
};

IncidentBanner::IncidentBanner(QWidget* parent) : QFrame(parent), m(std::make_unique<Impl>()) {
    setFixedHeight(kHeight);
    setFrameShape(QFrame::NoFrame);
    setObjectName(QStringLiteral("incidentBanner"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 0, 8, 0);
    row->setSpacing(8);
    m->mark = new MarkWidget(this);
    m->sentence = new ElidedLabel(this);
    m->more = new QLabel(this);
    m->injected = new QLabel(this);
    m->injected->setObjectName(QStringLiteral("injectedFault"));
    m->injected->setForegroundRole(QPalette::PlaceholderText);
    m->remedy = new QPushButton(this);
    m->details = new QPushButton(this);
    m->details->setFlat(true);
    row->addWidget(m->mark);
    row->addWidget(m->sentence, 1);
    row->addWidget(m->injected);
    row->addWidget(m->more);
    row->addWidget(m->remedy);
    row->addWidget(m->details);
    connect(m->remedy, &QPushButton::clicked, this, [this] { emit remedyRequested(m->offered.key, m->offered.yaml); });
    connect(m->details, &QPushButton::clicked, this, [this] { emit detailRequested(m->shown.id); });
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
    retranslate();
    hide();
}

IncidentBanner::~IncidentBanner() = default;

void IncidentBanner::retranslate() {
    setAccessibleName(tr("Incident"));
    m->details->setText(tr("Details"));
    if (!m->all.empty() || !m->lag.isEmpty())
        setIncidents(std::vector(m->all), m->nowNs, true);
}

void IncidentBanner::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    QFrame::changeEvent(event);
}

void IncidentBanner::setLag(const QString& text) {
    m->lag = text;
}

/// What was open when it was last stored is told as that.
void IncidentBanner::showLag(const diagnosis::Incident* newest) {
    const bool isNew = !m->sentence->text().startsWith(m->lag);
    m->shown = newest ? *newest : diagnosis::Incident{};
    m->state = diagnosis::RankState::Waiting;
    m->mark->setState(m->state);
    m->sentence->setText(
        newest ? tr("%1 Open when last stored: %2")
                     .arg(m->lag, toQString(diagnosis::sentence(*newest, m->nowNs, currentLanguage(), false)))
               : m->lag);
    m->more->hide();
    m->injected->hide();
    m->remedy->hide();
    m->details->setVisible(newest != nullptr);
    show();
    update();
    if (isNew)
        announce(this, m->sentence->text());
}

void IncidentBanner::setFaults(const std::vector<std::string>& faults) {
    m->faults = faults;
}

void IncidentBanner::setIncidents(const std::vector<diagnosis::Incident>& incidents, std::int64_t nowNs, bool live) {
    const auto isOpen = [](const diagnosis::Incident& in) { return in.closed == diagnosis::CloseReason::Open; };
    const auto newest = std::find_if(incidents.rbegin(), incidents.rend(), isOpen);
    m->nowNs = nowNs;
    if (live && !m->lag.isEmpty()) {
        m->all.clear();
        std::copy_if(incidents.begin(), incidents.end(), std::back_inserter(m->all), isOpen);
        return showLag(newest == incidents.rend() ? nullptr : &*newest);
    }
    m->details->show();
    if (!live || newest == incidents.rend()) {
        hide();
        m->all.clear();
        m->sentence->setText(QString());
        return;
    }
    std::vector<diagnosis::Incident> open;
    std::copy_if(incidents.begin(), incidents.end(), std::back_inserter(open), isOpen);
    const bool isNew = m->all.empty() || m->shown.id != newest->id;
    m->all = std::move(open);
    m->shown = *newest;
    m->state = markOf(newest->cause);
    m->mark->setState(m->state);
    m->offered = offeredRemedy(*newest, m->faults);
    const bool button = !m->offered.key.isEmpty();
    m->sentence->setText(toQString(diagnosis::sentence(*newest, nowNs, currentLanguage(), !button)));
    const auto others = std::count_if(incidents.begin(), incidents.end(), isOpen) - 1;
    m->more->setVisible(others > 0);
    m->more->setText(QStringLiteral("+%1").arg(others));
    m->more->setToolTip(tr("%n more incident(s) are open", nullptr, static_cast<int>(others)));
    const QString fault = injectedFault(*newest, m->faults);
    m->injected->setVisible(!fault.isEmpty());
    m->injected->setText(tr("injected on purpose"));
    m->injected->setToolTip(plainToolTip(tr("rankscope.faults asked for it: %1.").arg(faultText(fault))));
    m->remedy->setVisible(button);
    m->remedy->setText(m->offered.button);
    m->remedy->setToolTip(plainToolTip(m->offered.tip));
    show();
    update();
    if (isNew)
        announce(this, m->sentence->text());
}

QString IncidentBanner::text() const {
    return m->sentence->text();
}

void IncidentBanner::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const auto& palette = Theme::instance().palette();
    QColor tint = stateColor(m->state);
    painter.fillRect(rect(), palette.panel);
    const QColor line = tint;
    tint.setAlphaF(palette.dark ? 0.20F : 0.12F);
    painter.fillRect(rect(), tint);
    painter.fillRect(QRect(0, 0, 3, height()), line);
    painter.fillRect(QRect(0, height() - 1, width(), 1), palette.hairline);
}

} // namespace rankscope::ui
