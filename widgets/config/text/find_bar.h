// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QLineEdit;
class QToolButton;

namespace rankscope::ui {

class YamlEditor;

/// Finds words in the text pane, forwards and backwards, and shows how many there are. The search wraps around.
class FindBar final : public QFrame {
    Q_OBJECT
public:
    FindBar(YamlEditor* editor, QWidget* parent = nullptr);
    void ask(); ///< shows the bar with the selected text
    void find(bool backwards);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void retranslate();
    void wordsChanged();
    void showCount();
    void close();

    YamlEditor* m_editor;
    QLineEdit* m_line;
    QLabel* m_count;
    QToolButton* m_previous;
    QToolButton* m_next;
    QToolButton* m_close;
};

} // namespace rankscope::ui
