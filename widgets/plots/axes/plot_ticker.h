// SPDX-License-Identifier: GPL-3.0-or-later
// A QCustomPlot ticker that uses ticks.h: at most six ticks, no sub-ticks.
#pragma once

#include <qcustomplot.h>

namespace rankscope::ui {

class PlotTicker final : public QCPAxisTicker {
public:
    enum class TickKind { Value, Whole, Log, Time };

    void setKind(TickKind kind) { m_kind = kind; }
    TickKind kind() const { return m_kind; }
    /// Makes labels show value x factor, for example seconds as ms.
    void setFactor(double factor) { m_factor = factor; }
    /// Gives each label its own unit, for values in seconds: "10 ms", "1.0 s".
    void setOwnUnits(bool on) { m_ownUnits = on; }
    void setMost(int most) { m_most = most; }
    int most() const { return m_most; }

    void generate(const QCPRange& range, const QLocale& locale, QChar formatChar, int precision, QVector<double>& ticks,
                  QVector<double>* subTicks, QVector<QString>* tickLabels) override;

private:
    TickKind m_kind = TickKind::Value;
    double m_factor = 1;
    int m_most = 6;
    bool m_ownUnits = false;
};

} // namespace rankscope::ui
