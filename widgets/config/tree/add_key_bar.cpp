// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/tree/add_key_bar.h"

#include "core/config/schema/key_schema.h"
#include "widgets/config/tree/value_line.h"
#include "widgets/theme/theme.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QStringListModel>

#include <algorithm>

namespace rankscope::ui {

/// Returns the key facts of the NeMo version that the recipe names.
static const config::KeySchema& schemaFor(const Evaluation& evaluation) {
    const config::KeySchema* facts = evaluation ? config::schemaOf(evaluation->nemoVersion) : nullptr;
    return facts ? *facts : config::builtinSchema();
}

const config::KeySpec* specOf(const QString& key, const Evaluation& evaluation) {
    return schemaFor(evaluation).key(key.toStdString());
}

/// Returns the full paths of all known keys that the recipe does not have, those of `section` first.
static QStringList knownKeys(const QString& section, const Evaluation& evaluation) {
    QStringList here, others;
    for (const config::SectionSpec& spec : schemaFor(evaluation).sections)
        for (const config::KeySpec& key : spec.keys) {
            const std::string full = spec.at.empty() ? key.name : spec.at + "." + key.name;
            const config::KeyRow* row = evaluation ? evaluation->find(full) : nullptr;
            if (!row || !row->yours)
                (spec.at == section.toStdString() ? here : others) << QString::fromStdString(full);
        }
    for (QStringList* names : {&here, &others}) {
        names->removeDuplicates();
        names->sort();
    }
    return here + others;
}

/// Returns whether the path begins at the top level of a recipe: with a section that NeMo or the file has there.
static bool beginsAtTop(const QString& path, const Evaluation& evaluation) {
    const QString top = path.section(QLatin1Char('.'), 0, 0) + QLatin1Char('.');
    const std::string first = top.toStdString();
    for (const config::SectionSpec& spec : schemaFor(evaluation).sections)
        if ((spec.at + ".").starts_with(first))
            return true;
    return evaluation && std::any_of(evaluation->rows.begin(), evaluation->rows.end(),
                                     [&](const config::KeyRow& row) { return row.key.starts_with(first); });
}

AddKeyBar::AddKeyBar(QWidget* parent)
    : QFrame(parent), m_where(new QLabel(this)), m_name(new QLineEdit(this)), m_value(new QLineEdit(this)),
      m_problem(new QLabel(this)), m_add(new QPushButton(this)), m_cancel(new QPushButton(this)),
      m_offered(new QStringListModel(this)) {
    m_name->setObjectName(QStringLiteral("keyName"));
    m_value->setObjectName(QStringLiteral("keyValue"));
    auto* completer = new QCompleter(m_offered, this);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setMaxVisibleItems(12);
    completer->popup()->setFont(monoFont());
    completer->popup()->setMinimumWidth(420); // whole paths
    m_name->setCompleter(completer);
    m_name->setFont(monoFont());
    m_value->setFont(monoFont());
    m_where->setFont(secondaryFont());
    m_where->setTextFormat(Qt::PlainText);
    m_problem->setFont(secondaryFont());
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->setWordWrap(true);
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(8, 6, 8, 6);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    grid->addWidget(m_where, 0, 0, 1, 4);
    grid->addWidget(m_name, 1, 0);
    grid->addWidget(m_value, 1, 1);
    grid->addWidget(m_add, 1, 2);
    grid->addWidget(m_cancel, 1, 3);
    grid->addWidget(m_problem, 2, 0, 1, 4);
    grid->setColumnStretch(0, 3);
    grid->setColumnStretch(1, 2);
    setFocusProxy(m_name);
    connect(m_name, &QLineEdit::textChanged, this, &AddKeyBar::check);
    connect(m_value, &QLineEdit::textChanged, this, &AddKeyBar::check);
    connect(m_name, &QLineEdit::returnPressed, m_value, qOverload<>(&QWidget::setFocus));
    connect(m_value, &QLineEdit::returnPressed, this, &AddKeyBar::add);
    connect(m_add, &QPushButton::clicked, this, &AddKeyBar::add);
    connect(m_cancel, &QPushButton::clicked, this, &AddKeyBar::close);
    retranslate();
    hide();
}

void AddKeyBar::retranslate() {
    showTarget();
    m_name->setPlaceholderText(tr("key"));
    m_name->setAccessibleName(tr("key"));
    m_value->setPlaceholderText(tr("value"));
    m_value->setAccessibleName(tr("value"));
    m_add->setText(tr("Add"));
    m_cancel->setText(tr("Cancel"));
}

void AddKeyBar::showTarget() {
    const QString key = fullKey();
    m_where->setText(!key.isEmpty()        ? tr("Will be written as %1").arg(key)
                     : m_section.isEmpty() ? tr("Add a key at the top of the recipe")
                                           : tr("Add a key to %1, or anywhere by its full path").arg(m_section));
}

void AddKeyBar::ask(const QString& section, const Evaluation& evaluation) {
    m_section = section;
    m_evaluation = evaluation;
    m_offered->setStringList(knownKeys(section, evaluation));
    m_name->clear();
    m_value->clear();
    retranslate();
    check();
    show();
    m_name->setFocus(Qt::OtherFocusReason);
}

QString AddKeyBar::fullKey() const {
    QString name = m_name->text().trimmed();
    if (m_section.isEmpty() || name.isEmpty())
        return name;
    const QString here = m_section + QLatin1Char('.') + name;
    const bool path = name.contains(QLatin1Char('.'));
    return path && !specOf(here, m_evaluation) && beginsAtTop(name, m_evaluation) ? name : here;
}

QString AddKeyBar::problem() const {
    return m_problem->text();
}

void AddKeyBar::check() {
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z_][\\w-]*(\\.[A-Za-z_][\\w-]*)*$"));
    const QString key = fullKey(), name = m_name->text().trimmed(), value = m_value->text().trimmed();
    const config::KeySpec* spec = key.isEmpty() ? nullptr : specOf(key, m_evaluation);
    const config::KeyRow* row = m_evaluation && !key.isEmpty() ? m_evaluation->find(key.toStdString()) : nullptr;
    QString problem;
    bool blocks = name.isEmpty() || value.isEmpty();
    if (!name.isEmpty() && !plain.match(name).hasMatch()) {
        problem = tr("Keys may contain only letters, digits, _ and -, with dots between sections.");
        blocks = true;
    } else if (row && row->yours) {
        problem = tr("%1 is in your file already.").arg(key);
        blocks = true;
    } else if (!value.isEmpty()) {
        bool breaks = false;
        problem = valueProblem(spec, value, &breaks);
        blocks = blocks || breaks;
    }
    m_value->setPlaceholderText(spec && spec->code ? tr("default: %1").arg(QString::fromStdString(*spec->code))
                                                   : tr("value"));
    showTarget();
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, Theme::instance().palette().dead);
    m_problem->setPalette(colours);
    m_add->setEnabled(!blocks);
}

void AddKeyBar::add() {
    check();
    if (!m_add->isEnabled())
        return;
    const QString key = fullKey(), value = m_value->text().trimmed();
    close();
    emit addRequested(key, value);
}

void AddKeyBar::close() {
    hide();
    emit closed();
}

void AddKeyBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape)
        close();
    else
        QFrame::keyPressEvent(event);
}

void AddKeyBar::paintEvent(QPaintEvent*) {
    const Palette& p = Theme::instance().palette();
    QPainter painter(this);
    painter.fillRect(rect(), blend(p.window, p.accent, 0.08));
    painter.fillRect(0, height() - 1, width(), 1, p.hairline);
}

} // namespace rankscope::ui
