// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/text/store_health_text.h"

#include "core/base/text/unit_format.h"
#include "core/store/tables/schema.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

namespace rankscope::ui {

namespace {

struct StoreWords {
    Q_DECLARE_TR_FUNCTIONS(StoreWords)
};

/// Returns the name by which a user knows a table.
QString tableText(const std::string& table) {
    static constexpr std::pair<std::string_view, const char*> kTexts[] = {
        {"rank", QT_TRANSLATE_NOOP("StoreWords", "the ranks' figures")},
        {"step", QT_TRANSLATE_NOOP("StoreWords", "the curves")},
        {"pyramid", QT_TRANSLATE_NOOP("StoreWords", "the curves")},
        {"incident", QT_TRANSLATE_NOOP("StoreWords", "the incidents")},
        {"stack", QT_TRANSLATE_NOOP("StoreWords", "the incidents")},
        {"note", QT_TRANSLATE_NOOP("StoreWords", "the messages")},
        {"validation", QT_TRANSLATE_NOOP("StoreWords", "the validations")},
        {"rank_check", QT_TRANSLATE_NOOP("StoreWords", "the checks")},
        {"wait_pair", QT_TRANSLATE_NOOP("StoreWords", "the individual waits and phases")},
        {"collective", QT_TRANSLATE_NOOP("StoreWords", "the individual waits and phases")},
        {"phase", QT_TRANSLATE_NOOP("StoreWords", "the individual waits and phases")},
        {"tag", QT_TRANSLATE_NOOP("StoreWords", "the individual waits and phases")},
        {store::kElsewhere, QT_TRANSLATE_NOOP("StoreWords", "parts that are not shown")},
    };
    for (const auto& [name, text] : kTexts)
        if (table == name)
            return StoreWords::tr(text);
    return StoreWords::tr("table %1").arg(toQString(table));
}

QStringList missingParts(const store::StoreCondition& condition) {
    QStringList parts;
    for (const auto& [table, why] : condition.tables)
        if (const QString text = tableText(table); !parts.contains(text))
            parts << text;
    return parts;
}

} // namespace

QString storeConditionText(const store::StoreCondition& condition, const std::filesystem::path& file) {
    using Log = store::StoreCondition::Log;
    QStringList sentences;
    if (condition.newerSchema > 0)
        sentences << StoreWords::tr("This run was written by a newer Rankscope (schema %1; this one knows %2). You see "
                                    "what this version understands.")
                         .arg(condition.newerSchema)
                         .arg(store::kSchemaVersion);
    if (condition.damaged())
        sentences << StoreWords::tr("%1 is damaged.").arg(toQString(file.string()));
    if (condition.missingPages > 0)
        sentences << StoreWords::tr("It was cut off: %1 of its %2 pages are missing.")
                         .arg(countText(condition.missingPages), countText(condition.pages));
    if (condition.log == Log::Missing)
        sentences << StoreWords::tr("Its log run.sqlite-wal is missing, and with it the newest measurements.");
    if (condition.log == Log::Torn)
        sentences << StoreWords::tr("Its log run.sqlite-wal is damaged; the newest measurements cannot be read.");
    if (!condition.tables.empty())
        sentences
            << StoreWords::tr("Only partly readable: %1.").arg(missingParts(condition).join(StoreWords::tr(", ")));
    if (condition.damaged())
        sentences << StoreWords::tr("You see what can be read; nothing was changed. To recover more, copy the run's "
                                    "folder and run this in the copy: %1")
                         .arg(toQString(store::repairCommand(file)));
    return sentences.join(QLatin1Char(' '));
}

/// Describes a full disk briefly, because the system's message is long.
static QString troubleText(const launch::StoreLag& lag) {
    constexpr std::int64_t kFullBytes = 1'000'000;
    if (lag.freeBytes >= 0 && lag.freeBytes < kFullBytes)
        return StoreWords::tr("the disk with the runs folder is full (%1 free)")
            .arg(toQString(formatBytes(lag.freeBytes)));
    const std::string trouble = lag.trouble.text(currentLanguage());
    const std::string_view why = trouble; // without the folder, which the window names elsewhere
    const auto slash = why.substr(0, why.find(": ")).rfind('/');
    return toQString(slash == std::string_view::npos ? why : why.substr(slash + 1));
}

QString storeErrorText(const QString& message) {
    static const QRegularExpression parts(QRegularExpression::anchoredPattern(QStringLiteral(
        "(.+run\\.sqlite): (?:(is damaged so that nothing in it can be read)|(holds only zeros)|(is not a "
        "store of Rankscope: it is (?:a text|no SQLite file))).*")));
    const auto match = parts.match(message);
    if (!match.hasMatch())
        return message;
    const QString file = match.captured(1);
    if (!match.captured(2).isEmpty())
        return StoreWords::tr("%1 is damaged: nothing in it can be read.").arg(file);
    if (!match.captured(3).isEmpty())
        return StoreWords::tr(
                   "%1 contains only zeros: it was damaged by the disk, or by a power cut. Nothing can be read.")
            .arg(file);
    return StoreWords::tr("%1 is not a store of Rankscope, or its beginning is damaged.").arg(file);
}

QString storeLagText(const launch::StoreLag& lag, const launch::RunInfo& info) {
    using Reason = launch::StoreLag::Reason;
    const std::int64_t at = info.startRealtimeNs + (lag.sinceNs - info.startNs);
    const QString since = lag.sinceNs > 0 ? StoreWords::tr("Recording stopped at %1").arg(clockText(at))
                                          : StoreWords::tr("Recording lags behind the ranks");
    switch (lag.reason) {
    case Reason::SupervisorStopped:
        return StoreWords::tr("%1: the run's supervisor is suspended (SIGSTOP or Ctrl-Z). The ranks keep training; "
                              "what they measure is stored once the supervisor is resumed.")
            .arg(since);
    case Reason::CannotWrite:
        return StoreWords::tr("%1: %2. The ranks keep training, and keep what they measure in their journals.")
            .arg(since, troubleText(lag));
    case Reason::Silent:
        break;
    }
    return StoreWords::tr("%1: the run's supervisor is alive but has stored nothing since. The ranks keep training.")
        .arg(since);
}

QString notCurrentText(const NotCurrentFacts& facts) {
    const QString what = facts.inJournals ? StoreWords::tr("The ranks' last measurements are only in their journals.")
                                          : StoreWords::tr("How this run ended could not be recorded.");
    if (!facts.inTheWay.isEmpty())
        return StoreWords::tr("%1 Move %2 out of the run's folder and open the run again to read in the journals.")
            .arg(what, facts.inTheWay);
    if (facts.reason == QLatin1String("store"))
        return {};
    if (facts.reason == QLatin1String("no_space"))
        return StoreWords::tr("%1 The disk is full; the run is updated once there is space.").arg(what);
    if (facts.reason == QLatin1String("not_writable"))
        return StoreWords::tr(
                   "%1 The folder is not writable (%2). Copy it to a place where you can write, and open the copy.")
            .arg(what, facts.why);
    return StoreWords::tr("%1 It could not be updated: %2").arg(what, facts.why);
}

} // namespace rankscope::ui
