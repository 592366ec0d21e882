// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/problems/key_detail.h"

#include "widgets/config/labels/key_descriptions.h"
#include "widgets/config/model/recipe_cell.h"
#include "widgets/config/recipe/recipe_node.h"
#include "widgets/config/tree/value_line.h"
#include "widgets/controls/box_layout.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/accessible.h"
#include "widgets/theme/theme.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>

#include <algorithm>
#include <iterator>

namespace rankscope::ui {

KeyDetail::KeyDetail(QWidget* parent) : QScrollArea(parent) {
    setAccessibleRole(this, QAccessible::Document);
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    rebuild();
}

static bool same(const config::Risk& a, const config::Risk& b) {
    return a.rule == b.rule && a.reason == b.reason && remedyOf(a) == remedyOf(b);
}

static bool same(const config::Problem& a, const config::Problem& b) {
    return a.severity == b.severity && a.text == b.text;
}

static bool same(const std::optional<config::KeyRow>& a, const std::optional<config::KeyRow>& b) {
    if (!a || !b)
        return a.has_value() == b.has_value();
    return a->spec == b->spec && a->origin == b->origin && a->affectsRanks == b->affectsRanks;
}

template <class T> static bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return same(x, y); });
}

KeyDetail::SectionFacts KeyDetail::factsOf(const std::string& section, const config::Effective& evaluation,
                                           const std::vector<config::Risk>& risks,
                                           const std::vector<config::Problem>& refusals) {
    SectionFacts facts;
    const std::string prefix = section + '.';
    const auto wrong = [&](const std::string& key) {
        if (const QString below = QString::fromStdString(key).mid(static_cast<qsizetype>(prefix.size()));
            key.starts_with(prefix) && !facts.wrong.contains(below))
            facts.wrong << below;
    };
    for (const config::KeyRow& row : evaluation.rows)
        if (row.key.starts_with(prefix)) {
            ++facts.keys;
            facts.written += row.at.line > 0 ? 1 : 0;
        }
    for (const auto* problems : {&evaluation.problems, &refusals})
        for (const config::Problem& one : *problems)
            if (one.severity == config::Problem::Severity::Error)
                wrong(one.key);
    for (const config::Risk& one : risks)
        if (severityOf(one) >= MarkSeverity::Caution)
            wrong(one.key);
    return facts;
}

void KeyDetail::show(const QString& key, const Evaluation& evaluation, const std::vector<config::Risk>& risks,
                     const std::vector<config::Problem>& refusals) {
    const std::string name = key.toStdString();
    const config::KeyRow* found = evaluation ? evaluation->find(name) : nullptr;
    auto row = found ? std::optional(*found) : std::nullopt;
    std::vector<config::Problem> mine;
    if (evaluation)
        std::copy_if(evaluation->problems.begin(), evaluation->problems.end(), std::back_inserter(mine),
                     [&](const config::Problem& one) {
                         if (one.key == name)
                             return true;
                         // cheap test first: a text with the full name also contains its last part
                         if (one.severity != config::Problem::Severity::Error || name.empty() ||
                             one.text.english().find(name.substr(name.rfind('.') + 1)) == std::string::npos)
                             return false;
                         const auto named = relatedKeys(*evaluation, one);
                         return std::find(named.begin(), named.end(), name) != named.end();
                     });
    std::copy_if(refusals.begin(), refusals.end(), std::back_inserter(mine),
                 [&](const config::Problem& one) { return one.key == name; });
    std::vector<config::Risk> its;
    std::copy_if(risks.begin(), risks.end(), std::back_inserter(its),
                 [&](const config::Risk& one) { return one.key == name; });
    // called after every edit: the labels are rebuilt only if their text would change
    SectionFacts section;
    if (evaluation && !row && !key.isEmpty())
        section = factsOf(name, *evaluation, risks, refusals);
    if (key == m_key && same(row, m_row) && same(mine, m_problems) && same(its, m_risks) && section == m_section)
        return;
    m_key = key;
    m_section = std::move(section);
    m_row = std::move(row);
    m_problems = std::move(mine);
    m_risks = std::move(its);
    rebuild();
}

void KeyDetail::rebuild() {
    setAccessibleName(tr("Explanation of the key"));
    m_body = new QWidget(this);
    m_body->setAutoFillBackground(true);
    m_body->setBackgroundRole(QPalette::Base);
    m_layout = new QVBoxLayout(m_body);
    m_layout->setContentsMargins(12, 8, 12, 8);
    m_layout->setSpacing(6);
    if (m_key.isEmpty()) {
        text(tr("Select a key to see its allowed values, its effect on the ranks, and fixes."), true);
    } else {
        heading(m_key);
        if (m_row)
            facts(*m_row);
        else if (m_section.keys > 0)
            facts(m_section);
        problems();
        for (const config::Risk& one : m_risks)
            risk(one);
    }
    m_layout->addStretch(1);
    setWidget(m_body); // the old one is deleted
}

QLabel* KeyDetail::text(const QString& plain, bool secondary) {
    auto* label = new QLabel(plain, m_body);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setFont(secondaryFont());
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (secondary)
        label->setForegroundRole(QPalette::PlaceholderText);
    m_layout->addWidget(label);
    return label;
}

void KeyDetail::heading(const QString& title) {
    QLabel* label = text(title);
    label->setFont(monoFont());
    label->setWordWrap(false);
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    label->setToolTip(plainToolTip(title));
}

void KeyDetail::facts(const config::KeyRow& row) {
    QStringList parts;
    const config::KeySpec* spec = row.spec;
    if (spec) {
        QStringList types;
        for (const std::string& one : spec->types)
            types << QString::fromStdString(one);
        parts << types.join(QStringLiteral(" | "));
        if (const QString range = rangeOf(spec); !range.isEmpty())
            parts << QStringList{range, unitOf(m_key)}.join(QLatin1Char(' ')).trimmed();
        if (!spec->choices.empty()) {
            QStringList choices;
            for (const std::string& one : spec->choices)
                choices << QString::fromStdString(one);
            parts << tr("one of %1").arg(choices.join(QStringLiteral(", ")));
        }
        if (spec->code)
            parts << tr("default %1 in %2")
                         .arg(QString::fromStdString(*spec->code), QString::fromStdString(spec->source));
        else
            parts << tr("known to %1").arg(QString::fromStdString(spec->source));
    } else if (row.nemoYaml) {
        parts << tr("in NeMo's YAML");
    } else {
        parts << tr("not a key of NeMo or Rankscope");
    }
    parts << tr("from %1").arg(originWord(row));
    const QString does = keyDescription(m_key);
    if (!does.isEmpty())
        text(does);
    text(parts.join(QStringLiteral(" · ")), true);
    if (row.affectsRanks && m_risks.empty() && does.isEmpty())
        text(tr("Affects collectives, the batches of each rank, or the layout of processes."));
}

void KeyDetail::facts(const SectionFacts& section) {
    text(tr("Keys in this section: %1; set in your file: %2").arg(section.keys).arg(section.written), true);
    if (!section.wrong.isEmpty())
        text(tr("Errors and risks at: %1").arg(section.wrong.join(QStringLiteral(", "))));
}

void KeyDetail::marked(MarkSeverity severity, const QString& body) {
    const QString title = severityWord(severity);
    auto* line = new QHBoxLayout;
    line->setSpacing(8);
    m_layout->addSpacing(4);
    auto* picture = new QLabel(m_body);
    picture->setPixmap(markPixmap(severity));
    picture->setAccessibleName(title);
    picture->setToolTip(title);
    line->addWidget(picture, 0, Qt::AlignTop);
    auto* label = new QLabel(tr("%1: %2", "severity, sentence").arg(title, body), m_body);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    line->addWidget(label, 1);
    m_layout->addLayout(line);
}

void KeyDetail::problems() {
    for (const config::Problem& problem : m_problems) {
        marked(severityOf(problem.severity), messageText(problem.text));
        renameButton(problem);
    }
}

/// Offers to rename a key that the checks consider a typing error.
void KeyDetail::renameButton(const config::Problem& problem) {
    static const QRegularExpression meant(
        QStringLiteral("^(?:unknown key (\\S+)|(\\S+) is not a section that NeMo reads); did you mean (\\S+)\\?$"));
    const auto found = meant.match(QString::fromStdString(problem.text.english()));
    if (!found.hasMatch() || problem.key != m_key.toStdString())
        return;
    const QString to = found.captured(3), dot = QStringLiteral(".");
    const bool within = m_key.section(dot, 0, -2) == to.section(dot, 0, -2);
    if (!within && m_key.section(dot, -1) != to.section(dot, -1))
        return;
    auto* rename =
        new QPushButton(within ? tr("Rename to %1").arg(to.section(dot, -1)) : tr("Move to %1").arg(to), m_body);
    rename->setObjectName(QStringLiteral("rename"));
    rename->setFont(secondaryFont());
    connect(rename, &QPushButton::clicked, this, [this, from = m_key, to] { emit renameRequested(from, to); });
    m_layout->addLayout(rowOf({rename, kSpareRoom}));
}

void KeyDetail::risk(const config::Risk& one) {
    const config::RiskRule* rule = one.rule;
    if (std::none_of(m_problems.begin(), m_problems.end(),
                     [&](const config::Problem& error) { return isSameMatter(error, one); }))
        marked(severityOf(one), messageText(one.reason));
    if (!rule)
        return;
    if (!rule->explanation.empty())
        text(messageText(rule->explanation));
    if (!rule->remedy.empty())
        text(messageText(rule->remedy));
    if (const KeySettings settings = remedyOf(one); !settings.isEmpty()) {
        auto* apply = new QPushButton(remedyLabel(settings), m_body);
        apply->setToolTip(plainToolTip(remedyTip(settings)));
        apply->setFont(secondaryFont());
        apply->setObjectName(QStringLiteral("apply"));
        connect(apply, &QPushButton::clicked, this, [this, settings] { emit applyRequested(settings); });
        // the link gets a separate row: next to each other they are wider than the pane
        m_layout->addLayout(rowOf({apply, kSpareRoom}));
    }
    if (!rule->prevents.empty()) {
        const QString cause = QString::fromStdString(rule->prevents);
        auto* link = new QLabel(m_body);
        link->setFont(secondaryFont());
        link->setText(QStringLiteral("<a href=\"%1\">%2</a>")
                          .arg(cause.toHtmlEscaped(), tr("Diagnosis: %1").arg(preventedTitle(cause)).toHtmlEscaped()));
        link->setToolTip(tr("See what this looks like in the incidents of the open run"));
        link->setTextInteractionFlags(Qt::TextBrowserInteraction);
        connect(link, &QLabel::linkActivated, this, [this, cause] { emit causeRequested(cause); });
        m_layout->addLayout(rowOf({link, kSpareRoom}));
    }
}

QString KeyDetail::plainText() const {
    QStringList all;
    for (const QLabel* label : m_body->findChildren<QLabel*>())
        all << label->text();
    for (const QPushButton* button : m_body->findChildren<QPushButton*>())
        all << button->text();
    return all.join(QLatin1Char('\n'));
}

void KeyDetail::changeEvent(QEvent* event) {
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange)
        QMetaObject::invokeMethod(this, &KeyDetail::rebuild, Qt::QueuedConnection);
}

} // namespace rankscope::ui
