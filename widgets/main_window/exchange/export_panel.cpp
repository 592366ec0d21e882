// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/exchange/export_panel.h"

#include "widgets/models/text/text_format.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStandardPaths>

namespace rankscope::ui {

ExportPanel::ExportPanel(std::function<QString(const QString&)> plots, QWidget* parent)
    : ExchangePanel(parent), m_plots(std::move(plots)) {
    m_format = new QComboBox;
    m_format->setObjectName(QStringLiteral("exportFormat"));
    for (int i = Csv; i <= Plots; ++i)
        m_format->addItem(QString());
    m_format->setCurrentIndex(Html);
    m_range = new QComboBox;
    m_range->setObjectName(QStringLiteral("exportRange"));
    m_range->addItems({QString(), QString()});
    m_target = new QLineEdit;
    m_browse = new QPushButton;
    m_browse->setAutoDefault(false);
    auto* where = new QHBoxLayout;
    where->setSpacing(8);
    where->addWidget(m_target, 1);
    where->addWidget(m_browse);
    m_form->addRow(QStringLiteral(" "), m_format);
    m_form->addRow(QStringLiteral(" "), m_range);
    m_form->addRow(QStringLiteral(" "), where);
    connect(m_format, &QComboBox::currentIndexChanged, this, [this] {
        m_targetChosen = false;
        forgetResult(); // it was of another format
        proposeTarget();
        updateState();
    });
    connect(m_target, &QLineEdit::textEdited, this, [this] {
        m_targetChosen = true;
        updateState();
    });
    connect(m_browse, &QPushButton::clicked, this, &ExportPanel::browse);
    const QWidgetList order{m_format, m_range, m_target, m_browse, m_show, m_cancel, m_begin};
    for (qsizetype i = 1; i < order.size(); ++i)
        setTabOrder(order[i - 1], order[i]);
    retranslate();
    updateState();
}

ExportPanel::Format ExportPanel::format() const {
    return static_cast<Format>(m_format->currentIndex());
}

void ExportPanel::setRun(const QString& dir, const QString& name, Steps seen) {
    if (isBusy())
        return; // an export in progress continues with its own run
    if (dir != m_run)
        m_targetChosen = false;
    m_run = dir;
    m_name = name.isEmpty() ? QFileInfo(dir).fileName() : name;
    m_seen = seen;
    proposeTarget();
    forgetResult();
    updateState();
    m_format->setFocus(Qt::OtherFocusReason);
}

void ExportPanel::setTarget(const QString& path) {
    m_target->setText(path);
    m_targetChosen = true;
    updateState();
}

void ExportPanel::proposeTarget() {
    if (m_targetChosen || m_run.isEmpty())
        return;
    static const char* const kEnds[] = {"-csv", "-tensorboard", "-timeline.json", ".html", ".png"};
    const QDir home(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation));
    const QDir dir = home.exists() ? home : QDir::home();
    m_target->setText(dir.filePath(QFileInfo(m_run).fileName() + QLatin1String(kEnds[format()])));
}

void ExportPanel::browse() {
    auto* dialog = new QFileDialog(this, tr("Export to"), QFileInfo(m_target->text()).absolutePath());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    if (isFolder()) {
        dialog->setAcceptMode(QFileDialog::AcceptOpen);
        dialog->setFileMode(QFileDialog::Directory);
    } else {
        dialog->selectFile(QFileInfo(m_target->text()).fileName());
    }
    connect(dialog, &QFileDialog::fileSelected, this, &ExportPanel::setTarget);
    dialog->open();
}

void ExportPanel::begin() {
    const QString target = QDir::cleanPath(m_target->text().trimmed());
    const QFileInfo info(target);
    if (m_run.isEmpty() || m_target->text().trimmed().isEmpty() || isBusy())
        return;
    if (!info.absoluteDir().exists())
        return showStatus(
            tr("The folder %1 does not exist. Choose another one, or create it first.").arg(info.absolutePath()), true);
    if (!isFolder() && info.isDir())
        return showStatus(tr("%1 is a folder. Enter the name of a file in it.").arg(target), true);
    if (format() == Plots) {
        const QString problem = m_plots(target);
        m_result = problem.isEmpty() ? target : QString();
        showStatus(problem.isEmpty() ? tr("Written: %1").arg(target) : problem, !problem.isEmpty());
        return retranslate();
    }
    static const char* const kNames[] = {"csv", "tensorboard", "chrome-trace", "html"};
    const QString draft = draftBeside(target);
    QStringList arguments{QStringLiteral("export"),   m_run,
                          QStringLiteral("--format"), QLatin1String(kNames[format()]),
                          QStringLiteral("--output"), draft};
    if (m_range->currentIndex() == 1 && m_seen && format() != Html)
        arguments << QStringLiteral("--from-step") << QString::number(m_seen->first) << QStringLiteral("--to-step")
                  << QString::number(m_seen->second);
    startTask(arguments, draft, target);
}

void ExportPanel::finished(const QByteArray&, const QString& remarks) {
    m_result = QDir::cleanPath(m_target->text().trimmed());
    // warn about a damaged store; notes on the number of points are not warnings
    const bool warns = remarks.contains(QLatin1String("damaged")) || remarks.contains(QLatin1String("newer Rankscope"));
    showStatus(tr("Written: %1").arg(m_result) + (warns ? QStringLiteral("\n") + remarks : QString()));
}

void ExportPanel::retranslate() {
    ExchangePanel::retranslate();
    setWindowTitle(m_name.isEmpty() ? tr("Export run") : tr("Export %1").arg(m_name));
    m_begin->setText(tr("Export"));
    setLabels({tr("Format"), tr("Range"), tr("Write to")});
    m_format->setItemText(Csv, tr("CSV tables (folder), for spreadsheets and scripts"));
    m_format->setItemText(TensorBoard, tr("Event files (folder), for TensorBoard"));
    m_format->setItemText(Trace, tr("Chrome trace, for the timeline in Perfetto"));
    m_format->setItemText(Html, tr("HTML report, to read or to send"));
    m_format->setItemText(Plots, tr("Current plots (PNG, SVG or PDF), for slides and papers"));
    m_range->setItemText(0, tr("Whole run"));
    m_range->setItemText(
        1, m_seen ? tr("Visible steps (%1 to %2)").arg(countText(m_seen->first), countText(m_seen->second))
                  : tr("Visible steps"));
    m_browse->setText(tr("Choose…"));
}

void ExportPanel::updateState() {
    const bool free = !isBusy();
    const bool ranged = format() != Html && format() != Plots;
    m_range->setEnabled(free && ranged && m_seen.has_value());
    m_range->setToolTip(ranged ? QString() : tr("A report always covers the whole run; plots are saved as shown"));
    m_format->setEnabled(free);
    m_target->setEnabled(free);
    m_browse->setEnabled(free);
    m_begin->setEnabled(free && !m_run.isEmpty() && !m_target->text().trimmed().isEmpty());
    static const char* const kHints[] = {
        QT_TR_NOOP("steps.csv, collectives.csv, phases.csv, waits.csv and more; values as stored, times in ns."),
        QT_TR_NOOP("One folder per rank; view them with tensorboard --logdir FOLDER."),
        QT_TR_NOOP("Phases, collectives and who waited for whom. Open it at https://ui.perfetto.dev."),
        QT_TR_NOOP("Figures, curves, incidents and settings in one self-contained page."),
        QT_TR_NOOP("The plots of the Review page, in the range shown there, as a .png, .svg or .pdf file."),
    };
    m_hint->setText(tr(kHints[format()]));
}

} // namespace rankscope::ui
