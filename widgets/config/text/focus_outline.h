// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QWidget>

namespace rankscope::ui {

/// Outlines the pane that has the focus if the pane itself shows no frame: lists, texts and the tree.
class FocusOutline final : public QWidget {
    Q_OBJECT
public:
    /// Watches all panes of `page`, which it covers.
    explicit FocusOutline(QWidget* page);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void surround(QWidget* pane);
    void place();

    QPointer<QWidget> m_pane;
};

} // namespace rankscope::ui
