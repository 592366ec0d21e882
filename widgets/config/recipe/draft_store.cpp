// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/recipe/draft_store.h"

#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/process/process_identity.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLoggingCategory>

#include <unistd.h>

#include <algorithm>

namespace rankscope::ui {

static constexpr int kMostRanks = 4096;
static constexpr std::size_t kLargest = 34u << 20; // the largest recipe twice, and the header line

QString DraftStore::hashOf(const std::string& text) {
    const QByteArrayView bytes(text.data(), static_cast<qsizetype>(text.size()));
    return QString::fromLatin1(QCryptographicHash::hash(bytes, QCryptographicHash::Sha1).toHex());
}

QString stateFolder(const QString& name) {
    const QString set = qEnvironmentVariable("XDG_STATE_HOME");
    const QString base = set.startsWith(QLatin1Char('/')) ? set : QDir::homePath() + QStringLiteral("/.local/state");
    return QStringLiteral("%1/rankscope/%2").arg(base, name);
}

static QString stem(const QString& path, const QString& title) {
    return DraftStore::hashOf((path.isEmpty() ? QStringLiteral("untitled ") + title : path).toStdString()).left(24);
}

static quint64 startTicks() {
    static const auto mine = processStat(::getpid());
    return mine ? mine->startTicks : 0;
}

DraftStore::DraftStore(const QString& dir) : m_dir(dir) {
    m_writer.setMaxThreadCount(1);
}

DraftStore::~DraftStore() {
    flush();
}

void DraftStore::flush() {
    m_writer.waitForDone();
}

QString DraftStore::own(const QString& path, const QString& title) const {
    return QStringLiteral("%1/%2-%3.draft").arg(m_dir, stem(path, title)).arg(::getpid());
}

void DraftStore::keep(const Draft& draft) {
    QJsonObject head{{QStringLiteral("path"), draft.path},
                     {QStringLiteral("title"), draft.title},
                     {QStringLiteral("origin"), draft.origin},
                     {QStringLiteral("base"), draft.baseHash},
                     {QStringLiteral("when"), draft.when.toUTC().toString(Qt::ISODateWithMs)},
                     {QStringLiteral("pid"), static_cast<qint64>(::getpid())},
                     {QStringLiteral("ticks"), QString::number(startTicks())}};
    if (draft.base)
        head.insert(QStringLiteral("text_bytes"), static_cast<qint64>(draft.text.size()));
    if (draft.launch)
        head.insert(QStringLiteral("launch"),
                    QJsonObject{{QStringLiteral("repeats"), draft.launch->repeats},
                                {QStringLiteral("overrides"), QJsonArray::fromStringList(draft.launch->overrides)},
                                {QStringLiteral("ranks"), draft.launch->ranks},
                                {QStringLiteral("runs"), draft.launch->runsDir},
                                {QStringLiteral("machine"), draft.launch->machine}});
    std::string bytes = QJsonDocument(head).toJson(QJsonDocument::Compact).toStdString() + "\n" + draft.text +
                        draft.base.value_or(std::string());
    m_writer.start(
        [dir = m_dir.toStdString(), file = own(draft.path, draft.title).toStdString(), bytes = std::move(bytes)] {
            auto done = makePrivateDirs(dir);
            if (done)
                done = writeFileAtomic(file, bytes, 0600);
            if (!done) // the recipe is unharmed, and saving it will report a full disk
                qWarning("rankscope: unsaved edits could not be saved: %s", done.error().message().c_str());
        });
}

void DraftStore::drop(const QString& path, const QString& title) {
    m_writer.start([file = own(path, title)] { QFile::remove(file); });
}

namespace {

struct FoundDraft {
    Draft draft;
    qint64 pid = 0;
    quint64 ticks = 0;
};

std::optional<FoundDraft> readDraft(const QString& file) {
    const auto bytes = readFile(file.toStdString(), kLargest);
    const auto end = bytes ? bytes->find('\n') : std::string::npos;
    if (end == std::string::npos)
        return std::nullopt;
    const QJsonObject head = QJsonDocument::fromJson(QByteArray(bytes->data(), static_cast<qsizetype>(end))).object();
    FoundDraft found;
    found.draft.path = head.value(QStringLiteral("path")).toString();
    found.draft.title = head.value(QStringLiteral("title")).toString();
    found.draft.origin = head.value(QStringLiteral("origin")).toString();
    found.draft.baseHash = head.value(QStringLiteral("base")).toString();
    found.draft.when = QDateTime::fromString(head.value(QStringLiteral("when")).toString(), Qt::ISODateWithMs);
    found.draft.text = bytes->substr(end + 1);
    if (const QJsonValue size = head.value(QStringLiteral("text_bytes")); !size.isUndefined()) {
        const qint64 text = size.toInteger(-1);
        if (text < 0 || static_cast<std::size_t>(text) > found.draft.text.size())
            return std::nullopt;
        found.draft.base = found.draft.text.substr(static_cast<std::size_t>(text));
        found.draft.text.resize(static_cast<std::size_t>(text));
    }
    if (const QJsonValue launch = head.value(QStringLiteral("launch")); launch.isObject()) {
        LaunchFields fields{.repeats = launch[QStringLiteral("repeats")].toString(),
                            .runsDir = launch[QStringLiteral("runs")].toString(),
                            .machine = launch[QStringLiteral("machine")].toString()};
        const QJsonArray overrides = launch[QStringLiteral("overrides")].toArray();
        for (const auto& one : overrides)
            fields.overrides << one.toString();
        fields.ranks = std::clamp(launch[QStringLiteral("ranks")].toInt(), 0, kMostRanks);
        found.draft.launch = fields;
    }
    found.pid = head.value(QStringLiteral("pid")).toInteger();
    found.ticks = head.value(QStringLiteral("ticks")).toString().toULongLong();
    return head.isEmpty() || !found.draft.when.isValid() ? std::nullopt : std::optional(found);
}

} // namespace

std::optional<Draft> DraftStore::newest(const QString& pattern, bool untitledOnly) {
    flush();
    std::optional<FoundDraft> best;
    QString bestFile;
    for (const QFileInfo& file : QDir(m_dir).entryInfoList({pattern}, QDir::Files)) {
        auto found = readDraft(file.filePath());
        if (!found || (untitledOnly && !found->draft.path.isEmpty()))
            continue;
        const bool mine = found->pid == ::getpid() && found->ticks == startTicks();
        if (!mine && isSameProcess(static_cast<pid_t>(found->pid), found->ticks))
            continue; // another window has it open
        if (best && best->draft.when >= found->draft.when)
            continue;
        best = std::move(found);
        bestFile = file.filePath();
    }
    if (!best)
        return std::nullopt;
    // kept as this window's draft first, so that there is always one on disk
    keep(best->draft);
    if (bestFile != own(best->draft.path, best->draft.title))
        m_writer.start([bestFile] { QFile::remove(bestFile); });
    return best->draft;
}

std::optional<Draft> DraftStore::take(const QString& path, const QString& title) {
    return newest(stem(path, title) + QStringLiteral("-*.draft"), false);
}

std::optional<Draft> DraftStore::takeUntitled() {
    return newest(QStringLiteral("*.draft"), true);
}

} // namespace rankscope::ui
