// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;

namespace rankscope::ui {

class IncidentBanner;
struct RunView;

/// The row under the header. It shows the incident banner or, for a live run without an incident, a quiet line of the
/// same height in its place, so that nothing moves when an incident opens.
class BannerRow final : public QWidget {
    Q_OBJECT
public:
    explicit BannerRow(QWidget* parent = nullptr);
    IncidentBanner* banner() const { return m_banner; }
    void setView(const RunView& view);
    void clear(); ///< call it if no run is open

private:
    QLabel* m_calm;
    IncidentBanner* m_banner;
};

} // namespace rankscope::ui
