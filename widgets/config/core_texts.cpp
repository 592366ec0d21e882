// SPDX-License-Identifier: GPL-3.0-or-later
// The core speaks English and knows no translator. Its sentences come back here: each template below is matched against
// the whole text, and what stands at %1, %2 … goes into the translation. A sentence that is not listed stays English.
#include "widgets/config/decisive.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>

#include <vector>

namespace rankscope::ui {

namespace {

// the more specific first
constexpr const char* kTemplates[] = {
    // risks
    QT_TRANSLATE_NOOP("core", "no length all-reduce: each rank pads its position table to its own longest batch"),
    QT_TRANSLATE_NOOP("core", "adds one blocking all-reduce before every encoder forward, also in validation: the rank "
                              "whose batch comes last holds all others"),
    QT_TRANSLATE_NOOP("core",
                      "adds one all-reduce before every encoder forward, also in validation; a rank that waits longer "
                      "than rankscope.length_sync.timeout_s goes on with its own longest batch"),
    QT_TRANSLATE_NOOP("core", "no effect: model.encoder.sync_max_audio_length is false"),
    QT_TRANSLATE_NOOP("core", "little effect with SyncBN: the encoder's first layer waits for the late rank too"),
    QT_TRANSLATE_NOOP("core", "a late rank holds the others this long in the length sync, and then only in their next "
                              "collective"),
    QT_TRANSLATE_NOOP("core", "all ranks meet before every encoder forward: the rank whose batch comes last holds all "
                              "others"),
    QT_TRANSLATE_NOOP("core",
                      "each rank normalises with the statistics of its own batch; running averages are rank 0's"),
    QT_TRANSLATE_NOOP("core", "no effect: conv_norm_type is layer_norm, the encoder has no batch norm"),
    QT_TRANSLATE_NOOP("core", "no effect with one rank"),
    QT_TRANSLATE_NOOP("core", "%1 gathers in forward and %2 reduces in backward per step (one per layer): every layer "
                              "waits for the slowest rank"),
    QT_TRANSLATE_NOOP("core", "trainer.sync_batchnorm has no effect: layer norm has no batch statistics"),
    QT_TRANSLATE_NOOP("core", "several devices become ddp by themselves; say ddp to see it in the file"),
    QT_TRANSLATE_NOOP("core", "walks the whole graph each step and adds one all-reduce of a bit per parameter"),
    QT_TRANSLATE_NOOP("core",
                      "gradients are all-reduced in buckets during backward: each bucket waits for the slowest rank"),
    QT_TRANSLATE_NOOP("core", "takes every GPU that is there: the global batch size depends on the machine (without a "
                              "GPU: one rank)"),
    QT_TRANSLATE_NOOP("core", "the last batch of an epoch may be smaller or missing on some ranks: uneven batches end "
                              "in a stall"),
    QT_TRANSLATE_NOOP("core", "batches are read in the training thread: every slow file holds all ranks"),
    QT_TRANSLATE_NOOP("core", "validation batches are read in the training thread"),
    QT_TRANSLATE_NOOP("core", "gradients are exchanged every %1 batches; length sync and SyncBN still run in each"),
    QT_TRANSLATE_NOOP("core", "no limit: one long recording holds all ranks for a step"),
    QT_TRANSLATE_NOOP("core", "lengths up to %1 s: ranks with short batches wait for the long one"),
    QT_TRANSLATE_NOOP("core", "clips shorter than one masked block give batches without a masked frame (no loss)"),
    QT_TRANSLATE_NOOP("core", "the manifest's order: sorted lengths give one rank the long ones"),
    QT_TRANSLATE_NOOP("core", "every rank reads the same batches: N times the same step"),
    QT_TRANSLATE_NOOP("core", "collectives cross the network between hosts"),
    QT_TRANSLATE_NOOP("core", "ranks draw different layers to drop: with SyncBN their collectives no longer match"),
    QT_TRANSLATE_NOOP("core", "shards of unequal size: a rank with fewer utterances sees some of them twice an epoch"),
    QT_TRANSLATE_NOOP("core", "very small buckets: many all-reduces, each with its own start-up time"),
    QT_TRANSLATE_NOOP("core", "very large buckets: little of the exchange overlaps with backward"),
    QT_TRANSLATE_NOOP("core", "rank 0's running averages are broadcast before each forward"),
    QT_TRANSLATE_NOOP("core", "a checkpoint or validation longer than this ends the run"),
    QT_TRANSLATE_NOOP("core", "deliberate: this run is disturbed on purpose"),
    QT_TRANSLATE_NOOP("core", "ranks skip a step together when one overflows"),
    // problems
    QT_TRANSLATE_NOOP("core", "unknown key %1; did you mean %2"),
    QT_TRANSLATE_NOOP("core", "unknown key %1"),
    QT_TRANSLATE_NOOP("core", "%1 is a key of your own: kept, and open to interpolation"),
    QT_TRANSLATE_NOOP("core", "%1 is not a section that NeMo reads; did you mean %2"),
    QT_TRANSLATE_NOOP("core", "%1 is absent; %2 requires it"),
    QT_TRANSLATE_NOOP("core", "%1 is a section, not %2"),
    QT_TRANSLATE_NOOP("core", "%1 is %2: not supported by the trainer yet; it takes %3"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must be one of %3; did you mean %4"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must be one of %3"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must be at least %3"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must be above %3"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must be at most %3"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must be below %3"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must equal %3, which is %4"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must divide %3, which is %4"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must not be above %3, which is %4"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must be odd"),
    QT_TRANSLATE_NOOP("core", "%1 must be %2, not %3"),
    QT_TRANSLATE_NOOP("core", "%1 is ???: %2"),
};

struct Template {
    const char* english;
    QRegularExpression pattern;
};

std::vector<Template> compile() {
    static const QRegularExpression slot(QStringLiteral("%\\d"));
    std::vector<Template> all;
    for (const char* english : kTemplates) {
        QStringList fixed;
        for (const QString& part : QString::fromLatin1(english).split(slot))
            fixed << QRegularExpression::escape(part);
        all.push_back(
            {english, QRegularExpression(QRegularExpression::anchoredPattern(fixed.join(QStringLiteral("(.+?)"))))});
    }
    return all;
}

} // namespace

QString coreText(const std::string& english) {
    const QString text = QString::fromStdString(english);
    if (text.isEmpty() || QLocale().language() == QLocale::English)
        return text;
    static const std::vector<Template> templates = compile();
    for (const Template& one : templates) {
        const auto match = one.pattern.match(text);
        if (!match.hasMatch())
            continue;
        QString translated = QCoreApplication::translate("core", one.english);
        // not arg(): a value may itself hold a "%1"
        for (int i = match.lastCapturedIndex(); i > 0; --i)
            translated.replace(QStringLiteral("%%1").arg(i), match.captured(i));
        return translated;
    }
    return text;
}

} // namespace rankscope::ui
