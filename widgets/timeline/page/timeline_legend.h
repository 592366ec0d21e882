// SPDX-License-Identifier: GPL-3.0-or-later
// Names the colours of the phases and collectives that are in view.
#pragma once

#include "widgets/models/timeline/timeline_data.h"

#include <QWidget>

namespace rankscope::ui {

class TimelineLegend final : public QWidget {
    Q_OBJECT
public:
    explicit TimelineLegend(QWidget* parent = nullptr);
    void setReply(const TimelineReply* reply); ///< null: none
    bool hasPhases() const { return m_anyPhases; }
    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    enum class Sign { Fill, Hatch, Arrow };
    struct LegendEntry {
        QString name;
        QColor colour;
        Sign sign = Sign::Fill;
    };
    QList<LegendEntry> entries() const;
    /// Places the entries in `boxes`; returns the height of all.
    int place(int width, QList<QRect>* boxes) const;

    std::array<bool, kPhaseCount> m_phases{};
    bool m_anyPhases = false, m_collectives = false, m_unknown = false;
};

} // namespace rankscope::ui
