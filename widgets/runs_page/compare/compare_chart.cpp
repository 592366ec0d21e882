// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/compare/compare_chart.h"

#include "widgets/controls/box_layout.h"
#include "widgets/runs_page/compare/compare_plot.h"
#include "widgets/theme/theme.h"

#include <QComboBox>
#include <QSignalBlocker>
#include <QToolButton>

namespace rankscope::ui {

CompareChart::CompareChart(QWidget* parent)
    : QWidget(parent), m_plot(new ComparePlot(this)), m_metric(new QComboBox(this)), m_remove(new QToolButton(this)) {
    m_remove->setIcon(Theme::instance().icon(QStringLiteral("close")));
    m_remove->setAutoRaise(true);
    m_remove->setFocusPolicy(Qt::TabFocus);
    auto* bar = filledBox(new QHBoxLayout, {8, 2, 8, 2}, 8, {m_metric, m_remove});
    bar->addStretch(1);
    auto* column = filledBox(new QVBoxLayout(this), {}, 0);
    column->addLayout(bar);
    column->addWidget(m_plot, 1);
    connect(m_metric, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index >= 0)
            emit metricChosen();
    });
    connect(m_remove, &QToolButton::clicked, this, &CompareChart::removeRequested);
    retranslate();
}

void CompareChart::retranslate() {
    m_metric->setAccessibleName(tr("Metric"));
    m_remove->setToolTip(tr("Remove this chart"));
    m_remove->setAccessibleName(tr("Remove this chart"));
    const QSignalBlocker blocked(m_metric);
    const QVariant chosen = m_metric->currentData();
    m_metric->clear();
    for (const auto& info : store::metrics())
        m_metric->addItem(metricTitle(info.metric), static_cast<int>(info.metric));
    m_metric->setCurrentIndex(std::max(0, m_metric->findData(chosen)));
}

void CompareChart::load(const QStringList& dirs, CurveRequest request) {
    request.metric = static_cast<store::Metric>(m_metric->currentData().toInt());
    m_loader.ask([dirs, request](const auto& isOld) { return readCurves(dirs, request, isOld); },
                 [this](const CompareReplyPtr& reply) { emit loaded(reply); });
}

bool CompareChart::isComplete() const {
    return !m_loader.isBusy() && m_plot->isDrawn();
}

} // namespace rankscope::ui
