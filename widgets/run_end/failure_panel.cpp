// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run_end/failure_panel.h"

#include "widgets/controls/box_layout.h"
#include "widgets/controls/copy_line.h"
#include "widgets/models/text/text_format.h"
#include "widgets/run_end/resume_offer.h"
#include "widgets/theme/mark.h"
#include "widgets/theme/theme.h"

#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>

namespace rankscope::ui {

static constexpr int kLogLinesSeen = 6;

static QLabel* textLabel(const QString& name) {
    auto* label = new QLabel;
    label->setObjectName(name);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText); // the run may be untrusted
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

FailurePanel::FailurePanel(QWidget* parent)
    : QFrame(parent), m_headline(textLabel(QStringLiteral("failureHeadline"))),
      m_facts(textLabel(QStringLiteral("failureFacts"))), m_meaning(textLabel(QStringLiteral("failureMeaning"))),
      m_command(new CopyLine), m_fold(new QToolButton), m_close(new QToolButton), m_log(new QPlainTextEdit),
      m_next(new QPushButton), m_resume(new QPushButton), m_relaunch(new QPushButton), m_rankLog(new QPushButton),
      m_details(new QPushButton) {
    setObjectName(QStringLiteral("failurePanel"));
    build();
    connect(m_next, &QPushButton::clicked, this, &FailurePanel::nextRequested);
    connect(m_resume, &QPushButton::clicked, this, &FailurePanel::resumeRequested);
    connect(m_relaunch, &QPushButton::clicked, this, &FailurePanel::relaunchRequested);
    connect(m_rankLog, &QPushButton::clicked, this, [this] { emit logRequested(m_failure.culprit); });
    connect(m_details, &QPushButton::clicked, this, [this] { emit detailRequested(m_failure.incident); });
    connect(m_close, &QToolButton::clicked, this, &FailurePanel::closeRequested);
    connect(m_fold, &QToolButton::toggled, this, [this](bool open) {
        m_log->setVisible(open);
        m_fold->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    });
    // its height is known only after it is shown; the user opens it for the last lines
    QScrollBar* bar = m_log->verticalScrollBar();
    connect(bar, &QScrollBar::rangeChanged, bar, [bar] { bar->setValue(bar->maximum()); });
    m_close->setIcon(Theme::instance().icon(QStringLiteral("close")));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
    retranslate();
}

QLayout* FailurePanel::makeButtons() {
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    for (auto* button : {m_next, m_resume, m_relaunch, m_rankLog, m_details}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    m_next->setObjectName(QStringLiteral("failureNext"));
    m_resume->setObjectName(QStringLiteral("failureResume"));
    m_rankLog->setObjectName(QStringLiteral("failureLog"));
    m_details->setObjectName(QStringLiteral("failureDetails"));
    return row;
}

void FailurePanel::build() {
    m_headline->setFont(headingFont());
    m_command->setObjectName(QStringLiteral("failureCommand"));
    m_close->setAutoRaise(true);
    m_close->setFocusPolicy(Qt::TabFocus);
    m_fold->setCheckable(true);
    m_fold->setAutoRaise(true);
    m_fold->setArrowType(Qt::RightArrow);
    m_fold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_log->setObjectName(QStringLiteral("failureLogLines"));
    m_log->setReadOnly(true);
    m_log->setFont(monoFont(9));
    m_log->hide();
    auto* top = new QHBoxLayout;
    top->setSpacing(8);
    top->addWidget(m_headline, 1);
    top->addLayout(makeButtons()); // stay visible in a small window, where the rest scrolls
    top->addWidget(m_close, 0, Qt::AlignTop);
    auto* column = filledBox(new QVBoxLayout(this), {36, 8, 8, 10}, 6);
    column->addLayout(top);
    column->addWidget(m_facts);
    column->addWidget(m_meaning);
    column->addWidget(m_command);
    column->addWidget(m_fold, 0, Qt::AlignLeft);
    column->addWidget(m_log);
    column->addStretch(1); // keeps its lines together if there is more room
}

void FailurePanel::fillLog(const FailureText& text) {
    const QString lines = text.log.join(u'\n');
    m_fold->setVisible(!lines.isEmpty());
    if (lines == m_logOf)
        return;
    m_logOf = lines;
    m_log->setPlainText(lines);
    const auto seen =
        std::clamp<int>(static_cast<int>(text.log.size()) + 1, 2, kLogLinesSeen); // one row for the scroll bar
    m_log->setFixedHeight(QFontMetrics(m_log->font()).lineSpacing() * seen + 14);
    m_log->moveCursor(QTextCursor::End);
    m_log->moveCursor(QTextCursor::StartOfLine);
    m_fold->setChecked(!lines.isEmpty() && text.logTells);
}

void FailurePanel::showButtons(const RunView& view, const EndingFacts* facts, bool mayAct, const ResumeOffer& offer) {
    const bool resumable = view.resumable && (!facts || launch::newestUsable(facts->checkpoints));
    m_next->setVisible(!offer.next.isEmpty());
    m_next->setText(offer.next);
    m_resume->setVisible(resumable);
    m_resume->setEnabled(mayAct);
    m_resume->setText(offer.resume);
    m_relaunch->setVisible(!resumable && view.info.canRelaunch());
    m_relaunch->setEnabled(mayAct);
    m_rankLog->setVisible(m_failure.culprit >= 0);
    m_rankLog->setText(view.info.command.empty() ? tr("Log of rank %1").arg(m_failure.culprit)
                                                 : tr("Log of the command"));
    m_details->setVisible(m_failure.incident != 0);
}

void FailurePanel::show(const RunView& view, const RunFailure& failure, const EndingFacts* facts, bool mayAct,
                        const QString& nextDir) {
    m_failure = failure;
    const ResumeOffer offer = ResumeOffer::of(facts ? launch::newestUsable(facts->checkpoints) : nullptr,
                                              failure.kind == launch::EndKind::NotFinite, nextDir);
    FailureText text = failureText(view, failure, facts);
    if (!offer.sentence.isEmpty())
        text.facts << offer.sentence;
    m_headline->setText(text.headline);
    m_facts->setText(text.facts.join(u'\n'));
    m_facts->setVisible(!text.facts.isEmpty());
    m_meaning->setText(text.meaning);
    m_meaning->setVisible(!text.meaning.isEmpty());
    m_command->setText(text.command, tr("A command that shows more"));
    m_command->setVisible(!text.command.isEmpty());
    m_fold->setText(tr("Last lines of the log of rank %1").arg(failure.culprit));
    m_log->setAccessibleName(m_fold->text());
    fillLog(text);
    showButtons(view, facts, mayAct, offer);
    setAccessibleDescription(asText());
    setVisible(true);
}

QString FailurePanel::asText() const {
    QStringList parts{m_headline->text(), m_facts->text(), m_meaning->text(), m_command->text(), m_logOf};
    parts.removeAll(QString());
    return parts.join(u'\n');
}

void FailurePanel::retranslate() {
    setAccessibleName(tr("Why the run failed"));
    m_close->setToolTip(tr("Close; View > How the run ended brings it back"));
    m_close->setAccessibleName(tr("Close"));
    m_relaunch->setText(tr("Relaunch with changes"));
    m_details->setText(tr("Details"));
    m_command->retranslate();
}

void FailurePanel::paintEvent(QPaintEvent*) {
    const Palette& p = Theme::instance().palette();
    QPainter painter(this);
    painter.fillRect(rect(), p.tinted(p.dead));
    painter.fillRect(QRect(0, 0, 3, height()), p.dead);
    painter.fillRect(QRect(0, height() - 1, width(), 1), p.hairline);
    // next to the first line of the headline, which is centred in its row
    const double line = QFontMetricsF(m_headline->font()).height();
    const double above = std::max(0, m_headline->height() - m_headline->heightForWidth(m_headline->width())) / 2.0;
    const double top = m_headline->mapTo(this, QPoint()).y() + above;
    drawMark(painter, QRectF(12, top + (line - 14) / 2, 14, 14), Mark::Cross, p.dead);
}

} // namespace rankscope::ui
