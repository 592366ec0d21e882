// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/import_panel.h"

#include "widgets/config/launcher.h"

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

static constexpr int kMostLookedAt = 5000; ///< names of a folder that was dropped

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
    connect(m_source, &QLineEdit::textChanged, this, &ImportPanel::updateState);
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
    if (isBusy())
        return;
    m_source->setText(path);
    m_name->clear();
    m_config->clear();
    m_result.clear();
    say({});
    retranslate();
}

void ImportPanel::browse(bool folder) {
    auto* dialog = new QFileDialog(this, folder ? tr("Folder to import") : tr("Event file to import"),
                                   QFileInfo(m_source->text()).absolutePath());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
    if (!folder)
        dialog->setNameFilter(tr("Event files (*tfevents*)"));
    connect(dialog, &QFileDialog::fileSelected, this, &ImportPanel::setSource);
    dialog->open();
}

void ImportPanel::begin() {
    const QString source = m_source->text().trimmed();
    if (source.isEmpty() || isBusy())
        return;
    if (!QFileInfo::exists(source))
        return say(tr("%1 does not exist").arg(source), true);
    if (!QDir().mkpath(m_runsDir))
        return say(tr("The folder of runs %1 cannot be made").arg(m_runsDir), true);
    // a folder of runs of its own, so that one that is called off can be taken away whole
    m_draft = draftBeside(QDir(m_runsDir).filePath(QStringLiteral("import")));
    if (!QDir().mkpath(m_draft))
        return say(tr("The folder of runs %1 cannot be written").arg(m_runsDir), true);
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
            made ? tr("%1 cannot be written").arg(dir) : QString::fromStdString(made.error().message());
        QDir(m_draft).removeRecursively();
        return say(what, true);
    }
    QDir(m_draft).removeRecursively();
    m_result = dir;
    say(tr("Imported: %1").arg(dir) + (remarks.isEmpty() ? QString() : QStringLiteral("\n") + remarks));
    emit imported(dir);
}

void ImportPanel::retranslate() {
    ExchangePanel::retranslate();
    setWindowTitle(tr("Import run"));
    m_begin->setText(tr("Import"));
    const QStringList labels{tr("From"), tr("Name"), tr("Recipe")};
    for (int row = 0; row < 3; ++row)
        if (auto* label = qobject_cast<QLabel*>(m_form->itemAt(row, QFormLayout::LabelRole)->widget()))
            label->setText(labels[row]);
    m_name->setPlaceholderText(tr("of the recipe, else of the folder"));
    m_config->setPlaceholderText(tr("hparams.yaml of the folder"));
    m_folder->setText(tr("Folder…"));
    m_file->setText(tr("File…"));
    m_hint->setText(tr("A TensorBoard event file or folder, or the folder of NeMo's exp_manager (hparams.yaml, events, "
                       "logs of the ranks). It is only read; it can be dropped onto the window, too."));
}

void ImportPanel::updateState() {
    const bool free = !isBusy();
    for (QWidget* widget :
         {static_cast<QWidget*>(m_source), static_cast<QWidget*>(m_name), static_cast<QWidget*>(m_config),
          static_cast<QWidget*>(m_folder), static_cast<QWidget*>(m_file)})
        widget->setEnabled(free);
    m_begin->setEnabled(free && !m_source->text().trimmed().isEmpty());
}

} // namespace rankscope::ui
