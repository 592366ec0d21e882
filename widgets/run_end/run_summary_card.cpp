// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run_end/run_summary_card.h"

#include "core/base/text/unit_format.h"
#include "core/store/figures/training_figures.h"
#include "widgets/controls/box_layout.h"
#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/controls/copy_line.h"
#include "widgets/models/text/text_format.h"
#include "widgets/run_end/resume_offer.h"
#include "widgets/theme/mark.h"
#include "widgets/theme/theme.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QToolButton>
#include <QUrl>

#include <cmath>

namespace rankscope::ui {

using launch::RunState;

namespace {

QLabel* cardLabel(bool quiet = false) {
    auto* label = new QLabel;
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(!quiet);
    if (quiet)
        label->setForegroundRole(QPalette::PlaceholderText);
    else
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QString sizeText(std::uint64_t bytes) {
    return toQString(formatBytes(static_cast<std::int64_t>(bytes)));
}

/// Returns a text escaped for a quoted Python string.
QString pythonQuoted(QString text) {
    text.replace(u'\\', QStringLiteral("\\\\"));
    text.replace(u'"', QStringLiteral("\\\""));
    return u'"' + text + u'"';
}

QString shellQuoted(QString text) {
    static const QRegularExpression plain(QStringLiteral("^[\\w./+=-]+$"));
    if (plain.match(text).hasMatch() && !text.startsWith(u'-'))
        return text;
    text.replace(u'\'', QStringLiteral("'\\''"));
    return u'\'' + text + u'\'';
}

} // namespace

RunSummaryCard::RunSummaryCard(QWidget* parent)
    : QFrame(parent), m_title(cardLabel()), m_weights(cardLabel()), m_best(cardLabel()), m_goOn(cardLabel()),
      m_weightsName(cardLabel(true)), m_bestName(cardLabel(true)), m_loadName(cardLabel(true)),
      m_convertName(cardLabel(true)), m_load(new CopyLine), m_convert(new CopyLine), m_close(new QToolButton),
      m_next(new QPushButton), m_resume(new QPushButton), m_copyPath(new QPushButton), m_folder(new QPushButton),
      m_export(new QPushButton), m_checkpoints(new QPushButton) {
    setObjectName(QStringLiteral("endCard"));
    build();
    connect(m_next, &QPushButton::clicked, this, &RunSummaryCard::nextRequested);
    connect(m_resume, &QPushButton::clicked, this, &RunSummaryCard::resumeRequested);
    connect(m_checkpoints, &QPushButton::clicked, this, &RunSummaryCard::checkpointsRequested);
    connect(m_close, &QToolButton::clicked, this, &RunSummaryCard::closeRequested);
    connect(m_export, &QPushButton::clicked, this, [this] { emit exportRequested(m_file); });
    connect(m_copyPath, &QPushButton::clicked, this, [this] { copyText(m_file, m_copyPath); });
    connect(m_folder, &QPushButton::clicked, this,
            [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(m_file).absolutePath())); });
    m_close->setIcon(Theme::instance().icon(QStringLiteral("close")));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
    retranslate();
}

void RunSummaryCard::build() {
    m_title->setFont(headingFont());
    m_title->setObjectName(QStringLiteral("endTitle"));
    m_weights->setObjectName(QStringLiteral("endWeights"));
    m_best->setObjectName(QStringLiteral("endBest"));
    m_load->setObjectName(QStringLiteral("endLoad"));
    m_convert->setObjectName(QStringLiteral("endConvert"));
    m_next->setObjectName(QStringLiteral("endNext"));
    m_resume->setObjectName(QStringLiteral("endResume"));
    m_export->setObjectName(QStringLiteral("endExport"));
    m_close->setAutoRaise(true);
    m_close->setFocusPolicy(Qt::TabFocus);
    auto* top = new QHBoxLayout;
    top->setSpacing(8);
    top->addWidget(m_title, 1);
    top->addWidget(m_close, 0, Qt::AlignTop);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(4);
    grid->setColumnStretch(1, 1);
    const std::pair<QLabel*, QWidget*> rows[] = {
        {m_weightsName, m_weights}, {m_bestName, m_best}, {m_loadName, m_load}, {m_convertName, m_convert}};
    int at = 0;
    for (const auto& [name, value] : rows) {
        grid->addWidget(name, at, 0, Qt::AlignVCenter | Qt::AlignLeft);
        grid->addWidget(value, at++, 1);
    }
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    for (auto* button : {m_next, m_resume, m_export, m_copyPath, m_folder, m_checkpoints}) {
        button->setAutoDefault(false);
        buttons->addWidget(button);
    }
    buttons->addStretch(1);
    auto* column = filledBox(new QVBoxLayout(this), {36, 8, 8, 10}, 6);
    column->addLayout(top);
    column->addWidget(m_goOn);
    column->addLayout(buttons); // stay visible in a small window, where the rest scrolls
    column->addLayout(grid);
    for (QWidget* copy : m_convert->findChildren<QToolButton*>())
        setTabOrder(copy, m_close); // the close button is last, so that a key press does not close the card by accident
}

QString RunSummaryCard::titleOf(const RunView& view) const {
    const std::int64_t done = view.step + 1, total = view.info.totalSteps;
    if (view.info.state == RunState::Finished)
        return done == 1 ? tr("Finished after 1 step") : tr("Finished after %1 steps").arg(countText(done));
    if (done <= 0)
        return tr("Stopped before the first step");
    return total > done ? tr("Stopped after %1 of %2 steps").arg(countText(done), countText(total))
                        : tr("Stopped after %1 steps").arg(countText(done));
}

/// Returns the text about the model, or about the checkpoint to take it from; stores the file in m_file.
QString RunSummaryCard::weightsText(const EndingFacts& facts) {
    const auto& all = facts.checkpoints;
    const auto folder = facts.run.checkpoints();
    m_file.clear();
    if (!all.models.empty()) {
        const launch::ModelFile& model = all.models.front();
        m_file = toQString((folder / model.name).string());
        return model.steps > 0 ? tr("%1 (after step %2, %3)", "a file, a step, its size")
                                     .arg(m_file, countText(model.steps - 1), sizeText(model.bytes))
                               : tr("%1 (%2; after which step is not recorded)", "a file and its size")
                                     .arg(m_file, sizeText(model.bytes));
    }
    if (!facts.problem.isEmpty())
        return facts.problem;
    const auto* newest = launch::newestUsable(all);
    if (!newest)
        return tr("none: the run saved neither a .nemo file nor a checkpoint");
    m_file = toQString((folder / newest->name).string());
    return tr("no .nemo file was written; you can make one from %1 (after step %2, %3)")
        .arg(toQString(newest->name), countText(newest->steps - 1), sizeText(newest->bytes));
}

void RunSummaryCard::showLines(const EndingFacts& facts) {
    const bool model = m_file.endsWith(QLatin1String(".nemo"));
    for (QWidget* widget : std::initializer_list<QWidget*>{m_load, m_loadName, m_convert, m_convertName})
        widget->setVisible(model);
    if (!model)
        return;
    QString module = facts.modelClass.section(u'.', 0, -2);
    const QString name = facts.modelClass.section(u'.', -1);
    if (module.startsWith(QLatin1String("nemo.collections.asr.models."))) // this module exports all of them
        module = QStringLiteral("nemo.collections.asr.models");
    m_load->setText(QStringLiteral("from %1 import %2; model = %2.restore_from(%3, map_location=\"cpu\")")
                        .arg(module, name, pythonQuoted(m_file)),
                    m_loadName->text());
    m_convert->setText(QStringLiteral("rankscopectl convert %1 %2")
                           .arg(shellQuoted(m_file),
                                shellQuoted(QFileInfo(m_file).completeBaseName() + QStringLiteral(".safetensors"))),
                       m_convertName->text());
}

/// Shows how a stopped run can be continued, or which run continues it.
void RunSummaryCard::showResume(const RunView& view, const EndingFacts* facts, bool mayAct, const QString& nextDir) {
    const auto* newest = facts ? launch::newestUsable(facts->checkpoints) : nullptr;
    const bool stopped = view.info.state != RunState::Finished;
    const ResumeOffer offer = ResumeOffer::of(newest, false, nextDir);
    m_goOn->setVisible(stopped && facts != nullptr);
    m_goOn->setText(!offer.sentence.isEmpty() ? offer.sentence
                    : !view.resumable || !newest
                        ? tr("It saved no checkpoint, so training cannot be resumed.")
                        : tr("Resume continues at step %1 from %2, in a new run linked to this one.")
                              .arg(countText(newest->steps), toQString(newest->name)));
    m_next->setVisible(stopped && !offer.next.isEmpty());
    m_next->setText(offer.next);
    m_resume->setVisible(stopped && view.resumable);
    m_resume->setEnabled(mayAct);
    m_resume->setText(offer.resume);
    m_checkpoints->setVisible(newest != nullptr);
}

void RunSummaryCard::show(const RunView& view, const EndingFacts* facts, bool mayAct, const QString& nextDir) {
    m_finished = view.info.state == RunState::Finished;
    m_title->setText(titleOf(view));
    showResume(view, facts, mayAct, nextDir);
    m_weights->setText(facts ? weightsText(*facts) : tr("reading…"));
    const auto [last, best] = store::figuresOf(view.validations); // the best by the recipe's default monitor
    m_best->setVisible(best.has_value());
    m_bestName->setVisible(best.has_value());
    if (best && best->beginNs == last->beginNs)
        m_best->setText(tr("%1 (step %2), the latest").arg(best->loss, 0, 'g', 4).arg(countText(best->step)));
    else if (best)
        m_best->setText(tr("%1 (step %2); the latest is %3 (step %4)")
                            .arg(best->loss, 0, 'g', 4)
                            .arg(countText(best->step))
                            .arg(last->loss, 0, 'g', 4)
                            .arg(countText(last->step)));
    const bool file = facts && !m_file.isEmpty();
    if (facts)
        showLines(*facts);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_load, m_loadName, m_convert, m_convertName})
        if (!file)
            widget->hide();
    for (auto* button : {m_export, m_copyPath, m_folder}) {
        button->setVisible(file);
        button->setEnabled(mayAct);
    }
    setAccessibleDescription(asText());
    setVisible(true);
    update();
}

QString RunSummaryCard::asText() const {
    QStringList parts{m_title->text()};
    for (const QLabel* label : {m_goOn, m_weights, m_best})
        if (!label->isHidden())
            parts << label->text();
    for (const CopyLine* line : {m_load, m_convert})
        if (!line->isHidden())
            parts << line->text();
    return parts.join(u'\n');
}

void RunSummaryCard::retranslate() {
    setAccessibleName(tr("How the run ended"));
    m_weightsName->setText(tr("Weights"));
    m_bestName->setText(tr("Best validation loss"));
    m_loadName->setText(tr("Load in Python"));
    m_convertName->setText(tr("Other formats"));
    m_export->setText(tr("Export weights…"));
    m_copyPath->setText(tr("Copy path"));
    m_folder->setText(tr("Show in folder"));
    m_checkpoints->setText(tr("Checkpoints"));
    m_close->setToolTip(tr("Close; View > How the run ended brings it back"));
    m_close->setAccessibleName(tr("Close"));
    m_load->retranslate();
    m_convert->retranslate();
}

void RunSummaryCard::paintEvent(QPaintEvent*) {
    const Palette& p = Theme::instance().palette();
    QPainter painter(this);
    painter.fillRect(rect(), p.panel);
    painter.fillRect(QRect(0, height() - 1, width(), 1), p.hairline);
    const double line = QFontMetricsF(m_title->font()).height();
    drawMark(painter, QRectF(12, m_title->mapTo(this, QPoint()).y() + (line - 14) / 2, 14, 14),
             m_finished ? Mark::Tick : Mark::Bars, m_finished ? p.good : p.secondary);
}

} // namespace rankscope::ui
