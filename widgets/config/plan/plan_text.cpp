// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/plan/plan_text.h"

#include "core/base/text/unit_format.h"
#include "core/plan/cost/training_flops.h"
#include "widgets/config/plan/speed_measurement.h"
#include "widgets/models/text/json_message.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace rankscope::ui {

namespace {

struct PlanLabels {
    Q_DECLARE_TR_FUNCTIONS(Plan)
};

using LineKind = PlanLine::PlanLineKind;

QString percent(double share) {
    return QStringLiteral("%1 %").arg(QString::number(100 * share, 'f', share < 0.1 ? 1 : 0));
}

/// A section of the plan, read by name.
struct PlanPart : QJsonObject {
    PlanPart(const QJsonObject& json) : QJsonObject(json) {}
    PlanPart part(const char* name) const { return value(QLatin1String(name)).toObject(); }
    QString word(const char* name) const { return value(QLatin1String(name)).toString(); }
    qint64 whole(const char* name) const { return value(QLatin1String(name)).toInteger(); }
    double real(const char* name) const { return value(QLatin1String(name)).toDouble(); }
    QString grouped(const char* name) const { return QLocale().toString(whole(name)); }
    QString seconds(const char* name) const { return secondsText(real(name)); }
    QString bytes(const char* name) const { return bytesText(whole(name)); }
};

class PlanLines {
public:
    explicit PlanLines(const PlanRequest& run)
        : m_plan(run.plan()), m_start(run.startLines()), m_canMeasure(run.canMeasure()),
          m_measuringFailed(run.measurement()->problem()) {}

    QList<PlanLine> all() {
        processes();
        model();
        data("train", PlanLabels::tr("Training data"));
        steps();
        data("validation", PlanLabels::tr("Validation data"));
        memory();
        disk();
        speed();
        collectives();
        const QJsonArray warnings = m_plan.value(QStringLiteral("warnings")).toArray(),
                         messages = m_plan.value(QStringLiteral("warning_messages")).toArray();
        for (qsizetype i = 0; i < warnings.size(); ++i)
            problem(messageText(messageOf(messages.at(i), warnings.at(i).toString())));
        start();
        return m_lines;
    }

private:
    void section(const QString& title) { m_lines << PlanLine{LineKind::Section, title, {}, {}}; }
    void value(const QString& label, const QString& text, const QString& detail = {}) {
        m_lines << PlanLine{LineKind::Value, label, text, detail};
    }
    void problem(const QString& text, MarkSeverity severity = MarkSeverity::Caution) {
        m_lines << PlanLine{LineKind::Problem, {}, text, {}, severity};
    }
    /// Returns whether the core says why it could not determine this section.
    bool unknown(const PlanPart& of) {
        const Message why = messageIn(of, "problem");
        if (!why.empty())
            problem(messageText(why));
        return !why.empty();
    }

    void processes() {
        section(PlanLabels::tr("Processes"));
        QStringList devices, environment;
        for (const auto& one : m_plan.value(QStringLiteral("processes")).toArray()) {
            const PlanPart process = one.toObject();
            devices << process.word("device");
            QStringList variables;
            const PlanPart set = process.part("environment");
            for (auto it = set.begin(); it != set.end(); ++it)
                variables << it.key() + QLatin1Char('=') + it.value().toString();
            environment
                << PlanLabels::tr("rank %1: %2").arg(process.whole("rank")).arg(variables.join(QLatin1Char(' ')));
        }
        const auto count = static_cast<int>(devices.size());
        devices.removeDuplicates();
        value(PlanLabels::tr("Ranks"),
              PlanLabels::tr("%n process(es)", nullptr, count) + QStringLiteral(" · ") +
                  devices.join(QStringLiteral(", ")),
              environment.join(QLatin1Char('\n')));
        if (const QString machine = m_plan.word("machine"); !machine.isEmpty())
            value(PlanLabels::tr("Machine"), machine);
        if (const int nodes = m_plan.value(QStringLiteral("nodes")).toInt(1); nodes > 1)
            value(PlanLabels::tr("Nodes"), QString::number(nodes));
    }

    void model() {
        const PlanPart model = m_plan.part("model");
        section(PlanLabels::tr("Model"));
        unknown(model);
        value(PlanLabels::tr("Parameters"), countShort(model.whole("trainable")),
              PlanLabels::tr("%1 trainable, %2 frozen, %3 in buffers")
                  .arg(model.grouped("trainable"), model.grouped("frozen"), model.grouped("buffers")));
    }

    void data(const char* name, const QString& title) {
        const PlanPart data = m_plan.part(name);
        if (data.isEmpty())
            return;
        section(title);
        if (unknown(data))
            return;
        const PlanPart manifest = data.part("manifest");
        value(PlanLabels::tr("Utterances"),
              PlanLabels::tr("%1 of %2").arg(manifest.grouped("used"), manifest.grouped("lines")) +
                  QStringLiteral(" · ") + manifest.seconds("seconds"),
              PlanLabels::tr(
                  "too short: %1, too long: %2, unreadable: %3\nshortest %4, median %5, 95 % up to %6, longest %7")
                  .arg(manifest.whole("too_short"))
                  .arg(manifest.whole("too_long"))
                  .arg(manifest.whole("bad"))
                  .arg(manifest.seconds("shortest_s"), manifest.seconds("median_s"), manifest.seconds("p95_s"),
                       manifest.seconds("longest_s")));
        QStringList shares;
        for (const auto& one : data.value(QStringLiteral("ranks")).toArray()) {
            const PlanPart rank = one.toObject();
            shares << PlanLabels::tr("rank %1: %2 batches, %3 of speech, %4 with padding, waits for %5")
                          .arg(rank.whole("rank"))
                          .arg(rank.whole("batches"))
                          .arg(rank.seconds("speech_s"), rank.seconds("padded_s"), rank.seconds("waits_s"));
        }
        value(PlanLabels::tr("Batches per rank and epoch"), data.grouped("batches_per_rank"),
              shares.join(QLatin1Char('\n')));
        value(PlanLabels::tr("Padding"), percent(data.real("padding_share")),
              PlanLabels::tr("Share of the computation that is spent on silence, because a batch is as long as its "
                             "longest utterance"));
        value(PlanLabels::tr("Idle from uneven lengths"), percent(data.real("imbalance")),
              PlanLabels::tr(
                  "Share of the ranks' time spent waiting for a rank with a longer batch, assuming that compute "
                  "time is proportional to padded audio"));
        value(PlanLabels::tr("Largest batch"),
              PlanLabels::tr("%n utterance(s)", nullptr, static_cast<int>(data.whole("longest_batch_size"))) +
                  QStringLiteral(" · ") + data.seconds("longest_batch_s"));
    }

    void steps() {
        const PlanPart steps = m_plan.part("steps");
        const auto line = [&](const QString& label, const char* name) {
            if (steps.whole(name) > 0)
                value(label, steps.grouped(name));
        };
        line(PlanLabels::tr("Steps per epoch"), "steps_per_epoch");
        line(PlanLabels::tr("Total steps"), "total_steps");
        line(PlanLabels::tr("Utterances per step"), "global_batch");
    }

    void memory() {
        const PlanPart memory = m_plan.part("memory");
        section(PlanLabels::tr("Memory per rank, estimated"));
        const qint64 total = memory.whole("total"), available = memory.whole("available");
        value(PlanLabels::tr("Total"), available > 0
                                           ? PlanLabels::tr("%1 of %2").arg(bytesText(total), bytesText(available))
                                           : bytesText(total));
        const auto line = [&](const QString& label, const char* name) {
            if (memory.whole(name) > 0)
                value(label, memory.bytes(name));
        };
        line(PlanLabels::tr("Weights"), "weights");
        line(PlanLabels::tr("Gradients"), "gradients");
        line(PlanLabels::tr("Optimizer"), "optimizer");
        line(PlanLabels::tr("Activations"), "activations");
        line(PlanLabels::tr("Program and buffers"), "program");
        if (available > 0 && total > available)
            problem(PlanLabels::tr("Needs %1, %2 available: the run will run out of memory")
                        .arg(bytesText(total), bytesText(available)),
                    MarkSeverity::Danger);
    }

    void disk() {
        const PlanPart disk = m_plan.part("disk");
        const qint64 available = disk.whole("available");
        if (disk.isEmpty() || available < 0)
            return;
        section(PlanLabels::tr("Disk of the runs folder"));
        value(PlanLabels::tr("Minimum needed"),
              PlanLabels::tr("%1 of %2 free").arg(disk.bytes("needed"), bytesText(available)), disk.word("folder"));
        if (disk.whole("needed") > available)
            problem(PlanLabels::tr("Too little space: the run will fail when the disk is full"), MarkSeverity::Danger);
    }

    void speed() {
        const PlanPart speed = m_plan.part("speed");
        const bool measured = speed.whole("measured_steps") > 0;
        if (speed.isEmpty() && !m_canMeasure)
            return;
        section(measured ? PlanLabels::tr("Speed, measured") : PlanLabels::tr("Speed, estimated"));
        if (speed.isEmpty())
            return epoch(
                PlanLabels::tr("not known"),
                PlanLabels::tr("There is no earlier run of this model on this machine to take the speed from"));
        const QString basis = basisOf(speed);
        value(PlanLabels::tr("Time per step"), speed.seconds("step_s"), basis);
        if (speed.real("epoch_s") > 0)
            epoch(speed.seconds("epoch_s"), basis);
        value(PlanLabels::tr("Audio"),
              PlanLabels::tr("%1 h per second").arg(QString::number(speed.real("audio_per_second") / 3600, 'g', 3)),
              basis);
        value(PlanLabels::tr("Based on"), basis, basis);
    }

    void epoch(const QString& text, const QString& basis) {
        m_lines << PlanLine{m_canMeasure ? LineKind::Measured : LineKind::Value, PlanLabels::tr("Time per epoch"), text,
                            basis};
        if (!m_measuringFailed.empty())
            problem(PlanLabels::tr("Not measured: %1").arg(messageText(m_measuringFailed)), MarkSeverity::Danger);
    }

    static QString basisOf(const PlanPart& speed) {
        const auto flops = [&](const char* name) { return QString::fromStdString(plan::flopsText(speed.real(name))); };
        const QString run = speed.word("run");
        const int steps = static_cast<int>(speed.whole("measured_steps"));
        QString basis =
            steps > 0 ? PlanLabels::tr("measured just now on this machine, %n step(s)", nullptr, steps)
            : run.isEmpty()
                ? PlanLabels::tr("%1 per step and rank, at %2 % (assumed) of the GPU's %3/s; compute only")
                      .arg(flops("flops_per_step"))
                      .arg(qRound(100 * speed.real("share")))
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
            m_lines << PlanLine{LineKind::Command, program, command, {}};
    }

    void collectives() {
        section(PlanLabels::tr("Collectives per step and rank"));
        const QJsonArray all = m_plan.value(QStringLiteral("collectives")).toArray();
        if (all.isEmpty())
            value(PlanLabels::tr("None"), PlanLabels::tr("one rank"));
        for (const auto& one : all)
            collective(one.toObject());
        const PlanPart nemo = m_plan.part("collectives_in_order").part("nemo");
        const QJsonArray nemos = nemo.value(QStringLiteral("sums")).toArray();
        if (nemos.isEmpty())
            return;
        section(PlanLabels::tr("The same step in NeMo"));
        if (const QString obstacle = nemo.word("obstacle"); !obstacle.isEmpty())
            problem(messageText(messageOf(nemo.value(QStringLiteral("obstacle_message")), obstacle)));
        for (const auto& one : nemos)
            collective(one.toObject());
    }

    void collective(const PlanPart& c) {
        const qint64 least = c.whole("elements_least"), most = c.whole("elements_most");
        const bool certain = c.value(QStringLiteral("certain")).toBool(true),
                   grows = c.word("op") == QLatin1String("broadcast"); // its elements vary, not its calls
        const QString about = QStringLiteral("≈ ");
        const QString elements =
            least == most
                ? PlanLabels::tr("%1 elements").arg(QLocale().toString(most))
                : PlanLabels::tr("%1 to %2 elements").arg(QLocale().toString(least), QLocale().toString(most));
        QString text = QStringLiteral("%1%2 × %3 · ")
                           .arg(certain || grows ? QString() : about, QString::number(c.whole("calls")), c.word("op"));
        if (most > 0)
            text += (grows && !certain ? about : QString()) + elements + QStringLiteral(" · ");
        const QString where = c.value(QStringLiteral("blocks")).toBool()
                                  ? PlanLabels::tr("In %1: the training thread waits for it").arg(c.word("phase"))
                                  : PlanLabels::tr("In %1: overlaps with computing").arg(c.word("phase"));
        const Message count = messageIn(c, "count");
        value(c.word("tag"), text + c.bytes("bytes"),
              count.empty() ? where : messageText(count) + QLatin1Char('\n') + where);
    }

    const PlanPart m_plan;
    QList<std::pair<QString, QString>> m_start;
    bool m_canMeasure;
    Message m_measuringFailed;
    QList<PlanLine> m_lines;
};

} // namespace

QString bytesText(qint64 bytes) {
    return QString::fromStdString(formatBytes(bytes));
}

QString countShort(qint64 n) {
    static constexpr const char* kUnits[] = {"", "k", "M", "G", "T"};
    auto value = static_cast<double>(n);
    std::size_t unit = 0;
    for (; unit + 1 < std::size(kUnits) && std::abs(value) >= 1000; ++unit)
        value /= 1000;
    const int decimals = unit == 0 ? 0 : std::abs(value) < 10 ? 2 : std::abs(value) < 100 ? 1 : 0;
    return QStringLiteral("%1 %2").arg(QString::number(value, 'f', decimals), QLatin1String(kUnits[unit])).trimmed();
}

QString secondsText(double seconds) {
    if (seconds >= 5400)
        return PlanLabels::tr("%1 h").arg(QString::number(seconds / 3600, 'f', seconds < 36000 ? 1 : 0));
    if (seconds >= 300)
        return PlanLabels::tr("%1 min").arg(QString::number(seconds / 60, 'f', seconds < 600 ? 1 : 0));
    return PlanLabels::tr("%1 s").arg(QString::number(seconds, 'f', seconds < 10 ? 2 : 1));
}

QList<PlanLine> planLines(const PlanRequest& run) {
    return run.state() == PlanRequest::PlanState::Ready ? PlanLines(run).all() : QList<PlanLine>();
}

QStringList planFacts(const PlanRequest& run) {
    if (run.state() != PlanRequest::PlanState::Ready)
        return {};
    const PlanPart plan = run.plan();
    QStringList facts;
    if (!run.machine().isEmpty())
        facts << PlanLabels::tr("Planned for %1").arg(run.machine());
    facts << PlanLabels::tr("%n rank(s)", nullptr, run.ranks());
    if (const double epoch = plan.part("speed").real("epoch_s"); epoch > 0)
        facts << PlanLabels::tr("epoch ≈ %1").arg(secondsText(epoch));
    facts << PlanLabels::tr("%1 memory per rank").arg(plan.part("memory").bytes("total"));
    if (const PlanPart train = plan.part("train"); train.word("problem").isEmpty())
        facts << PlanLabels::tr("%1 batch(es) per rank and epoch", nullptr,
                                static_cast<int>(train.whole("batches_per_rank")))
                     .arg(train.grouped("batches_per_rank"))
              << PlanLabels::tr("%1 padding").arg(percent(train.real("padding_share")));
    facts << PlanLabels::tr("%1 parameters").arg(countShort(plan.part("model").whole("trainable")));
    if (const CollectiveCost all = run.cost(QString()); all.calls > 0)
        facts << costText(all, false);
    return facts;
}

MarkSeverity obstacleSeverity(const PlanRequest& run) {
    return run.isRefused() ? MarkSeverity::Error : MarkSeverity::Danger;
}

QString obstacleSummary(const PlanRequest& run) {
    const QList<LaunchBlocker> all = run.obstacles();
    if (all.isEmpty())
        return {};
    const auto refused = std::ranges::find(all, true, &LaunchBlocker::refused);
    const LaunchBlocker* first = refused == all.end() ? &all.front() : &*refused;
    QString text = messageText(first->text);
    if (first->kind == QLatin1String("memory")) {
        const PlanPart memory = PlanPart(run.plan()).part("memory");
        text = PlanLabels::tr("Needs %1 per rank, %2 available").arg(memory.bytes("total"), memory.bytes("available"));
    } else if (!first->key.isEmpty()) {
        text = placedText(first->key.section(QLatin1Char('.'), -1), text);
    }
    return all.size() == 1 ? text
                           : PlanLabels::tr("%1 (and %n more)", nullptr, static_cast<int>(all.size()) - 1).arg(text);
}

static QString withHang(const QString& cost, const CollectiveCost& of, bool canHang) {
    const QString text = of.certain ? cost : QStringLiteral("≈ ") + cost;
    return canHang ? PlanLabels::tr("%1; can hang").arg(text) : text;
}

QString costText(const CollectiveCost& cost, bool canHang) {
    if (cost.calls == 0)
        return PlanLabels::tr("no collective");
    return withHang(PlanLabels::tr("%n collective(s), %1 per step", nullptr, static_cast<int>(cost.calls))
                        .arg(bytesText(cost.bytes)),
                    cost, canHang);
}

QString shortCostText(const CollectiveCost& cost, bool canHang) {
    if (cost.calls == 0)
        return PlanLabels::tr("no collective");
    return withHang(
        PlanLabels::tr("%n collective(s), %1", nullptr, static_cast<int>(cost.calls)).arg(bytesText(cost.bytes)), cost,
        canHang);
}

} // namespace rankscope::ui
