// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/tree/value_line.h"

#include "core/config/schema/value_check.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/theme.h"

#include <QAction>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QStyleOptionFrame>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

static bool endsWithAny(const QString& name, std::initializer_list<const char*> ends) {
    return std::any_of(ends.begin(), ends.end(), [&](const char* end) { return name.endsWith(QLatin1String(end)); });
}

ValueKind valueKind(const config::KeyRow& row) {
    const QString key = QString::fromStdString(row.key), name = key.section(QLatin1Char('.'), -1);
    const QString type = QString::fromStdString(row.type);
    if (endsWithAny(name, {"manifest_filepath", "noise_manifest", "audio_filepaths", "nemo_model"}))
        return ValueKind::Path;
    if (endsWithAny(name, {"_dir", "dirpath"}))
        return ValueKind::Folder;
    if (type == QLatin1String("list"))
        return ValueKind::List;
    if (!row.choices.empty())
        return ValueKind::Choice;
    if (type == QLatin1String("bool"))
        return ValueKind::Switch;
    return type == QLatin1String("int") || type == QLatin1String("float") ? ValueKind::Number : ValueKind::Text;
}

QString unitOf(const QString& key) {
    const QString name = key.section(QLatin1Char('.'), -1);
    if (endsWithAny(name, {"_mb", "megabytes"}))
        return QStringLiteral("MB");
    if (endsWithAny(name, {"sample_rate", "freq"}))
        return QStringLiteral("Hz");
    if (endsWithAny(name, {"_s", "seconds", "duration", "window_size", "window_stride", "segment"}))
        return QStringLiteral("s");
    return {};
}

QString rangeOf(const config::KeySpec* spec) {
    if (!spec)
        return {};
    const auto number = [](double value) { return QString::number(value, 'g', 10); };
    if (spec->min && spec->max)
        return QStringLiteral("%1 … %2").arg(number(*spec->min), number(*spec->max));
    QStringList parts;
    if (spec->min)
        parts << QStringLiteral("≥ %1").arg(number(*spec->min));
    if (spec->above)
        parts << QStringLiteral("> %1").arg(number(*spec->above));
    if (spec->max)
        parts << QStringLiteral("≤ %1").arg(number(*spec->max));
    if (spec->below)
        parts << QStringLiteral("< %1").arg(number(*spec->below));
    return parts.join(QStringLiteral(", "));
}

QString valueProblem(const config::KeySpec* spec, const QString& yaml, bool* breaks) {
    const auto node = config::parseYaml(yaml.toStdString());
    if (breaks)
        *breaks = !node;
    if (!node)
        return messageText(node.error().text);
    if (!spec || config::hasInterpolation(*node) || config::isMissing(*node))
        return {};
    const auto wrong = config::checkValue(spec->name, *spec, *node);
    return wrong ? messageText(*wrong) : QString();
}

QString quotedPath(const QString& path) {
    return QString::fromStdString(config::toText(config::Node::string(path.toStdString())));
}

ValueLine::ValueLine(const config::KeyRow& row, QWidget* parent)
    : QLineEdit(parent), m_spec(row.spec), m_kind(valueKind(row)), m_message(new QLabel(parent)) {
    setFont(monoFont());
    setFrame(true);
    if (m_kind == ValueKind::Number) {
        const QString key = QString::fromStdString(row.key);
        m_hint = QStringList{rangeOf(m_spec), unitOf(key)}.join(QLatin1Char(' ')).trimmed();
    }
    if (m_kind == ValueKind::Path || m_kind == ValueKind::Folder || m_kind == ValueKind::List) {
        const bool list = m_kind == ValueKind::List;
        QAction* more = addAction(Theme::instance().icon(list ? QStringLiteral("log") : QStringLiteral("folder")),
                                  QLineEdit::TrailingPosition);
        more->setToolTip(list ? tr("Edit item by item (Alt+Down)") : tr("Browse (Alt+Down)"));
        connect(more, &QAction::triggered, this, [this] { emit extraRequested(m_kind); });
    }
    m_message->setFont(secondaryFont());
    m_message->setTextFormat(Qt::PlainText);
    m_message->setWordWrap(true);
    m_message->setContentsMargins(8, 4, 8, 4);
    m_message->setAutoFillBackground(true);
    m_message->setBackgroundRole(QPalette::Window); // not the list's
    m_message->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_message->hide();
    connect(this, &QLineEdit::textChanged, this, &ValueLine::check);
}

ValueLine::~ValueLine() {
    delete m_message; // a child of the same parent, which outlives the line
}

void ValueLine::check() {
    const QString typed = text().trimmed();
    m_breaks = false;
    m_problem = typed.isEmpty() ? QString() : valueProblem(m_spec, typed, &m_breaks);
    const Palette& p = Theme::instance().palette();
    QPalette mine = palette();
    mine.setColor(QPalette::Text, m_problem.isEmpty() ? p.text : p.dead);
    setPalette(mine);
    QPalette below = m_message->palette();
    below.setColor(QPalette::Window, blend(p.panel, p.dead, 0.12));
    below.setColor(QPalette::WindowText, p.text);
    m_message->setPalette(below);
    m_message->setText(m_problem);
    setAccessibleDescription(m_problem);
    placeMessage();
}

void ValueLine::placeMessage() {
    m_message->setVisible(!m_problem.isEmpty());
    if (m_problem.isEmpty() || !parentWidget())
        return;
    const int room = parentWidget()->width() - x() - 8;
    const int width = std::clamp(m_message->fontMetrics().horizontalAdvance(m_problem) + 24, this->width(),
                                 std::max(this->width(), std::min(room, 420)));
    const int height = m_message->heightForWidth(width);
    const bool above = y() + this->height() + height > parentWidget()->height();
    m_message->setGeometry(x(), above ? y() - height : y() + this->height(), width, height);
    m_message->raise();
}

void ValueLine::moveEvent(QMoveEvent* event) {
    QLineEdit::moveEvent(event);
    placeMessage();
}

void ValueLine::resizeEvent(QResizeEvent* event) {
    QLineEdit::resizeEvent(event);
    placeMessage();
}

/// Counts the last written digit up or down, so that 0.0010 becomes 0.0011 and 16000 becomes 16001.
bool ValueLine::stepBy(int steps) {
    bool ok = false;
    const QString typed = text().trimmed();
    const double value = typed.toDouble(&ok);
    if (!ok || typed.contains(QLatin1Char('e'), Qt::CaseInsensitive))
        return false;
    const auto dot = typed.indexOf(QLatin1Char('.'));
    const int decimals = dot < 0 ? 0 : static_cast<int>(typed.size() - dot - 1);
    double next = value + steps * std::pow(10.0, -decimals);
    if (m_spec && m_spec->min)
        next = std::max(next, *m_spec->min);
    if (m_spec && m_spec->max)
        next = std::min(next, *m_spec->max);
    setText(QString::number(next, 'f', decimals));
    return true;
}

/// Shows the beginning of a long value: the view selects all of it from left to right.
void ValueLine::focusInEvent(QFocusEvent* event) {
    QLineEdit::focusInEvent(event);
    if (!hasSelectedText() || selectedText() != text())
        return;
    end(false);
    home(true);
}

void ValueLine::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Down && event->modifiers() == Qt::AltModifier && !actions().isEmpty()) {
        emit extraRequested(m_kind);
        return;
    }
    const bool plain = event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier;
    if (m_kind == ValueKind::Number && plain && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down))
        if (stepBy(event->key() == Qt::Key_Up ? 1 : -1))
            return;
    QLineEdit::keyPressEvent(event);
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        event->accept(); // the value has been taken; the view must not open the editor again
}

void ValueLine::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    const int taken = fontMetrics().horizontalAdvance(text()) + 16;
    const QFontMetrics small(secondaryFont());
    if (m_hint.isEmpty() || taken + small.horizontalAdvance(m_hint) > width() - 8)
        return;
    QPainter painter(this);
    painter.setFont(secondaryFont());
    painter.setPen(Theme::instance().palette().secondary);
    painter.drawText(rect().adjusted(0, 0, -8, 0), Qt::AlignRight | Qt::AlignVCenter, m_hint);
}

} // namespace rankscope::ui
