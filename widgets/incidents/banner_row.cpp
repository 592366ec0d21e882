// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/banner_row.h"

#include "widgets/incidents/incident_banner.h"
#include "widgets/models/text/store_health_text.h"
#include "widgets/models/view/run_view.h"
#include "widgets/theme/language_change.h"

#include <QGridLayout>
#include <QLabel>

#include <initializer_list>

namespace rankscope::ui {

BannerRow::BannerRow(QWidget* parent) : QWidget(parent), m_calm(new QLabel), m_banner(new IncidentBanner) {
    auto* place = new QGridLayout(this); // one cell for either
    place->setContentsMargins({});
    for (QWidget* either : std::initializer_list<QWidget*>{m_calm, m_banner}) {
        place->addWidget(either, 0, 0);
        either->hide();
    }
    m_calm->setObjectName(QStringLiteral("bannerCalm"));
    m_calm->setFixedHeight(m_banner->minimumHeight());
    m_calm->setContentsMargins(36, 0, 16, 0); // under the banner's sentence
    m_calm->setForegroundRole(QPalette::PlaceholderText);
    m_banner->raise();
    const auto translate = [this] { m_calm->setText(tr("No rank is holding up the others.")); };
    translate();
    onLanguageChange(this, translate);
}

void BannerRow::setView(const RunView& view) {
    const bool live = launch::isLive(view.info.state);
    if (view.nowNs != 0)
        m_calm->setVisible(live);
    m_banner->setLag(view.lag ? storeLagText(*view.lag, view.info) : QString());
    m_banner->setFaults(view.info.faults);
    m_banner->setWatched(view.info.watched());
    m_banner->setIncidents(view.incidents, view.knownNs, live);
}

void BannerRow::clear() {
    m_banner->setLag({});
    m_banner->setIncidents({}, 0, false);
    m_calm->hide();
}

} // namespace rankscope::ui
