// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/labels/risk_remedies.h"

#include <QListView>

namespace rankscope::ui {

/// Lists problems and risks. A row whose remedy is a setting has a button for it, which Space also presses.
class ProblemList final : public QListView {
    Q_OBJECT
public:
    explicit ProblemList(QWidget* parent = nullptr);
    /// Selects the first problem of this key, scrolls to it and takes the focus; does nothing if there is none.
    void showProblem(const QString& key);

signals:
    void remedyRequested(const rankscope::ui::KeySettings& settings);
    void manifestRequested(const QString& key);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
};

} // namespace rankscope::ui
