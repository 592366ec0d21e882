// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/page/mark_actions.h"

#include "widgets/runs_page/page/annotation_writer.h"
#include "widgets/runs_page/page/line_box.h"
#include "widgets/runs_page/table/run_table_view.h"
#include "widgets/theme/theme.h"

#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>

namespace rankscope::ui {

static bool all(const QList<RunRow>& runs, bool launch::RunMarks::*mark) {
    return std::all_of(runs.begin(), runs.end(), [mark](const RunRow& run) { return run.marks.*mark; });
}

MarkActions::MarkActions(RunTableModel* model, RunTableView* table, MarksEditor* marks, QWidget* page)
    : QObject(page), m_model(model), m_table(table), m_marks(marks), m_page(page) {}

void MarkActions::toggleStars() {
    const auto runs = m_table->selectedRuns();
    if (!runs.isEmpty())
        m_marks->setFavourite(runs, !all(runs, &launch::RunMarks::favourite));
}

/// Pins the selected run as the baseline instead of any other, or unpins it.
void MarkActions::togglePin() {
    const auto runs = m_table->selectedRuns();
    if (runs.size() != 1)
        return;
    QList<RunRow> pinned = m_model->rows();
    pinned.removeIf([](const RunRow& run) { return !run.isPinned(); });
    if (runs.front().isPinned())
        m_marks->setBaseline(std::nullopt, pinned);
    else
        m_marks->setBaseline(runs.front(), pinned);
}

void MarkActions::toggleDifferences() {
    m_table->setDifferences(!m_model->showsDifferences());
    if (m_model->showsDifferences() && m_model->baselineRow() < 0)
        emit message(tr("Pin a run as the baseline (B) to see how the others differ from it"));
}

/// Shows a line edit for a tag below the selected row.
void MarkActions::requestTag() {
    const auto runs = m_table->selectedRuns();
    if (runs.isEmpty())
        return;
    const QRect row = m_table->visualRect(m_table->currentIndex());
    QLineEdit* edit = openLineBox(m_page, QStringLiteral("tagBox"),
                                  m_table->viewport()->mapToGlobal(QPoint(60, std::max(0, row.bottom() + 2))),
                                  m_model->allTags(), [this, runs](const QString& tag) { m_marks->addTag(runs, tag); });
    edit->setPlaceholderText(tr("Tag for %n run(s)", nullptr, static_cast<int>(runs.size())));
}

void MarkActions::askTrash() {
    QList<RunRow> runs = m_table->selectedRuns();
    const qsizetype live = std::count_if(runs.begin(), runs.end(), [](const RunRow& run) { return run.isLive(); });
    runs.removeIf([](const RunRow& run) { return run.isLive(); });
    if (runs.isEmpty()) {
        if (live > 0)
            emit message(tr("Runs that are still active are not moved to the trash; stop them first"));
        return;
    }
    QString question = runs.size() == 1 ? tr("Move the run %1 with its plots, logs and checkpoints to the trash?")
                                              .arg(QString::fromStdString(runs.front().paths.dir.filename().string()))
                                        : tr("Move %n runs with their plots, logs and checkpoints to the trash?",
                                             nullptr, static_cast<int>(runs.size()));
    if (live > 0)
        question += QLatin1Char('\n') + tr("%n live run(s) will be kept.", nullptr, static_cast<int>(live));
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("Move to trash"), question, QMessageBox::NoButton, m_page);
    auto* yes = box->addButton(tr("Move to trash"), QMessageBox::DestructiveRole);
    box->setDefaultButton(box->addButton(tr("Cancel"), QMessageBox::RejectRole));
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QMessageBox::buttonClicked, this, [this, runs, yes](QAbstractButton* button) {
        if (button == yes)
            m_marks->moveToTrash(runs);
    });
    box->open();
}

void MarkActions::addTagMenu(QMenu* menu, const QList<RunRow>& runs) {
    QMenu* tags = menu->addMenu(tr("Tags"));
    tags->addAction(Theme::instance().icon(QStringLiteral("plus")), tr("New tag…"), QKeySequence(Qt::Key_T), this,
                    [this] { requestTag(); });
    tags->addSeparator();
    for (const QString& tag : m_model->allTags().mid(0, 40)) {
        const bool on = std::all_of(runs.begin(), runs.end(), [text = tag.toStdString()](const RunRow& run) {
            return std::find(run.marks.tags.begin(), run.marks.tags.end(), text) != run.marks.tags.end();
        });
        QAction* action = tags->addAction(QString(tag).replace(QLatin1Char('&'), QStringLiteral("&&")));
        action->setCheckable(true);
        action->setChecked(on);
        connect(action, &QAction::triggered, this, [this, runs, tag, on] {
            if (on)
                m_marks->removeTag(runs, tag);
            else
                m_marks->addTag(runs, tag);
        });
    }
}

void MarkActions::addTo(QMenu* menu, const QList<RunRow>& runs) {
    const bool stars = all(runs, &launch::RunMarks::favourite), archived = all(runs, &launch::RunMarks::archived);
    menu->addAction(stars ? tr("Remove from favourites") : tr("Add to favourites"), QKeySequence(Qt::Key_Space), this,
                    [this, runs, stars] { m_marks->setFavourite(runs, !stars); });
    menu->addAction(runs.front().isPinned() ? tr("Unpin the baseline") : tr("Pin as baseline"), QKeySequence(Qt::Key_B),
                    this, [this] { togglePin(); })
        ->setEnabled(runs.size() == 1);
    QAction* differences = menu->addAction(tr("Show differences to the baseline"), QKeySequence(Qt::Key_D), this,
                                           [this] { toggleDifferences(); });
    differences->setCheckable(true);
    differences->setChecked(m_model->showsDifferences());
    addTagMenu(menu, runs);
    menu->addAction(tr("Rename"), QKeySequence(Qt::Key_F2), this, [this] { m_table->editCell(FieldId::Name); })
        ->setEnabled(runs.size() == 1);
    menu->addAction(tr("Edit note"), QKeySequence(Qt::Key_N), this, [this] { m_table->editCell(FieldId::Note); })
        ->setEnabled(runs.size() == 1);
    menu->addAction(archived ? tr("Unarchive") : tr("Archive"), this,
                    [this, runs, archived] { m_marks->setArchived(runs, !archived); });
}

} // namespace rankscope::ui
