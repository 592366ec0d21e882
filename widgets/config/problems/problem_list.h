// SPDX-License-Identifier: GPL-3.0-or-later
// The list of problems and risks; a row whose cure is a setting has a button for it. Space presses the button of the
// selected row.
#pragma once

#include "widgets/config/labels/risk_remedies.h"

#include <QListView>

namespace rankscope::ui {

class ProblemList final : public QListView {
    Q_OBJECT
public:
    explicit ProblemList(QWidget* parent = nullptr);
    /// Where the row's button is, in the viewport; null: it has none.
    QRect buttonRect(const QModelIndex& index) const;

signals:
    void remedyRequested(const rankscope::ui::KeySettings& settings);
    void manifestRequested(const QString& key);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
};

} // namespace rankscope::ui
