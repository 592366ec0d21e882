// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/exchange/import_panel.h"

#include "widgets/config/launch/run_launcher.h"

#include <QBoxLayout>
#include <QDir>
#include <QDirIterator>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace rankscope::ui {

static constexpr int kMostLookedAt = 5000; ///< names checked in a dropped folder

ImportPanel::ImportPanel(QString runsDir, QWidget* parent) : ExchangePanel(parent), m_runsDir(std::move(runsDir)) {
    m_source = new QLineEdit;
    m_name = new QLineEdit;
    m_config = new QLineEdit;
    m_folder = new QPushButton;
    m_file = new QPushButton;
    m_folder->setAutoDefault(false);
    m_file->setAutoDefault(false);
    auto* where = new QHBoxLayout;
    where->setSpacing(8);
    where->addWidget(m_source, 1);
    where->addWidget(m_folder);
    where->addWidget(m_file);
    m_form->addRow(QStringLiteral(" "), where);
    m_form->addRow(QStringLiteral(" "), m_name);
    m_form->addRow(QStringLiteral(" "), m_config);
    for (QLineEdit* line : {m_source, m_name, m_config})
        connect(line, &QLineEdit::textChanged, this, &ImportPanel::updateState);
    connect(m_folder, &QPushButton::clicked, this, [this] { browse(true); });
    connect(m_file, &QPushButton::clicked, this, [this] { browse(false); });
    retranslate();
    updateState();
}

bool ImportPanel::isSource(const QString& path) {
    const QFileInfo info(path);
    if (info.isFile())
        return info.fileName().contains(QLatin1String("tfevents"));
    if (!info.isDir() || QFileInfo::exists(QDir(path).filePath(QStringLiteral("run.json"))))
        return false;
    int looked = 0;
    for (QDirIterator it(path, QDir::Files, QDirIterator::Subdirectories); it.hasNext() && looked < kMostLookedAt;
         ++looked)
        if (it.next();
            it.fileName().contains(QLatin1String("tfevents")) || it.fileName() == QLatin1String("hparams.yaml"))
            return true;
    return false;
}

void ImportPanel::setSource(const QString& path) {
    if (isBusy() || path == m_source->text())
        return;
    m_source->setText(path);
    m_name->clear();
    m_config->clear();
    m_result.clear();
    showStatus({});
    retranslate();
}

void ImportPanel::reopen() {
    if (isImported())
        setSource({});
    m_source->setFocus(Qt::OtherFocusReason);
    m_source->selectAll();
}

QString ImportPanel::sourcePath() const {
    const QString typed = m_source->text().trimmed();
    return typed == QLatin1String("~") || typed.startsWith(QLatin1String("~/")) ? QDir::homePath() + typed.mid(1)
                                                                                : typed;
}

/// Returns whether this was imported already: a second Enter does nothing, but another name or recipe imports again.
bool ImportPanel::isImported() const {
    return !m_result.isEmpty() &&
           m_importedFrom == QStringList{sourcePath(), m_name->text(), m_config->text()}.join(u'\n');
}

void ImportPanel::browse(bool folder) {
    auto* dialog = new QFileDialog(this, folder ? tr("Folder to import") : tr("Event file to import"),
                                   QFileInfo(m_source->text()).absolutePath());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
    if (!folder)
        dialog->setNameFilter(tr("Event files (*tfevents*)"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        m_source->setText(path); // keeps a name that was typed already
        m_begin->setFocus(Qt::OtherFocusReason);
    });
    dialog->open();
}

void ImportPanel::begin() {
    const QString source = sourcePath();
    if (source.isEmpty() || isBusy() || isImported())
        return;
    if (!QFileInfo::exists(source))
        return showStatus(tr("%1 does not exist.").arg(source), true);
    if (!QDir().mkpath(m_runsDir))
        return showStatus(tr("The runs folder %1 cannot be created.").arg(m_runsDir), true);
    // a separate runs folder, so that a cancelled import can be removed completely
    m_draft = draftBeside(QDir(m_runsDir).filePath(QStringLiteral("import")));
    if (!QDir().mkpath(m_draft))
        return showStatus(tr("The runs folder %1 cannot be written.").arg(m_runsDir), true);
    QStringList arguments{QStringLiteral("import"), source, QStringLiteral("--runs"), m_draft,
                          QStringLiteral("--json")};
    if (!m_name->text().trimmed().isEmpty())
        arguments << QStringLiteral("--name") << m_name->text().trimmed();
    if (!m_config->text().trimmed().isEmpty())
        arguments << QStringLiteral("--config") << m_config->text().trimmed();
    startTask(arguments, m_draft, {});
}

void ImportPanel::finished(const QByteArray& output, const QString& remarks) {
    const auto made = runDirFromReply(output);
    const QString dir = made ? QDir(m_runsDir).filePath(QFileInfo(*made).fileName()) : QString();
    if (!made || !QDir().rename(*made, dir)) {
        const QString what =
            made ? tr("%1 cannot be written.").arg(dir) : QString::fromStdString(made.error().message());
        QDir(m_draft).removeRecursively();
        return showStatus(what, true);
    }
    QDir(m_draft).removeRecursively();
    m_result = dir;
    m_importedFrom = QStringList{sourcePath(), m_name->text(), m_config->text()}.join(u'\n');
    showStatus(tr("Imported and opened: %1").arg(dir) +
               (remarks.isEmpty() ? QString() : QStringLiteral("\n") + remarks));
    emit imported(dir);
}

void ImportPanel::retranslate() {
    ExchangePanel::retranslate();
    setWindowTitle(tr("Import run"));
    m_begin->setText(tr("Import"));
    setLabels({tr("From"), tr("Name"), tr("Recipe")});
    m_name->setPlaceholderText(tr("optional: default from recipe or folder"));
    m_config->setPlaceholderText(tr("optional: default is hparams.yaml in the folder"));
    m_folder->setText(tr("Folder…"));
    m_file->setText(tr("File…"));
    m_hint->setText(tr("A TensorBoard event file or folder, or the folder of NeMo's exp_manager (hparams.yaml, events, "
                       "logs of the ranks). The original is not changed. You can also drop it onto the window."));
}

void ImportPanel::updateState() {
    const bool free = !isBusy();
    for (QWidget* widget :
         {static_cast<QWidget*>(m_source), static_cast<QWidget*>(m_name), static_cast<QWidget*>(m_config),
          static_cast<QWidget*>(m_folder), static_cast<QWidget*>(m_file)})
        widget->setEnabled(free);
    m_begin->setEnabled(free && !m_source->text().trimmed().isEmpty() && !isImported());
    setDone(isImported());
}

} // namespace rankscope::ui
