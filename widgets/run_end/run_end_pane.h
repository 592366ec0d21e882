// SPDX-License-Identifier: GPL-3.0-or-later
// The pane for a run's end. It takes the height that it needs, up to half of the page; beyond that it scrolls.
#pragma once

#include <QScrollArea>

class QVBoxLayout;

namespace rankscope::ui {

class RunSummaryCard;
class FailurePanel;

class RunEndPane final : public QScrollArea {
    Q_OBJECT
public:
    explicit RunEndPane(QWidget* parent = nullptr);
    FailurePanel* failure() const { return m_failure; }
    RunSummaryCard* card() const { return m_card; }
    /// Shows one of the two widgets, or none.
    void showOnly(QWidget* one);
    void retranslate();

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fit();

    QWidget* m_body;
    FailurePanel* m_failure;
    RunSummaryCard* m_card;
};

} // namespace rankscope::ui
