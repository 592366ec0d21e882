// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/incident_detail.h"

#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/evidence/remedy.h"
#include "core/launch/stacks/stack_json.h"
#include "widgets/controls/box_layout.h"
#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/controls/files/manifest_file.h"
#include "widgets/incidents/incident_picture.h"
#include "widgets/models/failure/remedy_offer.h"
#include "widgets/models/text/evidence_rows.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/accessible.h"
#include "widgets/theme/theme.h"

#include <QFontDatabase>
#include <QFormLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>

namespace rankscope::ui {

namespace {

constexpr int kTwoColumnsPx = 840; ///< with less room, the picture is above the facts

/// Returns a button that unfolds what is below it.
QToolButton* makeFold() {
    auto* fold = new QToolButton;
    fold->setCheckable(true);
    fold->setAutoRaise(true);
    fold->setArrowType(Qt::RightArrow);
    fold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    QObject::connect(fold, &QToolButton::toggled, fold,
                     [fold](bool open) { fold->setArrowType(open ? Qt::DownArrow : Qt::RightArrow); });
    return fold;
}

QFormLayout* makeFacts(QWidget* on) {
    auto* rows = new QFormLayout(on);
    rows->setContentsMargins(0, 8, 0, 0);
    rows->setHorizontalSpacing(24);
    rows->setVerticalSpacing(4);
    rows->setLabelAlignment(Qt::AlignLeft);
    rows->setRowWrapPolicy(QFormLayout::DontWrapRows);
    return rows;
}

void removeRows(QFormLayout* from) {
    while (from->rowCount() > 0)
        from->removeRow(0);
}

} // namespace

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
    auto* buttons = makeButtons();
    column->addWidget(m_title);
    column->addWidget(m_sentence);
    column->addWidget(m_remedyText);
    column->addLayout(buttons);
    m_columns = makeColumns();
    column->addLayout(m_columns);
    column->addLayout(makeStacks());
    column->addStretch(1);
    setWidget(body);
    connect(m_remedy, &QPushButton::clicked, this, [this] {
        const OfferedRemedy offered = offeredRemedy(m_incident, m_faults, m_watched);
        if (!offered.override.isEmpty())
            return copyText(offered.override, m_remedy);
        emit remedyRequested(offered.key, offered.yaml);
    });
    connect(m_jump, &QPushButton::clicked, this, [this] { emit jumpRequested(m_incident.step); });
    connect(m_toTimeline, &QPushButton::clicked, this, [this] { emit timelineRequested(m_incident.id); });
    connect(m_picture, &IncidentPicture::activated, this, [this] { emit timelineRequested(m_incident.id); });
    connect(m_play, &QPushButton::clicked, this, [this] { emit playRequested(readFile()); });
    connect(m_copyPath, &QPushButton::clicked, this, [this] { copyText(readFile(), m_copyPath); });
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        if (m_facts.isEmpty())
            return;
        m_facts.clear();
        fillFacts(m_incident);
    });
    retranslate();
    clear();
}

/// Creates the facts and the picture. Facts that only an expert needs are folded at first.
QBoxLayout* IncidentDetail::makeColumns() {
    auto* facts = new QWidget;
    auto* main = new QWidget;
    m_mainRows = makeFacts(main);
    m_moreFold = makeFold();
    m_moreFold->setObjectName(QStringLiteral("moreFacts"));
    m_more = new QWidget;
    m_moreRows = makeFacts(m_more);
    m_more->hide();
    connect(m_moreFold, &QToolButton::toggled, m_more, &QWidget::setVisible);
    filledBox(new QVBoxLayout(facts), {}, 8, {main, m_moreFold, m_more, kSpareRoom});
    m_picture = new IncidentPicture;
    m_picture->hide();
    auto* columns = new QBoxLayout(QBoxLayout::LeftToRight);
    columns->setContentsMargins(0, 8, 0, 0);
    columns->setSpacing(24);
    columns->addWidget(facts, 1);
    columns->addWidget(m_picture, 1, Qt::AlignTop);
    return columns;
}

void IncidentDetail::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    m_columns->setDirection(width() < kTwoColumnsPx ? QBoxLayout::BottomToTop : QBoxLayout::LeftToRight);
}

void IncidentDetail::showPicture(const RunView& run, const std::filesystem::path& store) {
    m_picture->show();
    m_picture->setIncident(m_incident, run, store);
}

void IncidentDetail::storeChanged() {
    m_picture->storeChanged();
}

QLayout* IncidentDetail::makeButtons() {
    auto* row = new QHBoxLayout;
    for (QPushButton** button : {&m_remedy, &m_jump, &m_toTimeline, &m_play, &m_copyPath})
        row->addWidget(*button = new QPushButton);
    row->addStretch(1);
    m_remedy->setObjectName(QStringLiteral("incidentRemedy"));
    m_toTimeline->setObjectName(QStringLiteral("incidentToTimeline"));
    m_play->setObjectName(QStringLiteral("playRecording"));
    m_copyPath->setObjectName(QStringLiteral("copyRecordingPath"));
    return row;
}

QString IncidentDetail::readFile() const {
    const auto& path = m_incident.evidence.readingPath;
    return path ? toQString(*path) : QString();
}

/// Creates the stacks' block, folded at first: stacks are long, and needed only if the evidence is not enough.
QLayout* IncidentDetail::makeStacks() {
    m_fold = makeFold();
    m_fold->setObjectName(QStringLiteral("incidentStacks"));
    m_copy = new QPushButton;
    m_copy->setObjectName(QStringLiteral("copyStacks"));
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
    connect(m_fold, &QToolButton::toggled, m_stacks, &QWidget::setVisible);
    connect(m_copy, &QPushButton::clicked, this, [this] { copyText(m_stacks->toPlainText(), m_copy); });
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
    m_toTimeline->setText(tr("Show in the Timeline"));
    m_picture->retranslate();
    m_play->setText(tr("Play"));
    m_play->setToolTip(tr("Play the recording that the rank was reading, in the desktop's default program"));
    m_copyPath->setText(tr("Copy path"));
    m_fold->setText(tr("Thread stacks of the ranks"));
    m_copy->setText(tr("Copy"));
    m_stacks->setAccessibleName(m_fold->text());
    fillStacks();
    m_facts.clear();
}

void IncidentDetail::clear() {
    widget()->setVisible(false);
    m_picture->clear();
    m_facts.clear();
}

void IncidentDetail::show(const diagnosis::Incident& in, std::int64_t nowNs, const QString& state) {
    m_incident = in;
    m_state = state;
    widget()->setVisible(true);
    m_title->setText(in.step >= 0 ? tr("%1, step %2", "cause, step").arg(causeText(in.cause), countText(in.step))
                                  : causeText(in.cause));
    m_sentence->setText(toQString(diagnosis::sentence(in, nowNs, false).text(currentLanguage())));
    const QString fault = injectedFault(in, m_faults);
    const auto remedy = diagnosis::remedyText(in);
    const QString cure =
        remedy.empty() ? QString() : tr("%1.", "a sentence").arg(toQString(remedy.text(currentLanguage())));
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
    m_play->setVisible(isAudioFile(readFile()));
    m_copyPath->setVisible(!readFile().isEmpty());
    fillFacts(in);
}

void IncidentDetail::fillFacts(const diagnosis::Incident& in) {
    QList<EvidenceRow> rows;
    const auto add = [&rows](const QString& label, const QString& value, bool isMain = true) {
        rows.append({{}, label, value, false, isMain});
    };
    add(tr("State"), m_state);
    add(tr("Holder"), ranksText(in.holders));
    add(tr("Waiting"), ranksText(in.waiters));
    add(tr("Phase of the holder"), phaseText(in.phase));
    if (in.collective.known)
        add(tr("Collective"), tr("%1 %2 (%3), group %4", "operation, number, tag, group")
                                  .arg(toQString(telemetry::opName(in.collective.op)),
                                       countText(static_cast<std::int64_t>(in.collective.sequence)),
                                       toQString(in.collective.tag), QString::number(in.collective.group)));
    rows.append(evidenceRows(in.evidence));
    add(tr("Detected after"), durationText(in.detectedNs - in.openedNs), false);
    QString facts;
    for (const auto& row : rows)
        facts += row.label + u'\t' + row.value + u'\n';
    if (facts == m_facts)
        return;
    m_facts = facts;
    removeRows(m_mainRows);
    removeRows(m_moreRows);
    for (const auto& row : rows)
        if (!row.value.isEmpty())
            addFact(row.isMain ? m_mainRows : m_moreRows, row);
    m_moreFold->setText(tr("More facts (%1)").arg(m_moreRows->rowCount()));
    m_moreFold->setVisible(m_moreRows->rowCount() > 0);
}

void IncidentDetail::addFact(QFormLayout* to, const EvidenceRow& row) {
    auto* name = new QLabel;
    name->setTextFormat(Qt::PlainText); // a key of the evidence, which may be untrusted
    name->setText(row.label);
    QPalette quiet = palette();
    quiet.setColor(QPalette::WindowText, Theme::instance().palette().secondary);
    name->setPalette(quiet);
    name->setForegroundRole(QPalette::WindowText);
    auto* text = new QLabel;
    text->setTextFormat(Qt::PlainText);
    text->setText(row.value);
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (!row.block) {
        to->addRow(name, text);
        return;
    }
    QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    mono.setPointSizeF(9);
    text->setFont(mono);
    to->addRow(name);
    to->addRow(text);
}

} // namespace rankscope::ui
