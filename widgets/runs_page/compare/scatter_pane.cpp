// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/compare/scatter_pane.h"

#include "core/base/values/clock.h"
#include "widgets/controls/box_layout.h"
#include "widgets/runs_page/compare/compare_model.h"
#include "widgets/runs_page/compare/scatter_plot.h"

#include <QComboBox>
#include <QLabel>

#include <algorithm>

namespace rankscope::ui {

ScatterPane::ScatterPane(QWidget* parent)
    : QWidget(parent), m_plot(new ScatterPlot(this)), m_x(new QComboBox(this)), m_y(new QComboBox(this)),
      m_against(new QLabel(this)) {
    m_x->setObjectName(QStringLiteral("scatterX"));
    m_y->setObjectName(QStringLiteral("scatterY"));
    m_x->setMinimumWidth(280);
    m_x->setMaxVisibleItems(20);
    auto* row = filledBox(new QHBoxLayout, {8, 6, 8, 6}, 8, {m_y, m_against, m_x});
    row->addStretch(1);
    auto* column = filledBox(new QVBoxLayout(this), {}, 0);
    column->addLayout(row);
    column->addWidget(m_plot, 1);
    for (QComboBox* box : {m_x, m_y})
        connect(box, &QComboBox::currentIndexChanged, this, [this] {
            if (!m_filling)
                fillPlot();
        });
    connect(m_plot, &ScatterPlot::clicked, this, &ScatterPane::runClicked);
}

void ScatterPane::setRuns(const QList<RunRow>& runs, const QList<QColor>& colours) {
    m_filling = true;
    const QVariant chosen = m_x->currentData();
    m_x->clear();
    for (const SettingLine& line : settingLines(runs, true))
        m_x->addItem(QString::fromStdString(*line.key), QString::fromStdString(*line.key));
    m_x->setCurrentIndex(std::max(0, m_x->findData(chosen)));
    m_filling = false;
    updateRuns(runs, colours);
}

void ScatterPane::updateRuns(const QList<RunRow>& runs, const QList<QColor>& colours) {
    m_runs = runs;
    m_colours = colours;
    fillPlot();
}

void ScatterPane::fillPlot() {
    const RunField y = fieldOf(m_y->currentData().toString());
    const QString key = m_x->currentData().toString();
    m_plot->setData(key.isEmpty() ? ScatterData() : scatterOf(m_runs, m_colours, settingField(key), y, realtimeNs()),
                    key.isEmpty() ? tr("no setting differs between these runs") : key, y);
}

void ScatterPane::fillFigures() {
    m_filling = true;
    const QString chosen = m_y->count() == 0 ? QStringLiteral("loss") : m_y->currentData().toString();
    m_y->clear();
    for (const FieldId id : comparedFigures())
        for (const RunField& field : builtinFields())
            if (field.id == id && field.isNumber())
                m_y->addItem(field.title(), QString::fromStdString(field.key));
    m_y->setCurrentIndex(std::max(0, m_y->findData(chosen)));
    m_filling = false;
}

void ScatterPane::retranslate() {
    m_against->setText(tr("against"));
    m_x->setAccessibleName(tr("Setting"));
    m_y->setAccessibleName(tr("Figure"));
    fillFigures();
}

} // namespace rankscope::ui
