// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/exchange/export_process.h"

#include "core/base/files/atomic_file.h"
#include "core/base/files/paths.h"
#include "widgets/models/text/text_format.h"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QRandomGenerator>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace rankscope::ui {

namespace {
constexpr int kPollMs = 300;
constexpr int kGraceMs = 2000; ///< from the request to end until the process is killed
} // namespace

QString draftBeside(const QString& target) {
    const QFileInfo info(target);
    return info.absoluteDir().filePath(
        QStringLiteral(".%1.part-%2")
            .arg(info.fileName(), QString::number(QRandomGenerator::global()->generate(), 16)));
}

ExportProcess::ExportProcess(QObject* parent) : QObject(parent) {
    m_kill.setSingleShot(true);
    connect(&m_kill, &QTimer::timeout, this, [this] {
        if (m_process)
            m_process->kill();
    });
    connect(&m_poll, &QTimer::timeout, this, [this] {
        const QFileInfo info(m_draft);
        qint64 bytes = info.isFile() ? info.size() : 0;
        int files = 0;
        for (QDirIterator it(m_draft, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
             info.isDir() && it.hasNext() && files < 10'000; ++files)
            bytes += QFileInfo(it.next()).size();
        emit progress(bytes, m_since.elapsed());
    });
}

ExportProcess::~ExportProcess() {
    if (!m_process)
        return;
    m_process->disconnect(this);
    m_process->kill();
    m_process->waitForFinished(kGraceMs); // when the window closes
    removeDraft();
}

void ExportProcess::start(const QStringList& arguments, const QString& draft, const QString& target) {
    m_draft = draft;
    m_target = target;
    m_calledOff = false;
    const auto program = findProgram("rankscopectl");
    if (!program) {
        const QString error = QString::fromStdString(program.error().message());
        QTimer::singleShot(0, this, [this, error] { emit done({}, {}, error, false); });
        return;
    }
    m_process = new QProcess(this);
    m_process->setProgram(QString::fromStdString(program->string()));
    m_process->setArguments(arguments);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("LC_ALL"), currentLanguage() == Language::Chinese ? QStringLiteral("zh_CN.UTF-8")
                                                                                        : QStringLiteral("C.UTF-8"));
    m_process->setProcessEnvironment(environment);
    m_process->setStandardInputFile(QProcess::nullDevice());
    connect(m_process, &QProcess::finished, this, &ExportProcess::finished);
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            end({}, {}, tr("%1 did not start: %2").arg(m_process->program(), m_process->errorString()));
    });
    m_since.start();
    m_poll.start(kPollMs);
    m_process->start();
}

void ExportProcess::cancel() {
    if (!m_process || m_calledOff)
        return;
    m_calledOff = true;
    m_process->terminate();
    m_kill.start(kGraceMs);
}

void ExportProcess::finished(int code, QProcess::ExitStatus status) {
    const QByteArray output = m_process->readAllStandardOutput();
    QString said = QString::fromUtf8(m_process->readAllStandardError()).trimmed();
    if (said.startsWith(QLatin1String("rankscopectl: ")))
        said.remove(0, 14);
    if (m_calledOff)
        return end({}, {}, {});
    if (status == QProcess::CrashExit)
        return end({}, {}, tr("rankscopectl was killed or crashed"));
    if (code != 0)
        return end({}, {}, said.isEmpty() ? tr("rankscopectl exited with code %1 and gave no reason").arg(code) : said);
    const QString problem = m_target.isEmpty() ? QString() : putInPlace();
    end(output, said, problem);
}

void ExportProcess::end(const QByteArray& output, const QString& remarks, const QString& error) {
    m_poll.stop();
    m_kill.stop();
    m_process->disconnect(this);
    std::exchange(m_process, nullptr)->deleteLater();
    if (m_calledOff || !error.isEmpty())
        removeDraft();
    emit done(output, remarks, error, m_calledOff);
}

static QString movedTo(const QString& from, const QString& to) {
    if (isSpecialFile(to.toStdString())) // the rename would replace a pipe or device
        return ExportProcess::tr("%1 is not a regular file: nothing was written").arg(to);
    if (std::rename(QFile::encodeName(from).constData(), QFile::encodeName(to).constData()) == 0)
        return {};
    return ExportProcess::tr("%1 cannot be written: %2").arg(to, QString::fromLocal8Bit(std::strerror(errno)));
}

/// Moves the draft to its target. An existing folder keeps the files that were not written again.
QString ExportProcess::putInPlace() const {
    if (!QFileInfo(m_draft).isDir() || !QFileInfo::exists(m_target))
        return movedTo(m_draft, m_target);
    if (!QFileInfo(m_target).isDir())
        return tr("%1 is a file; choose a folder").arg(m_target);
    const QDir draft(m_draft), target(m_target);
    for (QDirIterator it(m_draft, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories); it.hasNext();) {
        const QString file = it.next(), relative = draft.relativeFilePath(file);
        if (!target.mkpath(QFileInfo(relative).path()))
            return tr("%1 cannot be created").arg(target.filePath(QFileInfo(relative).path()));
        if (QString problem = movedTo(file, target.filePath(relative)); !problem.isEmpty())
            return problem;
    }
    removeDraft();
    return {};
}

void ExportProcess::removeDraft() const {
    if (QFileInfo(m_draft).isDir())
        QDir(m_draft).removeRecursively();
    else
        QFile::remove(m_draft);
}

} // namespace rankscope::ui
