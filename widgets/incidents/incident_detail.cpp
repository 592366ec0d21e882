// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/incident_detail.h"

#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/evidence/remedy.h"
#include "core/launch/stacks/stack_json.h"
#include "widgets/controls/box_layout.h"
#include "widgets/models/failure/remedy_offer.h"
#include "widgets/models/text/evidence_rows.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/accessible.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QFormLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>

namespace rankscope::ui {

IncidentDetail::IncidentDetail(QWidget* parent) : QScrollArea(parent) {
    setAccessibleRole(this, QAccessible::Document);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* body = new QWidget;
    body->setAutoFillBackground(true);
    body->setBackgroundRole(QPalette::Base);
    auto* column = filledBox(new QVBoxLayout(body), {16, 12, 16, 12}, 8);
    m_title = new QLabel;
    QFont big = font();
    big.setPointSizeF(13);
    big.setWeight(QFont::DemiBold);
    m_title->setFont(big);
    m_sentence = new QLabel;
    m_sentence->setObjectName(QStringLiteral("incidentSentence"));
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_remedyText = new QLabel;
    m_remedyText->setWordWrap(true);
    auto* buttons = new QHBoxLayout;
    m_remedy = new QPushButton;
    m_jump = new QPushButton;
    buttons->addWidget(m_remedy);
    buttons->addWidget(m_jump);
    buttons->addStretch(1);
    m_form = new QWidget;
    m_rows = new QFormLayout(m_form);
    m_rows->setContentsMargins(0, 8, 0, 0);
    m_rows->setHorizontalSpacing(24);
    m_rows->setVerticalSpacing(4);
    m_rows->setLabelAlignment(Qt::AlignLeft);
    m_rows->setRowWrapPolicy(QFormLayout::DontWrapRows);
    column->addWidget(m_title);
    column->addWidget(m_sentence);
    column->addWidget(m_remedyText);
    column->addLayout(buttons);
    column->addWidget(m_form);
    column->addLayout(makeStacks());
    column->addStretch(1);
    setWidget(body);
    m_remedy->setObjectName(QStringLiteral("incidentRemedy"));
    connect(m_remedy, &QPushButton::clicked, this, [this] {
        const OfferedRemedy offered = offeredRemedy(m_incident, m_faults, m_watched);
        if (!offered.override.isEmpty())
            return QApplication::clipboard()->setText(offered.override);
        emit remedyRequested(offered.key, offered.yaml);
    });
    connect(m_jump, &QPushButton::clicked, this, [this] { emit jumpRequested(m_incident.step); });
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        if (m_facts.isEmpty())
            return;
        m_facts.clear();
        fillFacts(m_incident);
    });
    retranslate();
    clear();
}

/// Creates the stacks' block, folded at first: stacks are long, and needed only if the evidence is not enough.
QLayout* IncidentDetail::makeStacks() {
    m_fold = new QToolButton;
    m_fold->setCheckable(true);
    m_fold->setAutoRaise(true);
    m_fold->setArrowType(Qt::RightArrow);
    m_fold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_copy = new QPushButton;
    m_stacks = new QPlainTextEdit;
    m_stacks->setReadOnly(true);
    m_stacks->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_stacks->setMinimumHeight(240);
    QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    mono.setPointSizeF(9);
    m_stacks->setFont(mono);
    m_stacks->hide();
    auto* head = new QHBoxLayout;
    head->addWidget(m_fold);
    head->addWidget(m_copy);
    head->addStretch(1);
    auto* column = new QVBoxLayout;
    column->addLayout(head);
    column->addWidget(m_stacks);
    connect(m_fold, &QToolButton::toggled, this, [this](bool open) {
        m_fold->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
        m_stacks->setVisible(open);
    });
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_stacks->toPlainText()); });
    return column;
}

void IncidentDetail::setStacks(const std::vector<store::StackRow>& stacks) {
    m_stackRows = stacks;
    fillStacks();
}

void IncidentDetail::fillStacks() {
    QString text;
    std::vector<store::StackRow> rows; // rows of one rank
    for (std::size_t i = 0; i < m_stackRows.size(); ++i) {
        rows.push_back(m_stackRows[i]);
        const store::StackRow& row = rows.back();
        if (i + 1 < m_stackRows.size() && m_stackRows[i + 1].rank == row.rank)
            continue;
        const QString when = durationText(row.takenNs);
        text += (row.role == "holder" ? tr("Rank %1, which holds up the others, %2 into the run", "rank, time")
                                      : tr("Rank %1, which waits, %2 into the run", "rank, time"))
                    .arg(QString::number(row.rank), when) +
                u'\n';
        text += row.thread == 0 ? QStringLiteral("  ") + toQString(row.remark) + u'\n'
                                : toQString(launch::stacksText(launch::threadsOf(rows), 0, "  "));
        text += u'\n';
        rows.clear();
    }
    m_fold->setVisible(!text.isEmpty());
    m_copy->setVisible(!text.isEmpty());
    m_stacks->setVisible(!text.isEmpty() && m_fold->isChecked());
    if (m_stacks->toPlainText() != text)
        m_stacks->setPlainText(text);
}

void IncidentDetail::retranslate() {
    setAccessibleName(tr("Details of the incident"));
    m_jump->setText(tr("Show in the plots"));
    m_fold->setText(tr("Thread stacks of the ranks"));
    m_copy->setText(tr("Copy"));
    m_stacks->setAccessibleName(m_fold->text());
    fillStacks();
    m_facts.clear();
}

void IncidentDetail::clear() {
    widget()->setVisible(false);
    m_facts.clear();
}

void IncidentDetail::show(const diagnosis::Incident& in, std::int64_t nowNs, const QString& state) {
    m_incident = in;
    m_state = state;
    widget()->setVisible(true);
    m_title->setText(in.step >= 0 ? tr("%1, step %2", "cause, step").arg(causeText(in.cause), countText(in.step))
                                  : causeText(in.cause));
    m_sentence->setText(toQString(diagnosis::sentence(in, nowNs, false).text(currentLanguage())));
    const QString fault = injectedFault(in, m_faults),
                  cure = toQString(diagnosis::remedyText(in).text(currentLanguage()));
    m_remedyText->setText(
        fault.isEmpty() ? cure
        : cure.isEmpty()
            ? tr("This fault was injected by rankscope.faults (%1).").arg(faultText(fault))
            : tr("This fault was injected by rankscope.faults (%1). If it were real: %2").arg(faultText(fault), cure));
    m_remedyText->setVisible(!m_remedyText->text().isEmpty());
    const OfferedRemedy offered = offeredRemedy(in, m_faults, m_watched);
    m_remedy->setVisible(!offered.button.isEmpty());
    m_remedy->setText(offered.button);
    m_remedy->setToolTip(plainToolTip(offered.tip));
    m_jump->setEnabled(in.step >= 0);
    fillFacts(in);
}

void IncidentDetail::fillFacts(const diagnosis::Incident& in) {
    QList<EvidenceRow> rows;
    rows.append({{}, tr("State"), m_state, false});
    rows.append({{}, tr("Holder"), ranksText(in.holders), false});
    rows.append({{}, tr("Waiting"), ranksText(in.waiters), false});
    rows.append({{}, tr("Phase of the holder"), phaseText(in.phase), false});
    if (in.collective.known)
        rows.append({{},
                     tr("Collective"),
                     tr("%1 %2 (%3), group %4", "operation, number, tag, group")
                         .arg(toQString(telemetry::opName(in.collective.op)),
                              countText(static_cast<std::int64_t>(in.collective.sequence)),
                              toQString(in.collective.tag), QString::number(in.collective.group)),
                     false});
    rows.append({{}, tr("Detected after"), durationText(in.detectedNs - in.openedNs), false});
    rows.append(evidenceRows(in.evidence));
    QString facts;
    for (const auto& row : rows)
        facts += row.label + u'\t' + row.value + u'\n';
    if (facts == m_facts)
        return;
    m_facts = facts;
    while (m_rows->rowCount() > 0)
        m_rows->removeRow(0);
    for (const auto& row : rows)
        if (!row.value.isEmpty())
            addFact(row.label, row.value, row.block);
}

void IncidentDetail::addFact(const QString& label, const QString& value, bool block) {
    auto* name = new QLabel;
    name->setTextFormat(Qt::PlainText); // a key of the evidence, which may be untrusted
    name->setText(label);
    QPalette quiet = palette();
    quiet.setColor(QPalette::WindowText, Theme::instance().palette().secondary);
    name->setPalette(quiet);
    name->setForegroundRole(QPalette::WindowText);
    auto* text = new QLabel;
    text->setTextFormat(Qt::PlainText);
    text->setText(value);
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (!block) {
        m_rows->addRow(name, text);
        return;
    }
    QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    mono.setPointSizeF(9);
    text->setFont(mono);
    m_rows->addRow(name);
    m_rows->addRow(text);
}

} // namespace rankscope::ui
