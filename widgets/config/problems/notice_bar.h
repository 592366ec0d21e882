// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include <functional>
#include <utility>
#include <vector>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace rankscope::ui {

/// Shows one line above a page that says what happened and offers actions, instead of a dialog.
class NoticeBar final : public QFrame {
    Q_OBJECT
public:
    enum class Kind { Info, Warning, Error };
    explicit NoticeBar(QWidget* parent = nullptr);
    using Text = std::function<QString()>; ///< called again when the language changes
    void show(Kind kind, Text text);
    /// Adds a button; call it after show(). `closes`: pressing the button also closes the bar.
    void addButton(Text text, const std::function<void()>& pressed, bool closes = true);
    void clear();
    QString text() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void retranslate();

    Kind m_kind = Kind::Info;
    Text m_words;
    std::vector<std::pair<QPushButton*, Text>> m_answers;
    QToolButton* m_close;
    QLabel* m_text;
    QHBoxLayout* m_buttons;
};

} // namespace rankscope::ui
