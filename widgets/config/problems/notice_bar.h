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

/// Says above a page, in one line, what happened and offers actions; used instead of a dialog.
class NoticeBar final : public QFrame {
    Q_OBJECT
public:
    enum class NoticeLevel { Info, Warning, Error };
    explicit NoticeBar(QWidget* parent = nullptr);
    using NoticeText = std::function<QString()>; ///< called again when the language changes
    void show(NoticeLevel kind, NoticeText text);
    /// Adds a button; call it after show(). `closes`: pressing the button also closes the bar.
    void addButton(NoticeText text, const std::function<void()>& pressed, bool closes = true);
    void clear();
    QString text() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void retranslate();

    NoticeLevel m_kind = NoticeLevel::Info;
    NoticeText m_words;
    std::vector<std::pair<QPushButton*, NoticeText>> m_answers;
    QToolButton* m_close;
    QLabel* m_text;
    QHBoxLayout* m_buttons;
};

} // namespace rankscope::ui
