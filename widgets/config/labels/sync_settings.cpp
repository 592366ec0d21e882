// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/labels/sync_settings.h"

#include <QCoreApplication>

namespace rankscope::ui {

namespace {
struct SyncLabels {
    Q_DECLARE_TR_FUNCTIONS(Decisive)
};
} // namespace

std::array<DecisiveSetting, 3> decisiveSettings() {
    const QStringList onOff{QStringLiteral("true"), QStringLiteral("false")};
    return {DecisiveSetting{"model.encoder.sync_max_audio_length", SyncLabels::tr("Length sync"), onOff},
            DecisiveSetting{
                "trainer.strategy",
                SyncLabels::tr("Strategy"),
                {QStringLiteral("auto"), QStringLiteral("ddp"), QStringLiteral("ddp_find_unused_parameters_true")}},
            DecisiveSetting{"trainer.sync_batchnorm", SyncLabels::tr("Batch norm sync"), onOff}};
}

static QString effectOfStrategy(const QString& value) {
    if (value == QLatin1String("ddp_find_unused_parameters_true"))
        return SyncLabels::tr(
            "Gradients are averaged in buckets during backward. Before it, every step searches the graph for "
            "unused parameters and adds one small all-reduce.");
    if (value.startsWith(QLatin1String("ddp")))
        return SyncLabels::tr(
            "Gradients are averaged in buckets during backward: every rank waits in each bucket for the "
            "last one.");
    if (value == QLatin1String("auto"))
        return SyncLabels::tr(
            "One device: nothing is shared. Several: as ddp, so every rank waits in each gradient bucket "
            "for the last one.");
    return SyncLabels::tr("How gradients are exchanged between ranks is up to this strategy.");
}

QString effectOnRanks(const QString& key, const QString& effective) {
    const bool on = effective.compare(QLatin1String("true"), Qt::CaseInsensitive) == 0;
    if (key.endsWith(QLatin1String("sync_max_audio_length")))
        return on ? SyncLabels::tr(
                        "One blocking all-reduce before every encoder forward: all ranks wait there for the last "
                        "batch to arrive.")
                  : SyncLabels::tr(
                        "No all-reduce before the encoder: each rank sizes its position table by its own batch.");
    if (key.endsWith(QLatin1String("sync_batchnorm")))
        return on ? SyncLabels::tr(
                        "Each batch-norm layer gathers statistics of all ranks in forward and reduces in backward: "
                        "two collectives per layer and step.")
                  : SyncLabels::tr("Each rank normalises by its own batch; batch norm adds no collective.");
    return effectOfStrategy(effective);
}

} // namespace rankscope::ui
