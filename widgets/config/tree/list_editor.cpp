// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/tree/list_editor.h"

#include "core/config/yaml/node.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"
#include "widgets/config/tree/value_line.h"
#include "widgets/controls/box_layout.h"
#include "widgets/theme/theme.h"

#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>

namespace rankscope::ui {

static constexpr int kNarrow = 280, kWide = 720;

QStringList listItems(const QString& yaml) {
    const auto node = config::parseYaml(yaml.toStdString());
    QStringList items;
    if (!node || node->kind == config::Node::Kind::Null)
        return items;
    if (!node->isList())
        return {yaml};
    for (const config::Node& item : node->items)
        items << QString::fromStdString(config::toText(item));
    return items;
}

ListEditor::ListEditor(const QString& key, const config::KeySpec* spec, const QString& yaml, QWidget* parent)
    : QFrame(parent, Qt::Popup), m_spec(spec), m_list(new QListWidget(this)), m_problem(new QLabel(this)),
      m_done(new QPushButton(this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    build(key);
    for (const QString& item : listItems(yaml))
        addItem(item, false);
    m_list->setCurrentRow(0);
    // show the longest item in full if there is room for it
    int longest = 0;
    for (int i = 0; i < m_list->count(); ++i)
        longest = std::max(longest, m_list->fontMetrics().horizontalAdvance(m_list->item(i)->text()));
    m_list->setMinimumWidth(std::clamp(longest + 32, kNarrow, kWide));
    m_list->setFixedHeight(24 * std::clamp(m_list->count() + 1, 3, 10));
    m_list->installEventFilter(this);
    connect(m_list, &QListWidget::itemChanged, this, &ListEditor::check);
    check();
    m_list->setFocus();
}

void ListEditor::build(const QString& key) {
    auto* title = new QLabel(key, this);
    title->setFont(secondaryFont());
    title->setTextFormat(Qt::PlainText);
    m_list->setFont(monoFont());
    m_list->setWordWrap(false);
    m_list->setUniformItemSizes(true);
    m_problem->setFont(secondaryFont());
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->setWordWrap(true);
    QPalette red = palette();
    red.setColor(QPalette::WindowText, Theme::instance().palette().dead);
    m_problem->setPalette(red);
    QHBoxLayout* buttons = rowOf({});
    const auto button = [&](const char* icon, const QString& tip, auto pressed) {
        auto* one = new QToolButton(this);
        one->setIcon(Theme::instance().icon(QLatin1String(icon)));
        one->setToolTip(tip);
        one->setAutoRaise(true);
        connect(one, &QToolButton::clicked, this, pressed);
        buttons->addWidget(one);
    };
    button("plus", tr("Add an item (Insert)"), [this] { addItem(QStringLiteral("null"), true); });
    button("trash", tr("Remove the item (Delete)"), [this] {
        delete m_list->takeItem(m_list->currentRow());
        check();
    });
    button("up", tr("Up (Alt+Up)"), [this] { moveBy(-1); });
    button("down", tr("Down (Alt+Down)"), [this] { moveBy(1); });
    buttons->addStretch(1);
    m_done->setText(tr("Apply"));
    m_done->setDefault(true);
    connect(m_done, &QPushButton::clicked, this, &ListEditor::accept);
    buttons->addWidget(m_done);
    setLayout(columnOf({title, {m_list, 1}, m_problem, buttons}, 6, {8, 8, 8, 8}));
}

void ListEditor::addItem(const QString& text, bool edit) {
    auto* item = new QListWidgetItem(text);
    item->setSizeHint({0, 24});
    item->setFlags(item->flags() | Qt::ItemIsEditable);
    m_list->insertItem(edit ? m_list->currentRow() + 1 : m_list->count(), item);
    if (!edit)
        return;
    m_list->setCurrentItem(item);
    m_list->editItem(item);
    check();
}

void ListEditor::moveBy(int rows) {
    const int row = m_list->currentRow(), to = row + rows;
    if (row < 0 || to < 0 || to >= m_list->count())
        return;
    m_list->insertItem(to, m_list->takeItem(row));
    m_list->setCurrentRow(to);
    check();
}

QString ListEditor::yaml() const {
    QStringList items;
    for (int i = 0; i < m_list->count(); ++i)
        items << m_list->item(i)->text().trimmed();
    return QLatin1Char('[') + items.join(QStringLiteral(", ")) + QLatin1Char(']');
}

void ListEditor::check() {
    QString problem;
    bool breaks = false;
    for (int i = 0; i < m_list->count() && !breaks; ++i) {
        // each item separately, so that "a, b" does not silently become two items
        const QString text = m_list->item(i)->text().trimmed();
        const auto node = config::parseYaml("[" + text.toStdString() + "]");
        if (text.isEmpty() || !node || !node->isList() || node->items.size() != 1) {
            problem = tr("Item %1 is not a single YAML value: %2").arg(i + 1).arg(text);
            breaks = true;
        }
    }
    if (!breaks)
        problem = valueProblem(m_spec, yaml(), &breaks);
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    m_done->setEnabled(!breaks);
}

void ListEditor::accept() {
    check();
    if (!m_done->isEnabled())
        return;
    const QString list = yaml();
    close();
    emit accepted(list);
}

void ListEditor::paintEvent(QPaintEvent*) {
    const Palette& p = Theme::instance().palette();
    QPainter painter(this); // draw a frame that is also visible on a dark window
    painter.fillRect(rect(), p.raised);
    painter.setPen(blend(p.hairline, p.secondary, 0.5));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

bool ListEditor::eventFilter(QObject* watched, QEvent* event) {
    // before the list takes the arrow keys
    return (event->type() == QEvent::KeyPress && takeKey(static_cast<QKeyEvent*>(event))) ||
           QFrame::eventFilter(watched, event);
}

bool ListEditor::takeKey(const QKeyEvent* event) {
    const bool alt = event->modifiers() == Qt::AltModifier;
    if (event->key() == Qt::Key_Insert) {
        addItem(QStringLiteral("null"), true);
    } else if (event->key() == Qt::Key_Delete) {
        delete m_list->takeItem(m_list->currentRow());
        check();
    } else if (alt && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down)) {
        moveBy(event->key() == Qt::Key_Up ? -1 : 1);
    } else if (event->key() == Qt::Key_Return && event->modifiers() == Qt::ControlModifier) {
        accept();
    } else {
        return false;
    }
    return true;
}

} // namespace rankscope::ui
