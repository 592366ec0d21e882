// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/exchange/watch_panel.h"

#include "core/base/values/error.h"
#include "widgets/config/launch/run_launcher.h"
#include "widgets/controls/box_layout.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>

namespace rankscope::ui {

static constexpr int kMostRanks = 4096;

WatchPanel::WatchPanel(const QString& runsDir, QWidget* parent)
    : QDialog(parent), m_form(new QFormLayout), m_command(new QComboBox(this)), m_words(new QLabel(this)),
      m_hint(new QLabel(this)), m_status(new QLabel(this)), m_folder(new QLineEdit(this)), m_name(new QLineEdit(this)),
      m_runs(new QLineEdit(this)), m_ranks(new QSpinBox(this)), m_browse(new QPushButton(this)),
      m_begin(new QPushButton(this)), m_close(new QPushButton(this)) {
    build();
    m_folder->setText(QDir::currentPath());
    m_runs->setText(runsDir);
    connect(m_command, &QComboBox::editTextChanged, this, &WatchPanel::updateState);
    connect(m_browse, &QPushButton::clicked, this, &WatchPanel::browse);
    connect(m_begin, &QPushButton::clicked, this, &WatchPanel::begin);
    connect(m_close, &QPushButton::clicked, this, &QDialog::reject);
    onLanguageChange(this, [this] { retranslate(); });
    retranslate();
}

void WatchPanel::build() {
    setMinimumWidth(600);
    m_command->setObjectName(QStringLiteral("watchCommand"));
    m_command->setEditable(true);
    m_command->setInsertPolicy(QComboBox::NoInsert);
    m_command->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_words->setObjectName(QStringLiteral("watchWords"));
    m_status->setObjectName(QStringLiteral("watchStatus"));
    m_folder->setObjectName(QStringLiteral("watchFolder"));
    m_name->setObjectName(QStringLiteral("watchName"));
    m_runs->setObjectName(QStringLiteral("watchRuns"));
    m_ranks->setObjectName(QStringLiteral("watchRanks"));
    m_ranks->setRange(0, kMostRanks);
    for (QLabel* label : {m_words, m_hint, m_status}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
    }
    m_words->setForegroundRole(QPalette::PlaceholderText);
    m_hint->setForegroundRole(QPalette::PlaceholderText);
    m_status->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* where = new QHBoxLayout;
    where->addWidget(m_folder, 1);
    where->addWidget(m_browse);
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_form->addRow(QStringLiteral(" "), m_command);
    m_form->addRow(QStringLiteral(" "), m_words);
    m_form->addRow(QStringLiteral(" "), where);
    m_form->addRow(QStringLiteral(" "), m_name);
    m_form->addRow(QStringLiteral(" "), m_ranks);
    m_form->addRow(QStringLiteral(" "), m_runs);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(m_close);
    buttons->addWidget(m_begin);
    m_begin->setDefault(true);
    m_close->setAutoDefault(false);
    m_browse->setAutoDefault(false);
    auto* column = filledBox(new QVBoxLayout(this), {16, 16, 16, 16}, 12);
    column->addLayout(m_form);
    column->addWidget(m_hint);
    column->addStretch(1);
    column->addWidget(m_status);
    column->addLayout(buttons);
}

void WatchPanel::setRecent(const QStringList& commands) {
    const QString typed = m_command->currentText();
    m_command->clear();
    m_command->addItems(commands);
    if (!typed.isEmpty())
        m_command->setEditText(typed);
    updateState();
}

void WatchPanel::setCommand(const QStringList& words) {
    QStringList quoted; // as QProcess::splitCommand() reads it
    for (QString word : words) {
        static const QRegularExpression special(QStringLiteral("[\\s\"]"));
        if (word.contains(special))
            word = u'"' + word.replace(u'"', QLatin1String("\"\"\"")) + u'"';
        quoted << word;
    }
    m_command->setEditText(quoted.join(u' '));
}

QStringList WatchPanel::arguments() const {
    const QStringList words = QProcess::splitCommand(m_command->currentText());
    if (words.isEmpty())
        return {};
    QStringList all{QStringLiteral("run"), QStringLiteral("--detach"), QStringLiteral("--json")};
    if (const QString name = m_name->text().trimmed(); !name.isEmpty())
        all << QStringLiteral("--name") << name;
    if (m_ranks->value() > 0)
        all << QStringLiteral("--ranks") << QString::number(m_ranks->value());
    if (const QString runs = m_runs->text().trimmed(); !runs.isEmpty())
        all << QStringLiteral("--runs") << QDir::current().absoluteFilePath(runs);
    return all << QStringLiteral("--") << words;
}

void WatchPanel::begin() {
    const QStringList all = arguments();
    const QString folder = m_folder->text().trimmed(), command = m_command->currentText().trimmed();
    if (all.isEmpty() || m_busy)
        return;
    if (!folder.isEmpty() && !QFileInfo(folder).isDir())
        return showStatus(tr("The folder %1 does not exist.").arg(folder), true);
    m_busy = true;
    showStatus(tr("Starting…"), false);
    updateState();
    m_commands.run(all, folder, [this, command](const CommandReply& reply) { finished(reply, command); });
}

void WatchPanel::finished(const CommandReply& reply, const QString& command) {
    m_busy = false;
    updateState();
    if (!reply.error.isEmpty())
        return showStatus(reply.error, true);
    const auto dir = runDirFromReply(reply.output);
    if (!dir)
        return showStatus(QString::fromStdString(dir.error().message()), true);
    showStatus({}, false);
    emit commandUsed(command);
    emit started(*dir);
    accept();
}

void WatchPanel::browse() {
    auto* dialog = new QFileDialog(this, tr("Working folder"), m_folder->text());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, m_folder, &QLineEdit::setText);
    dialog->open();
}

void WatchPanel::showStatus(const QString& text, bool problem) {
    QPalette colours = palette();
    if (problem)
        colours.setColor(QPalette::WindowText, Theme::instance().palette().dead);
    m_status->setPalette(colours);
    m_status->setText(text);
}

void WatchPanel::updateState() {
    const QStringList words = QProcess::splitCommand(m_command->currentText());
    QStringList shown;
    for (const QString& word : words)
        shown << QStringLiteral("[%1]").arg(word);
    m_words->setText(words.isEmpty()
                         ? tr("No shell is used: quotes keep words together; variables, pipes and * mean nothing.")
                         : shown.join(u' '));
    m_begin->setEnabled(!words.isEmpty() && !m_busy);
}

void WatchPanel::retranslate() {
    setWindowTitle(tr("Watch a command"));
    m_begin->setText(tr("Start"));
    m_close->setText(tr("Close"));
    m_browse->setText(tr("Choose…"));
    const QStringList labels{tr("Command"), tr("Its words"), tr("Working folder"),
                             tr("Name"),    tr("Ranks"),     tr("Runs folder")};
    for (int row = 0; row < labels.size(); ++row)
        qobject_cast<QLabel*>(m_form->itemAt(row, QFormLayout::LabelRole)->widget())->setText(labels[row]);
    m_command->lineEdit()->setPlaceholderText(QStringLiteral("torchrun --nproc-per-node 8 train.py"));
    m_name->setPlaceholderText(tr("optional: default is the name of the program"));
    m_ranks->setSpecialValueText(tr("as the program says"));
    m_hint->setText(tr("Any program that trains with PyTorch, unchanged. The run continues if this window is closed."));
    updateState();
}

} // namespace rankscope::ui
