// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run_end/checkpoint_pane.h"

#include "widgets/controls/box_layout.h"
#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/controls/plain_table.h"
#include "widgets/models/text/text_format.h"
#include "widgets/run_end/checkpoint_model.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QDesktopServices>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QUrl>

#include <algorithm>
#include <climits>

namespace rankscope::ui {

CheckpointPane::CheckpointPane(QWidget* parent)
    : QWidget(parent), m_model(new CheckpointModel(this)), m_table(new QTableView), m_stack(new QStackedWidget),
      m_title(new QLabel), m_failed(new QLabel), m_empty(new QLabel), m_export(new QPushButton),
      m_resume(new QPushButton), m_folder(new QPushButton), m_copy(new QPushButton), m_close(new QToolButton) {
    setObjectName(QStringLiteral("checkpointPane"));
    build();
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &CheckpointPane::updateButtons);
    connect(m_export, &QPushButton::clicked, this, [this] { emit exportRequested(path()); });
    connect(m_resume, &QPushButton::clicked, this, [this] { emit resumeRequested(current()); });
    connect(m_copy, &QPushButton::clicked, this, [this] { copyText(path(), m_copy); });
    connect(m_folder, &QPushButton::clicked, this, [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(m_dir)); });
    connect(m_close, &QToolButton::clicked, this, &CheckpointPane::closeRequested);
    retranslate();
    updateButtons();
    onLanguageChange(this, [this] {
        m_model->retranslate();
        retranslate();
        updateButtons();
    });
}

void CheckpointPane::build() {
    m_table->setObjectName(QStringLiteral("checkpointTable"));
    constexpr int widths[] = {110, 100, 130, 90, 170, 260};
    m_sorted = setUpPlainTable(m_table, m_model, CheckpointModel::SortRole, widths);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->sortByColumn(CheckpointModel::StepColumn, Qt::DescendingOrder);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_table);
    m_title->setFont(headingFont());
    m_failed->setObjectName(QStringLiteral("checkpointFailed"));
    m_failed->setWordWrap(true);
    m_failed->setTextFormat(Qt::PlainText);
    m_failed->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_export->setObjectName(QStringLiteral("checkpointExport"));
    m_resume->setObjectName(QStringLiteral("checkpointResume"));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(m_title);
    buttons->addStretch(1);
    for (auto* button : {m_export, m_resume, m_folder, m_copy}) {
        button->setAutoDefault(false);
        buttons->addWidget(button);
    }
    m_close->setObjectName(QStringLiteral("checkpointClose"));
    m_close->setIcon(Theme::instance().icon(QStringLiteral("close")));
    m_close->setAutoRaise(true);
    m_close->setFocusPolicy(Qt::TabFocus);
    buttons->addWidget(m_close);
    auto* column = filledBox(new QVBoxLayout(this), {12, 6, 12, 6}, 4);
    column->addLayout(buttons);
    column->addWidget(m_failed);
    column->addWidget(m_stack, 1);
    setMinimumHeight(150);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
}

void CheckpointPane::setFacts(const EndingFacts* facts) {
    const QString before = current();
    m_read = facts != nullptr;
    m_problem = facts ? facts->problem : QString();
    m_notWritten = facts ? facts->failed : store::FailedCheckpoints();
    m_dir = facts ? toQString(facts->run.checkpoints().string()) : QString();
    m_model->setCheckpoints(facts ? facts->checkpoints : launch::RunCheckpoints{});
    select(before);
    if (m_model->rowCount() > 0 && !m_table->currentIndex().isValid())
        m_table->selectRow(0);
    retranslate();
    updateButtons();
}

void CheckpointPane::setMayAct(bool mayExport, bool mayResume) {
    m_mayExport = mayExport;
    m_mayResume = mayResume;
    updateButtons();
}

QString CheckpointPane::current() const {
    return m_table->currentIndex().isValid() ? m_table->currentIndex().data(CheckpointModel::NameRole).toString()
                                             : QString();
}

void CheckpointPane::select(const QString& name) {
    if (const int row = m_model->rowOf(name); row >= 0)
        m_table->setCurrentIndex(m_sorted->mapFromSource(m_model->index(row, 0)));
}

QString CheckpointPane::path() const {
    return current().isEmpty() ? QString() : m_dir + u'/' + current();
}

void CheckpointPane::updateButtons() {
    const QModelIndex index = m_table->currentIndex();
    const bool usable = index.isValid() && index.data(CheckpointModel::UsableRole).toBool();
    const bool model = index.isValid() && current().endsWith(QLatin1String(".nemo"));
    m_export->setEnabled(m_mayExport && (usable || model));
    m_resume->setEnabled(m_mayResume && usable);
    m_resume->setToolTip(m_mayResume ? tr("Start a new run from this checkpoint; no other checkpoint is copied")
                                     : tr("Available once the run has ended"));
    m_folder->setEnabled(!m_dir.isEmpty());
    m_copy->setEnabled(index.isValid());
}

/// Returns the text about a checkpoint that could not be written; training continues, and nothing else reports it.
QString CheckpointPane::failedText() const {
    static const QRegularExpression note(QStringLiteral("^no checkpoint after (\\d+) steps: (.*)$"),
                                         QRegularExpression::DotMatchesEverythingOption);
    const auto m = note.match(toQString(m_notWritten.newest));
    if (!m.hasMatch())
        return toQString(m_notWritten.newest);
    const auto count = static_cast<int>(std::min<std::int64_t>(m_notWritten.count, INT_MAX));
    return tr("%n checkpoint(s) could not be written. The newest was due after %1 steps: %2", nullptr, count)
        .arg(countText(m.captured(1).toLongLong()), m.captured(2));
}

void CheckpointPane::retranslate() {
    m_title->setText(tr("Checkpoints"));
    m_export->setText(tr("Export .nemo…"));
    m_resume->setText(tr("Resume from it"));
    m_folder->setText(tr("Show in folder"));
    m_copy->setText(tr("Copy path"));
    m_close->setToolTip(tr("Close; View > Checkpoints brings it back"));
    m_close->setAccessibleName(tr("Close"));
    m_table->setAccessibleName(tr("Checkpoints"));
    m_empty->setText(!m_read ? tr("Reading…")
                     : m_problem.isEmpty()
                         ? tr("No checkpoints yet. The recipe's exp_manager section decides when they are written.")
                         : m_problem);
    m_failed->setText(failedText());
    m_failed->setVisible(m_notWritten.count > 0);
    m_stack->setCurrentIndex(m_model->rowCount() > 0 ? 1 : 0);
}

void CheckpointPane::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    emit shown();
}

} // namespace rankscope::ui
