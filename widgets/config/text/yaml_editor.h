// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/labels/severity_marks.h"

#include <QPlainTextEdit>
#include <QTimer>

#include <map>

namespace rankscope::ui {

class YamlHighlighter;

/// Edits the recipe's text, with line numbers and marks of problems. Undo belongs to the file, because it spans
/// tree and text.
class YamlEditor final : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit YamlEditor(QWidget* parent = nullptr);

    /// Replaces only the part that differs, so that the caret and the scroll position stay. Emits nothing.
    void setShownText(const QString& text);
    QString shownText() const; ///< as in the document, without any normalization
    struct LineMark {
        int line = 0; ///< from 1
        MarkSeverity severity = MarkSeverity::Error;
        QString text;
        friend bool operator==(const LineMark&, const LineMark&) = default;
    };
    /// Sets the marks, most severe first: a line with several shows the first.
    void setMarks(const std::vector<LineMark>& marks);
    void goToLine(int line, int column = 0); ///< from 1

    /// Marks all places with these words; empty: none.
    void setFound(const QString& words);
    const QList<int>& found() const { return m_found; } ///< their positions, in order

    int marginWidth() const;
    void paintMargin(QPaintEvent* event);
    int lineAt(int y) const; ///< the line at a height of the margin, from 1
    QString problemAt(int line) const { return m_problems.count(line) ? m_problems.at(line).text : QString(); }

signals:
    void edited();         ///< by the user
    void leaveRequested(); ///< Escape
    void undoRequested();
    void redoRequested();
    void fileDropped(const QString& path);
    void findRequested();
    void findAgainRequested(bool backwards);
    void lineEntered(int line);   ///< the user moved the caret into it
    void jumpRequested(int line); ///< to its key in the tree

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool canInsertFromMimeData(const QMimeData* source) const override;
    void insertFromMimeData(const QMimeData* source) override;
    bool event(QEvent* event) override;
    bool focusNextPrevChild(bool next) override;

private:
    void placeMargin();
    void refreshMarks();
    void search();
    bool takesKey(const QKeyEvent* event) const;
    bool selectsLines() const;
    void indent(bool out); ///< the selected lines, or the line of the caret
    void applyTheme();
    void highlightLater(); ///< the visible lines immediately, the rest in portions
    void highlightPortion(int first, int count);

    QWidget* m_margin;
    YamlHighlighter* m_highlighter;
    std::map<int, LineMark> m_problems; ///< by line
    int m_markedRevision = -1;          ///< of the document when they were set
    QString m_last;                     ///< the text of the last edited()
    QString m_words;                    ///< searched for
    QList<int> m_found;
    int m_line = 0; ///< of the caret at the last lineEntered()
    bool m_programmatic = false;
    QTimer m_portions;
    int m_unlit = 0; ///< lines from this one on are still to be highlighted by m_portions
};

} // namespace rankscope::ui
