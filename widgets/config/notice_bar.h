// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QHBoxLayout;
class QLabel;

namespace rankscope::ui {

/// One line above a page that says what happened and offers what to do; instead of a dialog.
class NoticeBar final : public QFrame {
    Q_OBJECT
public:
    enum class Kind { Info, Warning, Error };
    explicit NoticeBar(QWidget* parent = nullptr);
    void show(Kind kind, const QString& text);
    /// After show(). `closes`: pressing it is the answer, and the bar goes.
    void addButton(const QString& text, const std::function<void()>& pressed, bool closes = true);
    void clear();
    QString text() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Kind m_kind = Kind::Info;
    QLabel* m_text;
    QHBoxLayout* m_buttons;
};

} // namespace rankscope::ui
