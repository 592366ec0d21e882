// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the page's filters, steps and ranks, as one removable chip each. Hidden while there are none.
#pragma once

#include <QList>
#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace rankscope::ui {

class FilterBar final : public QWidget {
    Q_OBJECT
public:
    enum FilterKind { Steps, Solo, Muted };
    struct Chip {
        FilterKind kind = Steps;
        QString text, tip;
        friend bool operator==(const Chip&, const Chip&) = default;
    };

    explicit FilterBar(QWidget* parent = nullptr);
    void setChips(const QList<Chip>& chips);
    const QList<Chip>& chips() const { return m_chips; }

signals:
    void clicked(int kind);
    void removed(int kind);

private:
    void rebuild();

    QList<Chip> m_chips;
    QLabel* m_title;
    QHBoxLayout* m_row;
    QList<QWidget*> m_widgets;
};

} // namespace rankscope::ui
