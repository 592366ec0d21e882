// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/filter/filter_edit.h"

#include "widgets/controls/box_layout.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QCoreApplication>
#include <QEvent>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QStringListModel>
#include <QTextCharFormat>

namespace rankscope::ui {

FilterEdit::FilterEdit(QWidget* parent)
    : QWidget(parent), m_line(new QLineEdit(this)), m_message(new QLabel(this)), m_completer(new QCompleter(this)),
      m_words(new QStringListModel(this)) {
    filledBox(new QVBoxLayout(this), {}, 4, {m_line, m_message});
    m_line->setClearButtonEnabled(true);
    m_line->addAction(Theme::instance().icon(QStringLiteral("filter")), QLineEdit::LeadingPosition);
    m_message->setFont(secondaryFont());
    m_message->setWordWrap(true);
    m_message->setTextFormat(Qt::PlainText);
    m_message->hide();
    m_completer->setModel(m_words);
    m_completer->setWidget(m_line);
    m_completer->setCaseSensitivity(Qt::CaseInsensitive);
    m_completer->setFilterMode(Qt::MatchContains);
    m_completer->setMaxVisibleItems(12);
    connect(m_completer, qOverload<const QString&>(&QCompleter::activated), this, &FilterEdit::insert);
    connect(m_line, &QLineEdit::textChanged, this, &FilterEdit::read);
    connect(m_line, &QLineEdit::textEdited, this, [this] { complete(false); });
    m_line->installEventFilter(this);
    setFocusProxy(m_line);
    retranslate();
    onLanguageChange(this, [this] { retranslate(); });
}

void FilterEdit::retranslate() {
    m_line->setPlaceholderText(
        tr("Filter: words, state:failed, loss<5, tag:baseline, model.optim.lr>=1e-3, and, or, not"));
    m_line->setAccessibleName(tr("Filter the runs"));
    m_line->setToolTip(tr("Words are searched for in name, folder, state, host, cause, note and tags.\n"
                          "name:text contains, name=value is equal, < <= > >= != compare; and, or, not, ( ).\n"
                          "Ctrl+Space lists names and values."));
    if (m_error)
        read();
}

void FilterEdit::setNames(std::function<QStringList()> names, std::function<QStringList(const RunField&)> values) {
    m_names = std::move(names);
    m_values = std::move(values);
}

QString FilterEdit::text() const {
    return m_line->text();
}

void FilterEdit::setText(const QString& text) {
    m_line->setText(text);
}

void FilterEdit::check() {
    if (m_error)
        read();
}

/// Returns whether `text` continues the last word of `before`.
static bool continuesWord(const QString& before, const QString& text) {
    return !before.isEmpty() && text.size() > before.size() && text.startsWith(before) &&
           !text[before.size()].isSpace();
}

std::variant<RunQuery, QueryError> FilterEdit::parsed(const QString& text) const {
    static const QSet<QString> none;
    return parseQuery(text, m_settings ? m_settings() : none);
}

void FilterEdit::read() {
    const QString text = m_line->text();
    const auto query = parsed(text);
    m_error.reset();
    if (const auto* error = std::get_if<QueryError>(&query))
        m_error = *error;
    if (!m_error) {
        if (!continuesWord(m_valid, text))
            m_beforeWord = m_valid;
        m_valid = text.trimmed();
        emit queryChanged(std::get<RunQuery>(query));
    } else if (m_valid != m_beforeWord && continuesWord(m_valid, text)) {
        m_valid = m_beforeWord; // "los" on the way to "los<5" was not meant as a filter
        if (const auto before = parsed(m_valid); const auto* valid = std::get_if<RunQuery>(&before))
            emit queryChanged(*valid);
    }
    m_message->setVisible(m_error.has_value());
    if (m_error) {
        const QString wrong = tr("At character %1: %2").arg(m_error->at + 1).arg(m_error->text);
        m_message->setText(wrong + QLatin1Char(' ') +
                           (m_valid.isEmpty() ? tr("No filter is active.")
                                              : tr("Showing results of the last valid filter: %1").arg(m_valid)));
        m_message->setStyleSheet(QStringLiteral("color:%1").arg(Theme::instance().palette().dead.name()));
    }
    underline();
}

/// Underlines the error. A line edit has no text formats, but it draws those of an input method's text.
void FilterEdit::underline() {
    if (m_setting)
        return;
    m_setting = true;
    QList<QInputMethodEvent::Attribute> attributes;
    if (m_error) {
        QTextCharFormat format;
        format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        format.setUnderlineColor(Theme::instance().palette().dead);
        attributes.append(
            {QInputMethodEvent::TextFormat, m_error->at - m_line->cursorPosition(), m_error->length, format});
    }
    QInputMethodEvent event(QString(), attributes);
    QCoreApplication::sendEvent(m_line, &event);
    m_setting = false;
}

void FilterEdit::complete(bool asked) {
    const QueryPlace place = queryPlace(m_line->text(), m_line->cursorPosition());
    const bool wanted = asked || place.field || place.typed.size() >= 2;
    if (!wanted || !m_names || !m_values) {
        m_completer->popup()->hide();
        return;
    }
    m_words->setStringList(place.field ? m_values(*place.field) : m_names());
    m_completer->setCompletionPrefix(place.typed);
    const bool only = m_completer->completionCount() == 1 &&
                      m_completer->currentCompletion().compare(place.typed, Qt::CaseInsensitive) == 0;
    if (m_completer->completionCount() == 0 || only) {
        m_completer->popup()->hide();
        return;
    }
    QRect at = m_line->rect();
    at.setLeft(m_line->fontMetrics().horizontalAdvance(m_line->text().left(place.begin)) + 28);
    at.setWidth(360);
    m_completer->complete(at);
}

void FilterEdit::insert(const QString& word) {
    const QueryPlace place = queryPlace(m_line->text(), m_line->cursorPosition());
    QString put = word;
    if (place.field) {
        for (const QChar c : word)
            if (c.isSpace() || QStringLiteral("()\"").contains(c))
                put = QStringLiteral("\"%1\"").arg(QString(word).replace(QLatin1Char('"'), QStringLiteral("\\\"")));
        put += QLatin1Char(' ');
    }
    const int end = m_line->cursorPosition();
    m_line->setText(m_line->text().left(place.begin) + put + m_line->text().mid(end));
    m_line->setCursorPosition(place.begin + static_cast<int>(put.size()));
}

bool FilterEdit::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_line && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Space && key->modifiers() == Qt::ControlModifier) {
            complete(true);
            return true;
        }
        if (key->key() == Qt::Key_Escape && !m_line->text().isEmpty()) {
            m_line->clear();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace rankscope::ui
