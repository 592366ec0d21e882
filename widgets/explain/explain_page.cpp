// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explain/explain_page.h"

#include "core/base/files/atomic_file.h"
#include "core/explain/explain.h"
#include "core/explain/report/explanation_html.h"
#include "core/explain/report/explanation_text.h"
#include "widgets/controls/box_layout.h"
#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/controls/copy_line.h"
#include "widgets/controls/one_line_label.h"
#include "widgets/explain/recipe_choice.h"
#include "widgets/explain/report_view.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/accessible.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStackedWidget>
#include <QUrl>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kPatienceMs = 300; ///< until progress is shown
constexpr int kProgressMs = 100; ///< between two reports of it
constexpr int kProgressParts = 1000;
constexpr int kMostExplainedRanks = 65'536; ///< as for rankscopectl
constexpr int kCopyColumns = 100;
constexpr int kNoteWidth = 480;

QString bytesText(std::int64_t bytes) {
    return messageText({"{}", ByteSize{bytes}});
}

/// Refuses pipes and devices: reading one could wait for ever.
Result<void> checkPaths(const std::vector<std::filesystem::path>& paths) {
    for (const auto& path : paths) {
        std::error_code ec;
        const auto status = std::filesystem::status(path, ec);
        if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
            !std::filesystem::is_directory(status))
            return fail(Errc::BadInput, "is not a regular file", path.string());
    }
    return {};
}

/// Returns the folder that contains all of them, whose path the report need not repeat.
std::filesystem::path commonFolder(const std::vector<std::filesystem::path>& paths) {
    std::filesystem::path folder = paths.front().parent_path();
    for (const auto& path : paths)
        while (folder.has_relative_path() &&
               std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first != folder.end())
            folder = folder.parent_path();
    return folder;
}

/// Reads and judges; `tell` receives the progress some times a second.
Result<explain::Explanation> explained(const ExplainRequest& request, const BackgroundTask::IsOld& isOld,
                                       const std::function<void(std::int64_t, std::int64_t)>& tell) {
    explain::ExplainOptions options;
    for (const QString& path : request.paths)
        options.paths.emplace_back(path.toStdString());
    options.below = commonFolder(options.paths);
    options.recipe = request.recipe.toStdString();
    options.ranks = request.ranks;
    QElapsedTimer since;
    since.start();
    options.progress = [&](std::int64_t done, std::int64_t all) {
        if (since.elapsed() >= kProgressMs) {
            since.restart();
            tell(done, all);
        }
        return !isOld();
    };
    if (const auto readable = checkPaths(options.paths); !readable)
        return tl::unexpected(readable.error());
    return explain::explain(options);
}

} // namespace

ExplainPage::ExplainPage(QWidget* parent)
    : QWidget(parent), m_head(new QWidget(this)), m_title(new OneLineLabel(m_head)), m_copy(new QPushButton(m_head)),
      m_save(new QPushButton(m_head)), m_ranksLabel(new QLabel(m_head)), m_recipeLabel(new QLabel(m_head)),
      m_ranks(new QSpinBox(m_head)), m_recipe(new RecipeChoice(m_head)), m_stack(new QStackedWidget(this)),
      m_view(new ReportView(m_stack)), m_task(QStringLiteral("explain")), m_saver(QStringLiteral("explain-save")) {
    buildHead();
    m_stack->addWidget(buildNote());
    m_stack->addWidget(buildProgress());
    m_stack->addWidget(m_view);
    setLayout(columnOf({m_head, {m_stack, 1}}));
    const QList<QWidget*> order{
        m_fileButtons.front(), m_folderButtons.front(), m_copy, m_save, m_ranks, m_recipe, m_view};
    for (qsizetype i = 1; i < order.size(); ++i)
        setTabOrder(order[i - 1], order[i]);
    m_patience.setSingleShot(true);
    m_patience.setInterval(kPatienceMs);
    connect(&m_patience, &QTimer::timeout, this, [this] { showState(ExplainState::Reading); });
    connect(m_view, &QTextBrowser::anchorClicked, this, &ExplainPage::requestSetting);
    connect(m_copy, &QPushButton::clicked, this, &ExplainPage::copyReport);
    connect(m_save, &QPushButton::clicked, this, &ExplainPage::save);
    connect(m_cancel, &QPushButton::clicked, this, &ExplainPage::cancel);
    connect(m_ranks, &QSpinBox::valueChanged, this, [this](int ranks) {
        m_request.ranks = ranks;
        start();
    });
    connect(m_recipe, &RecipeChoice::chosen, this, [this](const QString& path) {
        m_request.recipe = path;
        start();
    });
    showRequest();
    retranslate();
    showState(ExplainState::Empty);
    onLanguageChange(this, [this] { retranslate(); });
}

void ExplainPage::buildHead() {
    m_title->setFont(headingFont());
    m_title->setTextFormat(Qt::PlainText);
    m_ranks->setRange(0, kMostExplainedRanks);
    m_ranks->setKeyboardTracking(false);
    m_ranksLabel->setBuddy(m_ranks);
    m_recipeLabel->setBuddy(m_recipe);
    auto* first = rowOf({{m_title, 1}}, 8);
    addChooseButtons(first);
    first->addWidget(m_copy);
    first->addWidget(m_save);
    auto* second = rowOf({m_ranksLabel, m_ranks, m_recipeLabel, m_recipe, kSpareRoom}, 8);
    m_head->setLayout(columnOf({first, second}, 6, {16, 8, 8, 8}));
}

void ExplainPage::addChooseButtons(QBoxLayout* row) {
    for (const bool folder : {false, true}) {
        auto* button = new QPushButton;
        connect(button, &QPushButton::clicked, this, [this, folder] { choose(folder); });
        (folder ? m_folderButtons : m_fileButtons) << button;
        row->addWidget(button);
    }
}

/// Returns what is shown without a report: what the page is for, or why there is none.
QWidget* ExplainPage::buildNote() {
    auto* page = new QWidget;
    m_noteTitle = new QLabel;
    m_noteTitle->setFont(titleFont());
    m_noteText = new QLabel;
    m_noteText->setObjectName(QStringLiteral("note"));
    m_noteText->setTextFormat(Qt::PlainText);
    m_noteText->setWordWrap(true);
    m_noteText->setFixedWidth(kNoteWidth);
    m_noteText->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_commandLabel = new QLabel;
    m_commandLabel->setForegroundRole(QPalette::PlaceholderText);
    m_command = new CopyLine;
    auto* buttons = rowOf({}, 8);
    addChooseButtons(buttons);
    buttons->addStretch(1);
    auto* column = columnOf({{static_cast<QWidget*>(nullptr), 2},
                             m_noteTitle,
                             m_noteText,
                             buttons,
                             m_commandLabel,
                             m_command,
                             {static_cast<QWidget*>(nullptr), 3}},
                            12);
    page->setLayout(rowOf({kSpareRoom, column, kSpareRoom}));
    return page;
}

QWidget* ExplainPage::buildProgress() {
    auto* page = new QWidget;
    m_progressText = new QLabel;
    m_progress = new QProgressBar;
    m_progress->setTextVisible(false);
    m_progress->setFixedSize(kNoteWidth, 6);
    m_cancel = new QPushButton;
    auto* column = columnOf({{static_cast<QWidget*>(nullptr), 2},
                             m_progressText,
                             m_progress,
                             rowOf({m_cancel, kSpareRoom}),
                             {static_cast<QWidget*>(nullptr), 3}},
                            12);
    page->setLayout(rowOf({kSpareRoom, column, kSpareRoom}));
    return page;
}

void ExplainPage::open(const QStringList& paths) {
    if (paths.isEmpty())
        return;
    m_request.paths = paths;
    m_request.ranks = 0; // another run
    m_lastFolder = QFileInfo(paths.front()).absolutePath();
    start();
}

void ExplainPage::choose(bool folder) {
    auto* dialog = new QFileDialog(this, folder ? tr("Folder of logs and dumps") : tr("Logs and dumps of all ranks"),
                                   m_lastFolder);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("chooseLogs"));
    dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, &ExplainPage::open);
    dialog->open();
}

void ExplainPage::setOpenRecipe(const QString& path) {
    m_recipe->setOpenRecipe(path);
}

QString ExplainPage::title() const {
    if (m_request.paths.isEmpty())
        return {};
    const QString name = QDir(m_request.paths.front()).dirName(); // also of a path that ends in a slash
    const qsizetype more = m_request.paths.size() - 1;
    return more == 0 ? name : tr("%1 and %2 more").arg(name, countText(more));
}

void ExplainPage::start() {
    if (m_request.paths.isEmpty())
        return;
    showRequest();
    showProgress(0, 0);
    if (m_state != ExplainState::Reading)
        m_patience.start();
    m_task.ask(
        [this, request = m_request](const BackgroundTask::IsOld& isOld) {
            return explained(request, isOld, [this, &isOld](std::int64_t done, std::int64_t all) {
                m_task.tell(isOld, [this, done, all] { showProgress(done, all); });
            });
        },
        [this](const Result<explain::Explanation>& result) { take(result); });
}

/// Returns to what was shown before.
void ExplainPage::cancel() {
    m_task.cancel();
    m_patience.stop();
    m_error.reset();
    m_request = m_shown ? m_shown->request : ExplainRequest();
    showRequest();
    showState(m_shown ? ExplainState::Report : ExplainState::Empty);
}

void ExplainPage::take(const Result<explain::Explanation>& result) {
    m_patience.stop();
    m_shown.reset();
    m_error.reset();
    if (result) {
        m_shown = {m_request, *result};
        m_view->verticalScrollBar()->setValue(0);
        showReport();
        announce(this, messageText(result->summary));
    } else {
        m_error = result.error();
    }
    showState(m_shown ? ExplainState::Report : ExplainState::Failed);
}

void ExplainPage::showProgress(std::int64_t done, std::int64_t all) {
    m_progressText->setText(done == 0 ? tr("Reading…")
                            : all > 0 ? tr("Reading %1 of %2").arg(bytesText(done), bytesText(all))
                                      : tr("Reading %1").arg(bytesText(done)));
    m_progress->setRange(0, kProgressParts);
    m_progress->setValue(
        all > 0 ? static_cast<int>(std::min(1.0, static_cast<double>(done) / static_cast<double>(all)) * kProgressParts)
                : 0);
}

void ExplainPage::showRequest() {
    const QSignalBlocker block(m_ranks);
    m_ranks->setValue(m_request.ranks);
    m_recipe->setRecipe(m_request.recipe);
    m_title->setFullText(title());
    m_head->setVisible(!m_request.paths.isEmpty());
    emit titleChanged();
}

void ExplainPage::showState(ExplainState state) {
    m_state = state;
    const bool note = state == ExplainState::Empty || state == ExplainState::Failed;
    if (note)
        showNote();
    m_stack->setCurrentIndex(note ? 0 : state == ExplainState::Reading ? 1 : 2);
    m_copy->setEnabled(state == ExplainState::Report);
    m_save->setEnabled(state == ExplainState::Report);
}

void ExplainPage::showNote() {
    m_noteTitle->setText(m_error ? tr("There is nothing to explain") : tr("Why did the run hang?"));
    m_noteText->setText(
        m_error
            ? messageText(*m_error) + QStringLiteral("\n\n") +
                  tr("Choose what the ranks printed, or Flight Recorder dumps, of all ranks together: as files or as "
                     "their folder.")
            : tr("Choose the logs of a run that hung, of all ranks if you have them, and Flight Recorder dumps; or "
                 "drop "
                 "the files or their folder here. NeMo, Lightning or any other PyTorch program may have written them, "
                 "and they may be of any size. The report says which rank did not come, in which collective the others "
                 "wait for it, and what to do."));
}

void ExplainPage::showReport() {
    m_view->setReport(toQString(
        explain::explanationFragment(m_shown->explanation, currentLanguage(), tr("Show in Configure").toStdString())));
}

void ExplainPage::requestSetting(const QUrl& link) {
    if (!m_shown)
        return;
    const auto settings = explain::suggestedSettings(m_shown->explanation);
    const auto number = static_cast<std::size_t>(link.path().toUInt());
    if (number < settings.size())
        emit settingRequested(toQString(settings[number].key), toQString(settings[number].value));
}

void ExplainPage::copyReport() {
    copyText(toQString(explain::explanationText(m_shown->explanation, currentLanguage(), kCopyColumns)), m_copy);
}

void ExplainPage::save() {
    auto* dialog = new QFileDialog(this, tr("Save the report"), m_lastFolder, tr("Web page (*.html)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("saveReport"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("html"));
    dialog->selectFile(QFileInfo(title()).completeBaseName() + QStringLiteral("-explained.html"));
    connect(dialog, &QFileDialog::fileSelected, this, &ExplainPage::saveTo);
    dialog->open();
}

void ExplainPage::saveTo(const QString& file) {
    if (!m_shown)
        return;
    m_saver.add([file, page = explain::explanationPage(m_shown->explanation, currentLanguage())](
                    const BackgroundTask::IsOld&) { return writeFileAtomic(file.toStdString(), page); },
                [this, file](const Result<void>& done) {
                    emit message(done ? tr("Written: %1").arg(file) : messageText(done.error()));
                });
}

void ExplainPage::retranslate() {
    for (QPushButton* button : std::as_const(m_fileButtons))
        button->setText(tr("Choose logs…"));
    for (QPushButton* button : std::as_const(m_folderButtons))
        button->setText(tr("Choose a folder…"));
    m_copy->setText(tr("Copy as text"));
    m_save->setText(tr("Save as HTML…"));
    m_ranksLabel->setText(tr("Ranks:"));
    m_ranks->setSpecialValueText(tr("as the logs say"));
    m_ranks->setAccessibleName(tr("Number of ranks of the run"));
    m_ranks->setToolTip(tr("Number of ranks of the run, if its logs do not say it"));
    m_recipeLabel->setText(tr("Name collectives by:"));
    m_recipe->retranslate();
    m_commandLabel->setText(tr("In a terminal:"));
    m_command->setText(QStringLiteral("rankscopectl explain LOGS"), tr("The command that does the same"));
    m_command->retranslate();
    m_cancel->setText(tr("Cancel"));
    m_view->setAccessibleName(tr("Report"));
    m_title->setFullText(title());
    showNote();
    if (m_shown)
        showReport();
}

} // namespace rankscope::ui
