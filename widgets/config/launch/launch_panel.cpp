// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/launch/launch_panel.h"

#include "core/launch/prepare/disk_space.h"
#include "widgets/config/labels/severity_marks.h"
#include "widgets/config/launch/machine_choice.h"
#include "widgets/config/plan/plan_summary.h"
#include "widgets/config/plan/plan_text.h"
#include "widgets/controls/box_layout.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QEvent>
#include <QFileDialog>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>

namespace rankscope::ui {

LaunchPanel::LaunchPanel(ConfigFile* file, QWidget* parent)
    : QFrame(parent), m_file(file), m_launcher(new Launcher(this)), m_repeatRow(new QWidget(this)),
      m_repeatText(new QLabel(m_repeatRow)), m_stopFirst(new QCheckBox(m_repeatRow)), m_startDir(QDir::currentPath()),
      m_ranksLabel(new QLabel(this)), m_overridesLabel(new QLabel(this)), m_runsLabel(new QLabel(this)),
      m_folderLabel(new QLabel(this)), m_folderText(new QLabel(this)), m_problem(new QLabel(this)),
      m_summary(new PlanSummary(this)), m_machine(new MachineChoice(this)), m_trainerLabel(new QLabel(this)),
      m_trainer(new QComboBox(this)), m_nemo(new NemoPython(this)), m_ranks(new QSpinBox(this)),
      m_overrides(new QLineEdit(this)), m_runs(new QLineEdit(this)), m_folderButton(new QToolButton(this)),
      m_launch(new QPushButton(this)) {
    build();
    arrange();
    retranslate();
    connect(m_launch, &QPushButton::clicked, this, &LaunchPanel::launch);
    connect(m_overrides, &QLineEdit::textChanged, this, [this](const QString& line) {
        m_file->setOverrides(splitOverrides(line));
        showProblem(Message());
        emit planChanged();
    });
    connect(m_runs, &QLineEdit::textChanged, this, [this] {
        showRunsDir();
        emit planChanged();
    });
    connect(m_ranks, &QSpinBox::valueChanged, this, [this] {
        showProblem(Message());
        emit planChanged();
    });
    connect(m_summary, &PlanSummary::planRequested, this, &LaunchPanel::planRequested);
    connect(m_summary, &PlanSummary::problemsRequested, this, &LaunchPanel::problemsRequested);
    connect(m_summary, &PlanSummary::manifestRequested, this, &LaunchPanel::manifestRequested);
    connect(m_machine, &MachineChoice::changed, this, &LaunchPanel::planChanged);
    connect(m_trainer, &QComboBox::currentIndexChanged, this, [this] {
        m_nemo->setVisible(isNemo());
        showProblem(Message());
        refresh();
    });
    connect(m_nemo, &NemoPython::changed, this, &LaunchPanel::showButton);
    connect(m_folderButton, &QToolButton::clicked, this, &LaunchPanel::chooseFolder);
    connect(m_file, &ConfigFile::opened, this, &LaunchPanel::recipeOpened);
    // the problem was about the previous text
    connect(m_file, &ConfigFile::bytesChanged, this, [this] { showProblem(Message()); });
    connect(m_file, &ConfigFile::evaluationChanged, this, &LaunchPanel::refresh);
    connect(m_file, &ConfigFile::dirtyChanged, this, &LaunchPanel::refresh);
    connect(m_launcher, &Launcher::busyChanged, this, &LaunchPanel::refresh);
    connect(m_launcher, &Launcher::failed, this, &LaunchPanel::showProblem);
    connect(m_launcher, &Launcher::diskFull, this, &LaunchPanel::warnOfDisk);
    connect(m_launcher, &Launcher::launched, this, [this](const QString& runDir) {
        m_file->markLaunched(m_launchedText, runDir);
        emit launched(runDir);
    });
    connect(m_repeatText, &QLabel::linkActivated, this, [this] {
        m_repeats.clear();
        refresh();
        emit planChanged();
    });
    connect(m_stopFirst, &QCheckBox::toggled, this, &LaunchPanel::refresh);
}

void LaunchPanel::build() {
    m_ranks->setRange(0, 4096);
    m_ranks->setMinimumWidth(110);
    m_ranks->installEventFilter(this);
    m_overrides->setFont(monoFont());
    m_overrides->setClearButtonEnabled(true);
    m_overrides->setObjectName(QStringLiteral("overrides"));
    m_runs->setFont(monoFont());
    m_runs->setClearButtonEnabled(true);
    m_runs->setObjectName(QStringLiteral("runsFolder"));
    m_folderText->setFont(monoFont(9));
    m_folderText->setTextFormat(Qt::PlainText);
    m_folderText->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_folderText->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_folderButton->setIcon(Theme::instance().icon(QStringLiteral("folder")));
    m_folderButton->setAutoRaise(true);
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_problem->hide();
    m_trainer->setObjectName(QStringLiteral("trainer"));
    m_trainer->addItems({QStringLiteral("Rankscope"), QStringLiteral("NeMo")});
    m_trainerLabel->setBuddy(m_trainer);
    m_nemo->hide();
    m_repeatText->setFont(secondaryFont());
    m_repeatText->setTextFormat(Qt::RichText);
    m_stopFirst->setFont(secondaryFont());
    m_stopFirst->setChecked(true);
    m_repeatRow->hide();
    m_launch->setIcon(QIcon());
    m_launch->setDefault(true);
    m_launch->setMinimumWidth(112);
    for (QLabel* label : {m_ranksLabel, m_overridesLabel, m_runsLabel, m_folderLabel, m_trainerLabel}) {
        label->setFont(secondaryFont());
        label->setForegroundRole(QPalette::PlaceholderText);
    }
    m_ranksLabel->setBuddy(m_ranks);
    m_overridesLabel->setBuddy(m_overrides);
    m_runsLabel->setBuddy(m_runs);
}

void LaunchPanel::arrange() {
    m_repeatRow->setLayout(rowOf({m_repeatText, m_stopFirst, kSpareRoom}, 16, {0, 0, 0, 2}));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(12, 8, 12, 10);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(2);
    grid->addWidget(m_problem, 0, 0, 1, 6);
    grid->addWidget(m_repeatRow, 1, 0, 1, 6);
    grid->addLayout(rowOf({{m_summary, 1}, m_machine}, 6, {0, 0, 0, 2}), 2, 0, 1, 6);
    grid->addWidget(m_ranksLabel, 3, 0);
    grid->addWidget(m_overridesLabel, 3, 1);
    grid->addWidget(m_runsLabel, 3, 2);
    grid->addWidget(m_folderLabel, 3, 3);
    grid->addWidget(m_ranks, 4, 0);
    grid->addWidget(m_overrides, 4, 1);
    grid->addWidget(m_runs, 4, 2);
    grid->addLayout(rowOf({{m_folderText, 1}, m_folderButton}, 4), 4, 3);
    grid->addWidget(m_trainerLabel, 3, 4);
    grid->addWidget(m_trainer, 4, 4);
    grid->addWidget(m_launch, 4, 5);
    grid->addWidget(m_nemo, 5, 0, 1, 6);
    grid->setColumnStretch(1, 4);
    grid->setColumnStretch(2, 3);
    grid->setColumnStretch(3, 3);
}

void LaunchPanel::retranslate() {
    m_machine->retranslate();
    m_trainerLabel->setText(tr("Trainer"));
    m_trainer->setToolTip(tr("The program that trains: Rankscope's trainer, or NeMo in your own Python, which is then "
                             "watched. Both runs can be compared."));
    m_ranksLabel->setText(tr("Ranks"));
    m_ranks->setSpecialValueText(tr("from recipe"));
    m_ranks->setToolTip(tr("One process per rank on this machine; \"from recipe\" uses trainer.devices"));
    m_overridesLabel->setText(tr("Overrides"));
    m_overrides->setPlaceholderText(QStringLiteral("trainer.max_steps=200"));
    m_overrides->setToolTip(
        tr("In Hydra's syntax: a.b=1 changes, +a.b=1 adds, ~a.b removes. The tree shows the effect."));
    m_runsLabel->setText(tr("Runs folder"));
    showRunsDir();
    m_folderLabel->setText(tr("Working folder"));
    showProblem(Message(m_said));
    m_folderButton->setToolTip(tr("Choose the folder that relative paths in the recipe start from"));
    m_folderButton->setAccessibleName(m_folderButton->toolTip());
    refresh();
}

void LaunchPanel::setDefaultRunsDir(const QString& dir) {
    m_defaultRuns = dir;
    showRunsDir();
}

void LaunchPanel::showRunsDir() {
    m_runs->setPlaceholderText(shortPath(m_defaultRuns));
    m_runs->setToolTip(plainToolTip(tr("The run's folder will be created in %1").arg(runsDir())));
}

void LaunchPanel::setDryRuns(PlanRequest* run, PlanRequest* other) {
    m_dryRun = run;
    m_otherRun = other;
    for (const PlanRequest* one : {run, other})
        connect(one, &PlanRequest::changed, this, &LaunchPanel::showPlan);
    showPlan();
}

DryRunRequest LaunchPanel::dryRunRequest() const {
    const Evaluation& evaluation = m_file->evaluation();
    return {.text = m_file->bytes(),
            .name = m_file->title(),
            .overrides = splitOverrides(m_overrides->text()),
            .ranks = m_ranks->value(),
            .folder = m_folder.path,
            .path = m_file->path(),
            .runsDir = runsDir(),
            .machine = machine(),
            .manifests = evaluation ? manifestsOf(*evaluation) : QStringList()};
}

LaunchFields LaunchPanel::fields() const {
    return {m_repeats, splitOverrides(m_overrides->text()), m_ranks->value(), m_runs->text().trimmed(), machine()};
}

void LaunchPanel::setFields(const LaunchFields& fields) {
    m_repeats = fields.repeats;
    m_file->setOverrides(fields.overrides); // even if the line does not change
    m_overrides->setText(joinOverrides(fields.overrides));
    m_ranks->setValue(fields.ranks);
    m_runs->setText(fields.runsDir);
    m_runs->setCursorPosition(0);
    setMachine(fields.machine);
    refresh();
}

void LaunchPanel::recipeOpened() {
    LaunchFields before = fields();
    before.repeats.clear(); // only a copy repeats a run, and these fields are kept for a file
    if (!m_recipe.isEmpty())
        m_fieldsOf.insert(m_recipe, before);
    m_chosenDir.clear();
    showProblem(Message());
    setFields(m_fieldsOf.value(m_file->path()));
}

void LaunchPanel::restoreMachine(const QString& recipe, const QString& machine) {
    if (recipe == m_file->path())
        return setMachine(machine);
    m_fieldsOf[recipe].machine = machine;
}

void LaunchPanel::showPlan() {
    if (!m_dryRun)
        return;
    m_summary->setVisible(m_file->isOpen());
    m_machine->setVisible(m_file->isOpen());
    if (!m_file->isOpen())
        return;
    m_summary->showPlan(*m_dryRun, m_file->evaluation() && !m_file->evaluation()->ok());
    hideToldProblem();
    showButton();
}

QString LaunchPanel::machine() const {
    return m_machine->machine();
}

void LaunchPanel::setMachine(const QString& machine) {
    m_machine->setMachine(machine);
}

/// Hides the reason why a launch was refused if the plan already shows it.
void LaunchPanel::hideToldProblem() {
    const QList<LaunchBlocker> all = m_dryRun ? m_dryRun->obstacles() : QList<LaunchBlocker>();
    const bool told = std::any_of(all.begin(), all.end(), [this](const LaunchBlocker& one) {
        return !one.text.empty() && m_said.english().find(one.text.english()) != std::string::npos;
    });
    m_problem->setVisible(!m_said.empty() && !told);
}

bool LaunchPanel::isNemo() const {
    return m_trainer->currentIndex() == 1;
}

/// Returns the plan of what the button starts: a launch on this machine.
PlanRequest* LaunchPanel::planHere() const {
    return machine().isEmpty() ? m_dryRun : m_otherRun;
}

/// Returns the disk space to read again before the start. If the user already knows that it does not suffice, a second
/// warning is not needed.
std::optional<plan::DiskPlan> LaunchPanel::diskToCheck() const {
    const PlanRequest* run = planHere();
    const auto disk = run && !isNemo() ? run->disk() : std::nullopt;
    return disk && !launch::diskBlocker(*disk) ? disk : std::nullopt;
}

/// Shows that nothing was started because the disk has filled since the plan was made. If a plan for this machine is in
/// view, it says so; otherwise, the line above the fields does.
void LaunchPanel::warnOfDisk(const plan::DiskPlan& disk) {
    if (const auto full = launch::diskBlocker(disk))
        showProblem(full->text);
    if (PlanRequest* run = planHere())
        run->setFreeDisk(disk.available);
}

/// Disables the button if a launch here would be refused; if it would fail, the button only warns.
void LaunchPanel::showButton() {
    const Evaluation& evaluation = m_file->evaluation();
    const bool wrong = evaluation && !evaluation->ok();
    const bool here = machine().isEmpty();
    const PlanRequest* run = planHere();
    // the plan is that of Rankscope's trainer
    const bool nemo = isNemo();
    const bool refused = !nemo && run && run->isRefused();
    const bool risky = !nemo && run && !run->obstacles().isEmpty();
    m_launch->setText(m_launcher->isBusy() ? tr("Launching…")
                      : stopsFirst()       ? tr("Stop run and launch")
                      : risky && !refused  ? tr("Launch anyway")
                      : !here              ? tr("Launch on this machine")
                      : m_file->hasEdits() ? tr("Launch (unsaved changes)")
                                           : tr("Launch"));
    m_launch->setEnabled(m_file->isOpen() && !m_launcher->isBusy() && !wrong && !refused &&
                         (!nemo || m_nemo->isFound()));
    const QString against = !risky ? QString()
                            : here ? obstacleSummary(*run)
                                   : tr("On this machine: %1").arg(obstacleSummary(*run));
    m_launch->setToolTip(plainToolTip(
        refused                      ? against
        : wrong                      ? tr("The recipe has errors; the list of problems shows where")
        : nemo && !m_nemo->isFound() ? m_nemo->status()
        : risky                      ? against
        : m_file->hasEdits() ? tr("Launches what is shown, from a copy; the saved file is not changed (Ctrl+Enter)")
                             : tr("Launches the recipe (Ctrl+Enter)")));
}

QString LaunchPanel::runsDir() const {
    const QString given = m_runs->text().trimmed();
    return given.isEmpty() ? m_defaultRuns : given;
}

QString LaunchPanel::problem() const {
    return m_problem->text();
}

void LaunchPanel::setLiveRuns(const QStringList& runDirs) {
    if (std::exchange(m_live, runDirs) != runDirs)
        refresh();
}

bool LaunchPanel::stopsFirst() const {
    return m_live.contains(m_repeats) && m_stopFirst->isChecked();
}

void LaunchPanel::showRepeated() {
    m_repeatRow->setVisible(!m_repeats.isEmpty());
    const QString name = QFileInfo(m_repeats).fileName().toHtmlEscaped();
    m_repeatText->setText(QStringLiteral("%1&nbsp; <a href=\"forget\" style=\"color:%2\">%3</a>")
                              .arg(tr("Repeats %1 with your changes").arg(name),
                                   Theme::instance().palette().accent.name(), tr("Unlink")));
    m_repeatText->setToolTip(tr("The new run refers to it, so that you can find and compare the two together"));
    m_stopFirst->setText(tr("Stop that run first"));
    m_stopFirst->setToolTip(tr("It is still running. This stops it after the step in progress, with a last checkpoint, "
                               "and then starts the new run. Otherwise both share the devices."));
    m_stopFirst->setVisible(m_live.contains(m_repeats));
}

void LaunchPanel::refresh() {
    m_recipe = m_file->path(); // it may have been saved under another name
    showPlan();
    showRepeated();
    const Evaluation& evaluation = m_file->evaluation();
    const WorkingFolder before = m_folder;
    const QStringList manifests = evaluation ? manifestsOf(*evaluation) : QStringList();
    m_folder = m_chosenDir.isEmpty() ? chooseWorkingFolder(manifests, m_startDir, {m_file->path(), m_file->origin()})
                                     : chooseWorkingFolder(manifests, m_chosenDir, {});
    if (m_folder.path != before.path)
        emit planChanged();
    // a missing absolute path does not depend on the working folder
    const auto below = std::count_if(m_folder.missing.begin(), m_folder.missing.end(),
                                     [](const QString& path) { return QDir::isRelativePath(path); });
    const bool missing = below > 0;
    m_folderText->setText(shortPath(m_folder.path));
    m_folderText->setToolTip(plainToolTip(
        !m_folder.missing.isEmpty()
            ? tr("%1\nNot found from there: %2").arg(m_folder.path, m_folder.missing.join(QStringLiteral(", ")))
        : m_folder.named ? tr("%1\nAll manifests of the recipe are found from there.").arg(m_folder.path)
                         : m_folder.path));
    QPalette colours = palette();
    if (missing)
        colours.setColor(QPalette::WindowText, markColor(MarkSeverity::Error));
    m_folderText->setPalette(colours);
    m_folderLabel->setText(missing ? tr("Working folder: %n manifest(s) missing", nullptr, static_cast<int>(below))
                                   : tr("Working folder"));
    showButton();
}

void LaunchPanel::chooseFolder() {
    auto* dialog = new QFileDialog(this, tr("Working folder"), m_folder.path);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& dir) {
        m_chosenDir = dir;
        refresh();
    });
    dialog->open();
}

void LaunchPanel::showProblem(const Message& problem) {
    m_said = problem;
    m_problem->setText(messageText(problem));
    hideToldProblem();
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, Theme::instance().palette().dead);
    m_problem->setPalette(colours);
}

void LaunchPanel::launch() {
    if (!m_launch->isEnabled())
        return;
    showProblem(Message());
    m_launchedText = m_file->bytes();
    LaunchRequest request;
    if (m_file->hasEdits() || m_file->path().isEmpty()) {
        request.text = m_file->bytes();
        const bool copy = m_file->path().isEmpty() && !m_file->origin().isEmpty();
        request.title = copy ? QFileInfo(m_file->origin()).fileName() : m_file->title();
    } else {
        request.config = m_file->path();
    }
    request.ranks = m_ranks->value();
    request.overrides = splitOverrides(m_overrides->text());
    request.runsDir = runsDir();
    request.workingDir = m_folder.path;
    request.repeats = m_repeats;
    request.stopFirst = stopsFirst();
    request.disk = diskToCheck();
    if (isNemo())
        request.nemoPython = m_nemo->python();
    m_launcher->launch(request);
}

bool LaunchPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_ranks || event->type() != QEvent::Wheel)
        return QFrame::eventFilter(watched, event);
    event->ignore(); // the page may scroll, but the number must not change by accident
    return true;
}

void LaunchPanel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(0, 0, width(), 1, Theme::instance().palette().hairline);
}

void LaunchPanel::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange)
        retranslate();
}

} // namespace rankscope::ui
