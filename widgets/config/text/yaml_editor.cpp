// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/text/yaml_editor.h"

#include "widgets/config/text/dropped_recipe.h"
#include "widgets/config/text/yaml_highlighter.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QTextBlock>
#include <QToolTip>
#include <QUrl>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

namespace {

class Margin final : public QWidget {
public:
    explicit Margin(YamlEditor* editor) : QWidget(editor), m_editor(editor) {}
    QSize sizeHint() const override { return {m_editor->marginWidth(), 0}; }

protected:
    void paintEvent(QPaintEvent* event) override { m_editor->paintMargin(event); }
    bool event(QEvent* event) override {
        if (event->type() != QEvent::ToolTip)
            return QWidget::event(event);
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString problem = m_editor->problemAt(m_editor->lineAt(help->pos().y()));
        QToolTip::showText(help->globalPos(), plainToolTip(problem.isEmpty() ? m_editor->toolTip() : problem), this);
        return true;
    }
    void mousePressEvent(QMouseEvent* event) override { m_editor->goToLine(m_editor->lineAt(event->pos().y())); }
    void mouseDoubleClickEvent(QMouseEvent* event) override {
        emit m_editor->jumpRequested(m_editor->lineAt(event->pos().y()));
    }

private:
    YamlEditor* m_editor;
};

} // namespace

YamlEditor::YamlEditor(QWidget* parent)
    : QPlainTextEdit(parent), m_margin(new Margin(this)), m_highlighter(new YamlHighlighter(document())) {
    setUndoRedoEnabled(false);
    setLineWrapMode(NoWrap);
    setTabChangesFocus(true);
    setFont(monoFont());
    setTabStopDistance(fontMetrics().horizontalAdvance(QLatin1Char(' ')) * 2);
    setFrameShape(NoFrame);
    document()->setDocumentMargin(6);
    connect(this, &QPlainTextEdit::blockCountChanged, this, &YamlEditor::placeMargin);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int dy) {
        if (dy)
            m_margin->scroll(0, dy);
        else
            m_margin->update(0, rect.y(), m_margin->width(), rect.height());
    });
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, [this] {
        refreshMarks();
        const int line = textCursor().blockNumber() + 1;
        if (line != m_line && hasFocus() && !m_programmatic)
            emit lineEntered(line);
        m_line = line;
    });
    connect(this, &QPlainTextEdit::textChanged, this, [this] {
        // the highlighter's format changes are reported too
        if (m_programmatic)
            return;
        if (QString now = shownText(); now != m_last) {
            m_last = std::move(now);
            search();
            emit edited();
        }
    });
    m_portions.setInterval(10);
    connect(&m_portions, &QTimer::timeout, this, [this] {
        static constexpr int kPortion = 1500;
        highlightPortion(m_unlit, kPortion);
        m_unlit += kPortion;
        if (m_unlit >= blockCount())
            m_portions.stop();
    });
    connect(&Theme::instance(), &Theme::changed, this, &YamlEditor::applyTheme);
    applyTheme();
    placeMargin();
}

void YamlEditor::highlightPortion(int first, int count) {
    m_programmatic = true;
    m_highlighter->highlight(first, count);
    m_programmatic = false;
}

void YamlEditor::highlightLater() {
    highlightPortion(firstVisibleBlock().blockNumber(), viewport()->height() / std::max(1, fontMetrics().height()) + 1);
    m_unlit = 0;
    m_portions.start();
}

void YamlEditor::applyTheme() {
    QPalette colours = QApplication::palette();
    // the last match stays marked while the find bar has the focus
    colours.setColor(QPalette::Inactive, QPalette::Highlight, colours.color(QPalette::Active, QPalette::Highlight));
    setPalette(colours);
    highlightLater();
    refreshMarks();
    m_margin->update();
}

QString YamlEditor::shownText() const {
    // toPlainText() would turn no-break spaces into spaces
    QString raw = document()->toRawText();
    return raw.replace(QChar::ParagraphSeparator, QLatin1Char('\n'));
}

void YamlEditor::setShownText(const QString& text) {
    const QString before = shownText();
    if (before == text)
        return;
    int prefix = 0;
    const int shorter = static_cast<int>(std::min(before.size(), text.size()));
    while (prefix < shorter && before[prefix] == text[prefix])
        ++prefix;
    int suffix = 0;
    while (suffix < shorter - prefix && before[before.size() - 1 - suffix] == text[text.size() - 1 - suffix])
        ++suffix;
    const int length = static_cast<int>(text.size()) - suffix - prefix;
    static constexpr int kMuch = 20'000; // highlighting more at once would be a visible delay
    m_programmatic = true;
    m_highlighter->setDeferred(length > kMuch);
    QTextCursor cursor(document());
    cursor.beginEditBlock();
    cursor.setPosition(prefix);
    cursor.setPosition(static_cast<int>(before.size()) - suffix, QTextCursor::KeepAnchor);
    cursor.insertText(text.mid(prefix, length));
    cursor.endEditBlock();
    m_highlighter->setDeferred(false);
    m_last = text;
    m_programmatic = false;
    if (length > kMuch)
        highlightLater();
    search();
}

void YamlEditor::setFound(const QString& words) {
    m_words = words;
    search();
    refreshMarks();
}

void YamlEditor::search() {
    static constexpr int kMost = 9999;
    m_found.clear();
    if (m_words.isEmpty())
        return;
    const QString text = shownText();
    for (auto at = text.indexOf(m_words, 0, Qt::CaseInsensitive); at >= 0 && m_found.size() < kMost;
         at = text.indexOf(m_words, at + m_words.size(), Qt::CaseInsensitive))
        m_found << static_cast<int>(at);
}

void YamlEditor::setMarks(const std::vector<LineMark>& marks) {
    std::map<int, LineMark> problems;
    for (const LineMark& mark : marks)
        if (auto [at, fresh] = problems.emplace(mark.line, mark); !fresh)
            at->second.text += QLatin1Char('\n') + mark.text;
    const bool sameText = std::exchange(m_markedRevision, document()->revision()) == document()->revision();
    if (sameText && problems == m_problems)
        return;
    m_problems = std::move(problems);
    refreshMarks();
    m_margin->update();
}

void YamlEditor::refreshMarks() {
    const Palette& p = Theme::instance().palette();
    QList<QTextEdit::ExtraSelection> marks;
    QTextEdit::ExtraSelection line;
    line.format.setBackground(blend(p.panel, p.raised, 0.6));
    line.format.setProperty(QTextFormat::FullWidthSelection, true);
    line.cursor = textCursor();
    line.cursor.clearSelection();
    if (!document()->isEmpty()) // it would hide the placeholder
        marks << line;
    static constexpr qsizetype kMostMarks = 500; // more would slow each key press down
    for (int at : m_found.first(std::min(m_found.size(), kMostMarks))) {
        QTextEdit::ExtraSelection mark;
        mark.format.setBackground(p.searchHit());
        mark.format.setForeground(p.text); // not the colour of a key or a comment
        mark.cursor = QTextCursor(document());
        mark.cursor.setPosition(at);
        mark.cursor.setPosition(at + static_cast<int>(m_words.size()), QTextCursor::KeepAnchor);
        marks << mark;
    }
    for (const auto& [number, problem] : m_problems) {
        const QTextBlock block = document()->findBlockByNumber(number - 1);
        if (!block.isValid() || marks.size() > 2 * kMostMarks)
            continue;
        QTextEdit::ExtraSelection mark;
        mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        mark.format.setUnderlineColor(markColor(problem.severity));
        mark.cursor = QTextCursor(block);
        const QString text = block.text();
        int first = 0;
        while (first < text.size() && text[first].isSpace())
            ++first;
        mark.cursor.setPosition(block.position() + first);
        mark.cursor.setPosition(block.position() + static_cast<int>(text.size()), QTextCursor::KeepAnchor);
        marks << mark;
    }
    setExtraSelections(marks);
}

void YamlEditor::goToLine(int line, int column) {
    const QTextBlock block = document()->findBlockByNumber(line - 1);
    if (!block.isValid())
        return;
    QTextCursor cursor(block);
    cursor.setPosition(block.position() + std::min(std::max(0, column - 1), block.length() - 1));
    setTextCursor(cursor);
    centerCursor();
}

int YamlEditor::marginWidth() const {
    int digits = 2;
    for (int n = std::max(1, blockCount()); n >= 100; n /= 10)
        ++digits;
    return 26 + fontMetrics().horizontalAdvance(QLatin1Char('9')) * digits;
}

void YamlEditor::placeMargin() {
    setViewportMargins(marginWidth(), 0, 0, 0);
    const QRect r = contentsRect();
    m_margin->setGeometry(r.left(), r.top(), marginWidth(), r.height());
}

void YamlEditor::resizeEvent(QResizeEvent* event) {
    QPlainTextEdit::resizeEvent(event);
    placeMargin();
}

void YamlEditor::paintMargin(QPaintEvent* event) {
    const Palette& p = Theme::instance().palette();
    QPainter painter(m_margin);
    painter.fillRect(event->rect(), p.window);
    painter.setFont(monoFont(9));
    QTextBlock block = firstVisibleBlock();
    double top = blockBoundingGeometry(block).translated(contentOffset()).top();
    const int current = textCursor().blockNumber();
    while (block.isValid() && top <= event->rect().bottom()) {
        const double height = blockBoundingRect(block).height();
        const int number = block.blockNumber() + 1;
        painter.setPen(block.blockNumber() == current ? p.text : p.secondary);
        painter.drawText(QRectF(0, top, m_margin->width() - 8, height), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(number));
        if (const auto problem = m_problems.find(number); problem != m_problems.end())
            drawMark(painter, QRectF(4, top + (height - 11) / 2, 11, 11), problem->second.severity);
        top += height;
        block = block.next();
    }
    painter.fillRect(m_margin->width() - 1, event->rect().top(), 1, event->rect().height(), p.hairline);
}

int YamlEditor::lineAt(int y) const {
    return cursorForPosition(QPoint(0, y)).blockNumber() + 1;
}

static bool isIndent(const QKeyEvent* event) {
    return event->modifiers() == Qt::ControlModifier &&
           (event->key() == Qt::Key_BracketRight || event->key() == Qt::Key_BracketLeft);
}

bool YamlEditor::selectsLines() const {
    const QTextCursor cursor = textCursor();
    return document()->findBlock(cursor.selectionStart()) != document()->findBlock(cursor.selectionEnd());
}

void YamlEditor::indent(bool out) {
    QTextCursor cursor = textCursor();
    QTextBlock block = document()->findBlock(cursor.selectionStart());
    const int end = cursor.selectionEnd();
    QTextBlock last = document()->findBlock(end);
    if (last != block && end == last.position()) // the caret is before this block, nothing in it is selected
        last = last.previous();
    QTextCursor edit(document());
    edit.beginEditBlock(); // one change, so that one undo takes it back
    for (const int behind = last.blockNumber(); block.isValid() && block.blockNumber() <= behind;
         block = block.next()) {
        edit.setPosition(block.position());
        const QString text = block.text();
        if (!out && !text.trimmed().isEmpty()) {
            edit.insertText(QStringLiteral("  ")); // YAML forbids tabs
        } else if (out) {
            const int spaces = text.startsWith(QLatin1String("  ")) ? 2 : text.startsWith(QLatin1Char(' ')) ? 1 : 0;
            edit.movePosition(QTextCursor::NextCharacter, QTextCursor::KeepAnchor, spaces);
            edit.removeSelectedText();
        }
    }
    edit.endEditBlock();
}

/// Tab moves to the next pane, or indents if several lines are selected.
bool YamlEditor::focusNextPrevChild(bool next) {
    if (!isReadOnly() && selectsLines()) {
        indent(!next);
        return true;
    }
    return QPlainTextEdit::focusNextPrevChild(next);
}

/// Returns whether the editor takes a key that is a shortcut elsewhere in the window.
bool YamlEditor::takesKey(const QKeyEvent* event) const {
    return isIndent(event) || event->matches(QKeySequence::Find) || event->key() == Qt::Key_F3 ||
           (event->key() == Qt::Key_J && event->modifiers() == Qt::ControlModifier);
}

void YamlEditor::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Find)) {
        emit findRequested();
    } else if (event->key() == Qt::Key_F3) {
        emit findAgainRequested(event->modifiers().testFlag(Qt::ShiftModifier));
    } else if (event->key() == Qt::Key_J && event->modifiers() == Qt::ControlModifier) {
        emit jumpRequested(textCursor().blockNumber() + 1);
    } else if (event->matches(QKeySequence::Undo)) {
        emit undoRequested();
    } else if (event->matches(QKeySequence::Redo)) {
        emit redoRequested();
    } else if (event->key() == Qt::Key_Escape) {
        emit leaveRequested();
    } else if (isIndent(event) && !isReadOnly()) {
        indent(event->key() == Qt::Key_BracketLeft);
    } else if (event->key() == Qt::Key_Return && event->modifiers() == Qt::NoModifier && !isReadOnly()) {
        const QString line = textCursor().block().text().left(textCursor().positionInBlock());
        int indent = 0;
        while (indent < line.size() && line[indent] == QLatin1Char(' '))
            ++indent;
        insertPlainText(QLatin1Char('\n') + QString(indent, QLatin1Char(' ')));
        ensureCursorVisible();
    } else {
        QPlainTextEdit::keyPressEvent(event);
    }
}

void YamlEditor::contextMenuEvent(QContextMenuEvent* event) {
    // without the editor's own undo entries, which do not include the tree's edits
    auto* menu = createStandardContextMenu();
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto actions = menu->actions();
    for (QAction* action : actions)
        if (action->objectName() == QLatin1String("edit-undo") || action->objectName() == QLatin1String("edit-redo"))
            action->setVisible(false);
    menu->addSeparator();
    menu->addAction(tr("Find…"), this, &YamlEditor::findRequested);
    menu->addAction(tr("Show in the tree"), this, [this] { emit jumpRequested(textCursor().blockNumber() + 1); });
    menu->popup(event->globalPos());
}

bool YamlEditor::canInsertFromMimeData(const QMimeData* source) const {
    const auto urls = source->urls();
    const bool files = std::any_of(urls.begin(), urls.end(), [](const QUrl& url) { return url.isLocalFile(); });
    if (files)
        return !draggedRecipe(source).isEmpty(); // the window takes other files
    return source->hasUrls() ? source->hasFormat(QStringLiteral("text/plain")) : source->hasText();
}

void YamlEditor::insertFromMimeData(const QMimeData* source) {
    if (const QString recipe = draggedRecipe(source); !recipe.isEmpty())
        emit fileDropped(recipe);
    else if (source->hasText() && !isReadOnly())
        insertPlainText(source->text()); // never rich text
}

bool YamlEditor::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride && takesKey(static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const QTextCursor at = cursorForPosition(help->pos() - QPoint(m_margin->width(), 0));
        QToolTip::showText(help->globalPos(), plainToolTip(problemAt(at.blockNumber() + 1)), this);
        return true;
    }
    return QPlainTextEdit::event(event);
}

} // namespace rankscope::ui
