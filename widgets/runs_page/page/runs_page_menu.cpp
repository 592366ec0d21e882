// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done with the selected runs.
#include "widgets/runs_page/page/annotation_writer.h"
#include "widgets/runs_page/table/run_table_view.h"
#include "widgets/runs_page/page/runs_page.h"
#include "widgets/theme/theme.h"

#include <QClipboard>
#include <QCompleter>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace rankscope::ui {

static bool all(const QList<RunRow>& runs, bool launch::RunMarks::*mark) {
    return std::all_of(runs.begin(), runs.end(), [mark](const RunRow& run) { return run.marks.*mark; });
}

QList<RunRow> RunsPage::runsOf(const QString& dir) const {
    const int row = m_model->rowOf(dir);
    return row < 0 ? QList<RunRow>() : QList<RunRow>{m_model->rows()[row]};
}

QStringList RunsPage::names() const {
    QStringList names{QStringLiteral("and"), QStringLiteral("or"), QStringLiteral("not")};
    for (const RunField& field : builtinFields())
        names << QString::fromStdString(field.key);
    return names + m_model->settings();
}

QStringList RunsPage::values(const RunField& field) const {
    QStringList values;
    if (field.kind() == FieldKind::Tags)
        return m_model->allTags();
    if (field.kind() == FieldKind::State)
        for (int i = 0; i <= static_cast<int>(launch::RunState::Imported); ++i)
            values << QString::fromStdString(std::string(launch::runStateName(static_cast<launch::RunState>(i))));
    if (field.kind() == FieldKind::State)
        return values << QStringLiteral("live") << QStringLiteral("stalled") << QStringLiteral("damaged");
    if (field.kind() == FieldKind::Flag)
        return {QStringLiteral("yes"), QStringLiteral("no")};
    if (field.isNumber())
        return {};
    QSet<QString> seen;
    for (const RunRow& row : m_model->rows())
        if (const Cell cell = cellOf(row, field, m_model->now()); !cell.isMissing() && seen.size() < 500)
            seen.insert(cell.text);
    values = QStringList(seen.begin(), seen.end());
    values.sort();
    return values;
}

void RunsPage::toggleStars() {
    const auto runs = m_table->selectedRuns();
    if (!runs.isEmpty())
        m_marks->setFavourite(runs, !all(runs, &launch::RunMarks::favourite));
}

void RunsPage::copyRows() {
    const int count = static_cast<int>(m_table->selectedRuns().size());
    if (count == 0)
        return;
    QGuiApplication::clipboard()->setText(m_table->copied());
    emit message(tr("Copied %n row(s)", nullptr, count));
}

/// A line below the selected row; Enter adds, Esc leaves.
void RunsPage::askTag() {
    const auto runs = m_table->selectedRuns();
    if (runs.isEmpty())
        return;
    auto* box = new QFrame(this, Qt::Popup);
    box->setObjectName(QStringLiteral("tagBox"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setFrameShape(QFrame::StyledPanel);
    auto* edit = new QLineEdit(box);
    edit->setPlaceholderText(tr("Tag for %n run(s)", nullptr, static_cast<int>(runs.size())));
    auto* completer = new QCompleter(m_model->allTags(), edit);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setFilterMode(Qt::MatchContains);
    edit->setCompleter(completer);
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(edit);
    connect(edit, &QLineEdit::returnPressed, box, [this, box, edit, runs] {
        m_marks->addTag(runs, edit->text());
        box->close();
    });
    const QRect row = m_table->visualRect(m_table->currentIndex());
    box->resize(280, box->sizeHint().height());
    box->move(m_table->viewport()->mapToGlobal(QPoint(60, std::max(0, row.bottom() + 2))));
    box->show();
    edit->setFocus();
}

void RunsPage::askTrash() {
    QList<RunRow> runs = m_table->selectedRuns();
    const qsizetype live = std::count_if(runs.begin(), runs.end(), [](const RunRow& run) { return run.isLive(); });
    runs.removeIf([](const RunRow& run) { return run.isLive(); });
    if (runs.isEmpty()) {
        if (live > 0)
            emit message(tr("Runs that still go on are not moved to the trash; stop them first"));
        return;
    }
    QString question = runs.size() == 1 ? tr("Move the run %1 with its plots, logs and checkpoints to the trash?")
                                              .arg(QString::fromStdString(runs.front().paths.dir.filename().string()))
                                        : tr("Move %n runs with their plots, logs and checkpoints to the trash?",
                                             nullptr, static_cast<int>(runs.size()));
    if (live > 0)
        question += QLatin1Char('\n') + tr("%n live run(s) stay.", nullptr, static_cast<int>(live));
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("Move to trash"), question, QMessageBox::NoButton, this);
    auto* yes = box->addButton(tr("Move to trash"), QMessageBox::DestructiveRole);
    box->setDefaultButton(box->addButton(tr("Keep"), QMessageBox::RejectRole));
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QMessageBox::buttonClicked, this, [this, runs, yes](QAbstractButton* button) {
        if (button == yes)
            m_marks->moveToTrash(runs);
    });
    box->open();
}

void RunsPage::addTagMenu(QMenu* menu, const QList<RunRow>& runs) {
    QMenu* tags = menu->addMenu(tr("Tags"));
    const auto has = [](const RunRow& run, const std::string& tag) {
        return std::find(run.marks.tags.begin(), run.marks.tags.end(), tag) != run.marks.tags.end();
    };
    tags->addAction(Theme::instance().icon(QStringLiteral("plus")), tr("New tag…"), QKeySequence(Qt::Key_T), this,
                    [this] { askTag(); });
    tags->addSeparator();
    for (const QString& tag : m_model->allTags().mid(0, 40)) {
        const bool on =
            std::all_of(runs.begin(), runs.end(), [&](const RunRow& run) { return has(run, tag.toStdString()); });
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

void RunsPage::addMarkActions(QMenu* menu, const QList<RunRow>& runs) {
    const bool stars = all(runs, &launch::RunMarks::favourite), archived = all(runs, &launch::RunMarks::archived);
    menu->addAction(stars ? tr("Remove from favourites") : tr("Add to favourites"), QKeySequence(Qt::Key_Space), this,
                    [this, runs, stars] { m_marks->setFavourite(runs, !stars); });
    addTagMenu(menu, runs);
    menu->addAction(tr("Rename"), QKeySequence(Qt::Key_F2), this, [this] { m_table->editCell(FieldId::Name); })
        ->setEnabled(runs.size() == 1);
    menu->addAction(tr("Edit note"), QKeySequence(Qt::Key_N), this, [this] { m_table->editCell(FieldId::Note); })
        ->setEnabled(runs.size() == 1);
    menu->addAction(archived ? tr("Unarchive") : tr("Archive"), this,
                    [this, runs, archived] { m_marks->setArchived(runs, !archived); });
}

QMenu* RunsPage::menu() {
    const auto runs = m_table->selectedRuns();
    auto* menu = new QMenu(this);
    if (runs.isEmpty())
        return menu;
    const auto icon = [](const char* name) { return Theme::instance().icon(QLatin1String(name)); };
    const QString dir = runs.front().dir();
    const bool one = runs.size() == 1;
    const bool ended = std::any_of(runs.begin(), runs.end(), [](const RunRow& run) { return !run.isLive(); });
    menu->addAction(icon("plot"), tr("Open"), QKeySequence(Qt::Key_Return), this,
                    [this, dir] { emit openRequested(dir); })
        ->setEnabled(one);
    menu->addAction(icon("compare"), tr("Compare %n run(s)", nullptr, static_cast<int>(runs.size())), this,
                    [this] { setCompared(true); })
        ->setEnabled(!one);
    menu->addSeparator();
    addMarkActions(menu, runs);
    menu->addSeparator();
    menu->addAction(icon("copy"), tr("Copy as table"), QKeySequence(QKeySequence::Copy), this, [this] { copyRows(); });
    menu->addAction(icon("copy"), tr("Copy path"), this, [this, runs] {
        QStringList paths;
        for (const RunRow& run : runs)
            paths << run.dir();
        QGuiApplication::clipboard()->setText(paths.join(QLatin1Char('\n')));
        emit message(tr("Copied %n path(s)", nullptr, static_cast<int>(paths.size())));
    });
    menu->addAction(icon("folder"), tr("Open folder"), this,
                    [dir] { QDesktopServices::openUrl(QUrl::fromLocalFile(dir)); })
        ->setEnabled(one);
    menu->addAction(icon("relaunch"), tr("Relaunch with change"), this, [this, dir] { emit relaunchRequested(dir); })
        ->setEnabled(one);
    menu->addSeparator();
    menu->addAction(icon("stop"), tr("Stop"), this,
                    [this, runs] {
                        for (const RunRow& run : runs)
                            if (run.isLive())
                                emit stopRequested(run.dir(), false);
                    })
        ->setEnabled(std::any_of(runs.begin(), runs.end(), [](const RunRow& run) { return run.isLive(); }));
    menu->addAction(icon("trash"), tr("Move to trash…"), QKeySequence(Qt::Key_Delete), this, [this] { askTrash(); })
        ->setEnabled(ended);
    return menu;
}

} // namespace rankscope::ui
