// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/launch/plan_text.h"

#include "core/base/text/unit_format.h"
#include "core/plan/cost/training_flops.h"
#include "widgets/config/labels/core_texts.h"
#include "widgets/config/launch/speed_measurement.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QLocale>

#include <cmath>

namespace rankscope::ui {

namespace {

struct PlanLabels {
    Q_DECLARE_TR_FUNCTIONS(Plan)
};

using LineKind = PlanLine::Kind;

QString scaled(double value, double unit, const char* const* names, int count) {
    int i = 0;
    while (i + 1 < count && std::abs(value) >= unit) {
        value /= unit;
        ++i;
    }
    const int decimals = i == 0 ? 0 : std::abs(value) < 10 ? 2 : std::abs(value) < 100 ? 1 : 0;
    return QStringLiteral("%1 %2").arg(QString::number(value, 'f', decimals), QLatin1String(names[i])).trimmed();
}

QString percent(double share) {
    return QStringLiteral("%1 %").arg(QString::number(100 * share, 'f', share < 0.1 ? 1 : 0));
}

class PlanLines {
public:
    explicit PlanLines(const DryRun& run)
        : m_plan(run.plan()), m_start(run.startLines()), m_canMeasure(run.canMeasure()),
          m_measuringFailed(run.measurement()->problem()) {}

    QList<PlanLine> all() {
        processes();
        model();
        data(QStringLiteral("train"), PlanLabels::tr("Training data"));
        steps();
        data(QStringLiteral("validation"), PlanLabels::tr("Validation data"));
        memory();
        disk();
        speed();
        collectives();
        for (const auto& warning : m_plan.value(QStringLiteral("warnings")).toArray())
            m_lines << PlanLine{LineKind::Problem, {}, coreText(warning.toString().toStdString()), {}};
        start();
        return m_lines;
    }

private:
    void section(const QString& title) { m_lines << PlanLine{LineKind::Section, title, {}, {}}; }
    void value(const QString& label, const QString& text, const QString& detail = {}) {
        m_lines << PlanLine{LineKind::Value, label, text, detail};
    }
    QJsonObject part(const char* name) const { return m_plan.value(QLatin1String(name)).toObject(); }
    static qint64 whole(const QJsonObject& of, const char* name) { return of.value(QLatin1String(name)).toInteger(); }
    static double real(const QJsonObject& of, const char* name) { return of.value(QLatin1String(name)).toDouble(); }

    void processes() {
        section(PlanLabels::tr("Processes"));
        QStringList devices, environment;
        for (const auto& one : m_plan.value(QStringLiteral("processes")).toArray()) {
            const QJsonObject process = one.toObject();
            devices << process.value(QStringLiteral("device")).toString();
            QStringList variables;
            const QJsonObject set = process.value(QStringLiteral("environment")).toObject();
            for (auto it = set.begin(); it != set.end(); ++it)
                variables << it.key() + QLatin1Char('=') + it.value().toString();
            environment << PlanLabels::tr("rank %1: %2")
                               .arg(process.value(QStringLiteral("rank")).toInt())
                               .arg(variables.join(QLatin1Char(' ')));
        }
        const auto count = static_cast<int>(devices.size());
        devices.removeDuplicates();
        value(PlanLabels::tr("Ranks"),
              PlanLabels::tr("%n process(es)", nullptr, count) + QStringLiteral(" · ") +
                  devices.join(QStringLiteral(", ")),
              environment.join(QLatin1Char('\n')));
        if (const QString machine = m_plan.value(QStringLiteral("machine")).toString(); !machine.isEmpty())
            value(PlanLabels::tr("Machine"), machine);
        if (const int nodes = m_plan.value(QStringLiteral("nodes")).toInt(1); nodes > 1)
            value(PlanLabels::tr("Nodes"), QString::number(nodes));
    }

    void model() {
        const QJsonObject model = part("model");
        section(PlanLabels::tr("Model"));
        if (const QString problem = model.value(QStringLiteral("problem")).toString(); !problem.isEmpty())
            m_lines << PlanLine{LineKind::Problem, {}, coreText(problem.toStdString()), {}};
        const qint64 trainable = whole(model, "trainable");
        value(PlanLabels::tr("Parameters"), countShort(trainable),
              PlanLabels::tr("%1 trainable, %2 frozen, %3 numbers in buffers")
                  .arg(QLocale().toString(trainable), QLocale().toString(whole(model, "frozen")),
                       QLocale().toString(whole(model, "buffers"))));
    }

    void data(const QString& name, const QString& title) {
        const QJsonObject data = m_plan.value(name).toObject();
        if (data.isEmpty())
            return;
        section(title);
        if (const QString problem = data.value(QStringLiteral("problem")).toString(); !problem.isEmpty()) {
            m_lines << PlanLine{LineKind::Problem, {}, coreText(problem.toStdString()), {}};
            return;
        }
        const QJsonObject manifest = data.value(QStringLiteral("manifest")).toObject();
        value(PlanLabels::tr("Utterances"),
              PlanLabels::tr("%1 of %2")
                      .arg(QLocale().toString(whole(manifest, "used")), QLocale().toString(whole(manifest, "lines"))) +
                  QStringLiteral(" · ") + secondsText(real(manifest, "seconds")),
              PlanLabels::tr(
                  "too short: %1, too long: %2, unreadable: %3\nshortest %4, median %5, 95 % up to %6, longest %7")
                  .arg(whole(manifest, "too_short"))
                  .arg(whole(manifest, "too_long"))
                  .arg(whole(manifest, "bad"))
                  .arg(secondsText(real(manifest, "shortest_s")), secondsText(real(manifest, "median_s")),
                       secondsText(real(manifest, "p95_s")), secondsText(real(manifest, "longest_s"))));
        QStringList shares;
        for (const auto& one : data.value(QStringLiteral("ranks")).toArray()) {
            const QJsonObject rank = one.toObject();
            shares << PlanLabels::tr("rank %1: %2 batches, %3 of speech, %4 with padding, waits for %5")
                          .arg(whole(rank, "rank"))
                          .arg(whole(rank, "batches"))
                          .arg(secondsText(real(rank, "speech_s")), secondsText(real(rank, "padded_s")),
                               secondsText(real(rank, "waits_s")));
        }
        value(PlanLabels::tr("Batches per rank and epoch"), QLocale().toString(whole(data, "batches_per_rank")),
              shares.join(QLatin1Char('\n')));
        value(PlanLabels::tr("Padding"), percent(real(data, "padding_share")),
              PlanLabels::tr(
                  "Share of what is computed that is silence, because a batch is as long as its longest utterance"));
        value(PlanLabels::tr("Idle from uneven lengths"), percent(real(data, "imbalance")),
              PlanLabels::tr(
                  "Share of the ranks' time in which one waits for another with a longer batch, if a batch takes "
                  "as long as its padded audio"));
        value(PlanLabels::tr("Largest batch"),
              PlanLabels::tr("%n utterance(s)", nullptr, static_cast<int>(whole(data, "longest_batch_size"))) +
                  QStringLiteral(" · ") + secondsText(real(data, "longest_batch_s")));
    }

    void steps() {
        const QJsonObject steps = part("steps");
        if (whole(steps, "steps_per_epoch") > 0)
            value(PlanLabels::tr("Steps per epoch"), QLocale().toString(whole(steps, "steps_per_epoch")));
        if (whole(steps, "total_steps") > 0)
            value(PlanLabels::tr("Total steps"), QLocale().toString(whole(steps, "total_steps")));
        if (whole(steps, "global_batch") > 0)
            value(PlanLabels::tr("Utterances per step"), QLocale().toString(whole(steps, "global_batch")));
    }

    void memory() {
        const QJsonObject memory = part("memory");
        section(PlanLabels::tr("Memory per rank, estimated"));
        const qint64 total = whole(memory, "total"), available = whole(memory, "available");
        value(PlanLabels::tr("Total"), available > 0
                                           ? PlanLabels::tr("%1 of %2").arg(bytesText(total), bytesText(available))
                                           : bytesText(total));
        const auto line = [&](const QString& label, const char* name) {
            if (whole(memory, name) > 0)
                value(label, bytesText(whole(memory, name)));
        };
        line(PlanLabels::tr("Weights"), "weights");
        line(PlanLabels::tr("Gradients"), "gradients");
        line(PlanLabels::tr("Optimizer"), "optimizer");
        line(PlanLabels::tr("Activations"), "activations");
        line(PlanLabels::tr("Program and buffers"), "program");
        if (available > 0 && total > available)
            m_lines << PlanLine{LineKind::Problem,
                                {},
                                PlanLabels::tr("Needs %1, %2 available: the run will run out of memory")
                                    .arg(bytesText(total), bytesText(available)),
                                {},
                                Severity::Danger};
    }

    void disk() {
        const QJsonObject disk = part("disk");
        const qint64 available = whole(disk, "available");
        if (disk.isEmpty() || available < 0)
            return;
        section(PlanLabels::tr("Disk of the runs folder"));
        value(PlanLabels::tr("Needed, at least"),
              PlanLabels::tr("%1 of %2 free").arg(bytesText(whole(disk, "needed")), bytesText(available)),
              disk.value(QStringLiteral("folder")).toString());
        if (whole(disk, "needed") > available)
            m_lines << PlanLine{LineKind::Problem,
                                {},
                                PlanLabels::tr("Too little space: the run will fail when the disk is full"),
                                {},
                                Severity::Danger};
    }

    void speed() {
        const QJsonObject speed = part("speed");
        const bool measured = whole(speed, "measured_steps") > 0;
        if (speed.isEmpty() && !m_canMeasure)
            return;
        section(measured ? PlanLabels::tr("Speed, measured") : PlanLabels::tr("Speed, estimated"));
        if (speed.isEmpty())
            return epoch(PlanLabels::tr("not known"),
                         PlanLabels::tr("No earlier run of this model on this machine says how fast it is"));
        const QString basis = basisOf(speed);
        value(PlanLabels::tr("Time per step"), secondsText(real(speed, "step_s")), basis);
        if (real(speed, "epoch_s") > 0)
            epoch(secondsText(real(speed, "epoch_s")), basis);
        value(PlanLabels::tr("Audio"),
              PlanLabels::tr("%1 h per second").arg(QString::number(real(speed, "audio_per_second") / 3600, 'g', 3)),
              basis);
        value(PlanLabels::tr("Based on"), basis, basis);
    }

    void epoch(const QString& text, const QString& basis) {
        m_lines << PlanLine{m_canMeasure ? LineKind::Measured : LineKind::Value, PlanLabels::tr("Time per epoch"), text,
                            basis};
        if (!m_measuringFailed.isEmpty())
            m_lines << PlanLine{LineKind::Problem,
                                {},
                                PlanLabels::tr("Not measured: %1").arg(coreText(m_measuringFailed.toStdString())),
                                {},
                                Severity::Danger};
    }

    static QString basisOf(const QJsonObject& speed) {
        const auto flops = [&](const char* name) { return QString::fromStdString(plan::flopsText(real(speed, name))); };
        const QString run = speed.value(QStringLiteral("run")).toString();
        const int steps = static_cast<int>(whole(speed, "measured_steps"));
        QString basis =
            steps > 0 ? PlanLabels::tr("measured just now on this machine, %n step(s)", nullptr, steps)
            : run.isEmpty()
                ? PlanLabels::tr("%1 per step and rank, at %2 % (assumed) of the GPU's %3/s; "
                                 "computing only")
                      .arg(flops("flops_per_step"))
                      .arg(qRound(100 * real(speed, "share")))
                      .arg(flops("peak_flops"))
                : PlanLabels::tr("run %1 of this model here: %2/s per rank").arg(run, flops("flops_per_second"));
        if (!speed.value(QStringLiteral("of_manifest")).toBool())
            basis += QStringLiteral(" · ") + PlanLabels::tr("batches of batch_size × max_duration, without a manifest");
        return basis;
    }

    void start() {
        if (m_start.isEmpty())
            return;
        section(PlanLabels::tr("Commands to start it"));
        for (const auto& [program, command] : m_start)
            m_lines << PlanLine{LineKind::Command, program, command, command};
    }

    void collectives() {
        section(PlanLabels::tr("Collectives per step and rank"));
        const QJsonArray all = m_plan.value(QStringLiteral("collectives")).toArray();
        if (all.isEmpty())
            value(PlanLabels::tr("None"), PlanLabels::tr("one rank"));
        for (const auto& one : all) {
            const QJsonObject c = one.toObject();
            const QString calls = QString::number(whole(c, "calls"));
            value(c.value(QStringLiteral("tag")).toString(),
                  QStringLiteral("%1%2 × %3 · %4")
                      .arg(c.value(QStringLiteral("certain")).toBool(true) ? QString() : QStringLiteral("≈ "), calls,
                           c.value(QStringLiteral("op")).toString(), bytesText(whole(c, "bytes"))),
                  c.value(QStringLiteral("blocks")).toBool() ? PlanLabels::tr("In %1: the training thread waits for it")
                                                                   .arg(c.value(QStringLiteral("phase")).toString())
                                                             : PlanLabels::tr("In %1: overlaps with computing")
                                                                   .arg(c.value(QStringLiteral("phase")).toString()));
        }
    }

    const QJsonObject& m_plan;
    QList<std::pair<QString, QString>> m_start;
    bool m_canMeasure;
    QString m_measuringFailed;
    QList<PlanLine> m_lines;
};

} // namespace

QString bytesText(qint64 bytes) {
    return QString::fromStdString(formatBytes(bytes));
}

QString countShort(qint64 n) {
    static const char* const names[] = {"", "k", "M", "G", "T"};
    return scaled(static_cast<double>(n), 1000, names, 5);
}

QString secondsText(double seconds) {
    if (seconds >= 5400)
        return PlanLabels::tr("%1 h").arg(QString::number(seconds / 3600, 'f', seconds < 36000 ? 1 : 0));
    if (seconds >= 300)
        return PlanLabels::tr("%1 min").arg(QString::number(seconds / 60, 'f', seconds < 600 ? 1 : 0));
    return QStringLiteral("%1 s").arg(QString::number(seconds, 'f', seconds < 10 ? 2 : 1));
}

QList<PlanLine> planLines(const DryRun& run) {
    return run.state() == DryRun::State::Ready ? PlanLines(run).all() : QList<PlanLine>();
}

QString planSummary(const DryRun& run) {
    if (run.state() != DryRun::State::Ready)
        return {};
    const QJsonObject& plan = run.plan();
    const auto part = [&](const char* name) { return plan.value(QLatin1String(name)).toObject(); };
    const CollectiveCost all = run.cost(QString());
    QStringList parts;
    if (!run.machine().isEmpty())
        parts << PlanLabels::tr("Planned for %1").arg(run.machine());
    parts << PlanLabels::tr("%n rank(s)", nullptr, run.ranks());
    const QJsonObject train = part("train");
    if (train.value(QStringLiteral("problem")).toString().isEmpty())
        parts << PlanLabels::tr("%1 batches per rank and epoch")
                     .arg(QLocale().toString(train.value(QStringLiteral("batches_per_rank")).toInteger()))
              << PlanLabels::tr("%1 padding").arg(percent(train.value(QStringLiteral("padding_share")).toDouble()));
    parts
        << PlanLabels::tr("%1 parameters").arg(countShort(part("model").value(QStringLiteral("trainable")).toInteger()))
        << PlanLabels::tr("%1 memory per rank")
               .arg(bytesText(part("memory").value(QStringLiteral("total")).toInteger()));
    if (const double epoch = part("speed").value(QStringLiteral("epoch_s")).toDouble(); epoch > 0)
        parts << PlanLabels::tr("epoch ≈ %1").arg(secondsText(epoch));
    if (all.calls > 0)
        parts << costText(all, false);
    return parts.join(QStringLiteral(" · "));
}

Severity obstacleSeverity(const DryRun& run) {
    return run.isRefused() ? Severity::Error : Severity::Danger;
}

QString obstacleSummary(const DryRun& run) {
    const QList<LaunchObstacle> all = run.obstacles();
    if (all.isEmpty())
        return {};
    const LaunchObstacle* first = &all.front();
    for (const LaunchObstacle& one : all)
        if (one.refused && !first->refused)
            first = &one;
    QString text = coreText(first->text.toStdString());
    if (first->kind == QLatin1String("memory")) {
        const QJsonObject memory = run.plan().value(QStringLiteral("memory")).toObject();
        text = PlanLabels::tr("Needs %1 per rank, %2 available")
                   .arg(bytesText(memory.value(QStringLiteral("total")).toInteger()),
                        bytesText(memory.value(QStringLiteral("available")).toInteger()));
    } else if (!first->key.isEmpty()) {
        text = QStringLiteral("%1: %2").arg(first->key.section(QLatin1Char('.'), -1), text);
    }
    return all.size() == 1 ? text
                           : PlanLabels::tr("%1 (and %n more)", nullptr, static_cast<int>(all.size()) - 1).arg(text);
}

QString costText(const CollectiveCost& cost, bool canHang) {
    if (cost.calls == 0)
        return PlanLabels::tr("no collective");
    QString text = PlanLabels::tr("%n collective(s), %1 per step", nullptr, static_cast<int>(cost.calls))
                       .arg(bytesText(cost.bytes));
    if (!cost.certain)
        text.prepend(QStringLiteral("≈ "));
    return canHang ? PlanLabels::tr("%1; can hang").arg(text) : text;
}

} // namespace rankscope::ui
