// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/incident_banner.h"

#include "core/diagnosis/evidence/incident_sentence.h"
#include "widgets/controls/box_layout.h"
#include "widgets/controls/clamped_label.h"
#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/controls/rank_state_mark.h"
#include "widgets/models/failure/remedy_offer.h"
#include "widgets/models/tables/incident_model.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/accessible.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QLabel>
#include <QPainter>
#include <QPushButton>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kHeight = 40;

/// Returns the state whose shape the holder's tile has, so that banner and board agree.
diagnosis::RankState markOf(diagnosis::Cause cause) {
    switch (cause) {
    case diagnosis::Cause::Dead:
    case diagnosis::Cause::NeverJoined:
        return diagnosis::RankState::Dead;
    case diagnosis::Cause::Stopped:
    case diagnosis::Cause::Paused:
        return diagnosis::RankState::Stopped;
    default:
        return diagnosis::RankState::Holder;
    }
}

} // namespace

class IncidentBanner::MarkWidget final : public QWidget {
public:
    explicit MarkWidget(QWidget* parent) : QWidget(parent) { setFixedSize(16, 16); }
    diagnosis::RankState state() const { return m_state; }
    void setState(diagnosis::RankState state) {
        m_state = state;
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        drawStateMark(painter, rect(), m_state, Theme::instance().palette().incident);
    }

private:
    diagnosis::RankState m_state = diagnosis::RankState::Holder;
};

IncidentBanner::IncidentBanner(QWidget* parent)
    : QFrame(parent), m_mark(new MarkWidget(this)), m_sentence(new ClampedLabel(0, this)), m_more(new QLabel(this)),
      m_injected(new QLabel(this)), m_remedy(new QPushButton(this)), m_details(new QPushButton(this)) {
    setFixedHeight(kHeight);
    setFrameShape(QFrame::NoFrame);
    setObjectName(QStringLiteral("incidentBanner"));
    auto* row = filledBox(new QHBoxLayout(this), {12, 0, 8, 0}, 8);
    m_injected->setObjectName(QStringLiteral("injectedFault"));
    m_injected->setForegroundRole(QPalette::PlaceholderText);
    m_details->setFlat(true);
    row->addWidget(m_mark);
    row->addWidget(m_sentence, 1);
    row->addWidget(m_injected);
    row->addWidget(m_more);
    row->addWidget(m_remedy);
    row->addWidget(m_details);
    connect(m_remedy, &QPushButton::clicked, this, [this] {
        if (!m_offered.override.isEmpty())
            return copyText(m_offered.override, m_remedy);
        emit remedyRequested(m_offered.key, m_offered.yaml);
    });
    connect(m_details, &QPushButton::clicked, this, [this] { emit detailRequested(m_shown.id); });
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
    retranslate();
    hide();
    onLanguageChange(this, [this] { retranslate(); });
}

void IncidentBanner::retranslate() {
    setAccessibleName(tr("Incident"));
    m_details->setText(tr("Details"));
    if (!m_all.empty() || !m_lag.isEmpty())
        setIncidents(std::vector(m_all), m_nowNs, true);
}

void IncidentBanner::setLag(const QString& text) {
    m_lag = text;
}

/// Shows that the store lags; the incident is described as open at the time of the last record.
void IncidentBanner::showLag(const diagnosis::Incident* newest) {
    const bool isNew = !m_sentence->text().startsWith(m_lag);
    m_shown = newest ? *newest : diagnosis::Incident{};
    m_mark->setState(diagnosis::RankState::Waiting);
    m_sentence->setText(
        newest ? tr("%1 Last recorded as open: %2")
                     .arg(m_lag, toQString(diagnosis::sentence(*newest, m_nowNs, false).text(currentLanguage())))
               : m_lag);
    m_more->hide();
    m_injected->hide();
    m_remedy->hide();
    m_details->setVisible(newest != nullptr);
    show();
    update();
    if (isNew)
        announce(this, m_sentence->text());
}

void IncidentBanner::setFaults(const std::vector<std::string>& faults) {
    m_faults = faults;
}

void IncidentBanner::setIncidents(const std::vector<diagnosis::Incident>& incidents, std::int64_t nowNs, bool live) {
    const auto isOpen = [](const diagnosis::Incident& in) { return in.closed == diagnosis::CloseReason::Open; };
    const auto* newest = newestOpen(incidents);
    m_nowNs = nowNs;
    if (live && !m_lag.isEmpty()) {
        m_all.clear();
        std::copy_if(incidents.begin(), incidents.end(), std::back_inserter(m_all), isOpen);
        return showLag(newest);
    }
    m_details->show();
    if (!live || !newest) {
        hide();
        m_all.clear();
        m_sentence->setText(QString());
        return;
    }
    std::vector<diagnosis::Incident> open;
    std::copy_if(incidents.begin(), incidents.end(), std::back_inserter(open), isOpen);
    const bool isNew = m_all.empty() || m_shown.id != newest->id;
    m_all = std::move(open);
    m_shown = *newest;
    m_mark->setState(markOf(newest->cause));
    m_offered = offeredRemedy(*newest, m_faults, m_watched);
    const bool button = !m_offered.button.isEmpty();
    const bool says = !button || !m_offered.override.isEmpty(); // the other buttons name the setting themselves
    m_sentence->setText(toQString(diagnosis::sentence(*newest, nowNs, says).text(currentLanguage())));
    const auto others = std::count_if(incidents.begin(), incidents.end(), isOpen) - 1;
    m_more->setVisible(others > 0);
    m_more->setText(QStringLiteral("+%1").arg(others));
    m_more->setToolTip(tr("%n more incident(s) are open", nullptr, static_cast<int>(others)));
    const QString fault = injectedFault(*newest, m_faults);
    m_injected->setVisible(!fault.isEmpty());
    m_injected->setText(tr("injected fault"));
    m_injected->setToolTip(plainToolTip(tr("Requested by rankscope.faults: %1.").arg(faultText(fault))));
    m_remedy->setVisible(button);
    m_remedy->setText(m_offered.button);
    m_remedy->setToolTip(plainToolTip(m_offered.tip));
    show();
    update();
    if (isNew)
        announce(this, m_sentence->text());
}

void IncidentBanner::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const auto& palette = Theme::instance().palette();
    painter.fillRect(rect(), palette.tinted(palette.incident));
    painter.fillRect(QRect(0, 0, 3, height()), palette.incident);
    painter.fillRect(QRect(0, height() - 1, width(), 1), palette.hairline);
}

} // namespace rankscope::ui
