// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/report/html_export.h"

#include "core/base/files/atomic_file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/text/html_text.h"
#include "core/base/text/unit_format.h"
#include "core/base/values/result.h"
#include "core/config/effective/effective.h"
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/evidence/injected_fault.h"
#include "core/diagnosis/evidence/remedy.h"
#include "core/diagnosis/model/incident_titles.h"
#include "core/exchange/report/svg_curve.h"
#include "core/launch/run/run_annotations.h"
#include "core/store/figures/training_figures.h"
#include "core/store/report/supervisor_notes.h"
#include "core/store/tables/pyramid.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace rankscope::exchange {

namespace {

using store::Metric;

constexpr std::size_t kMostIncidents = 200, kMostRanks = 1024, kMostWarnings = 100, kMostNotes = 1000;
constexpr int kMostValidations = 1'000'000;
constexpr std::array kShown{Metric::Loss,      Metric::LearningRate, Metric::GradientNorm,
                            Metric::FramesMax, Metric::WaitTotal,    Metric::ExposedWait,
                            Metric::DataWait,  Metric::StepTime,     Metric::PaddingShare};

/// The ranks' colors are those of the window (Theme::rankPen()).
constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--text:#1c1e21;--dim:#5d646d;--page:#fff;--line:#d9dde2;--bad:#b3261e;
--c0:#0072b2;--c1:#e69f00;--c2:#009e73;--c3:#d55e00;--c4:#cc79a7;--c5:#56b4e9;--c6:#b8a800;--c7:var(--text)}
@media(prefers-color-scheme:dark){:root{--text:#e6e8ea;--dim:#9aa2ab;--page:#17191c;--line:#353a40;--bad:#ff8a80;
--c0:#3d9bd6;--c6:#f0e442}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--text);background:var(--page);max-width:960px;margin:2em auto;padding:0 1em}
h1{font-size:1.5em;margin-bottom:0}h2{font-size:1.15em;margin-top:2em;border-bottom:1px solid var(--line)}
h3{font-size:1em;margin:1.4em 0 .2em}h3 .dim{font-weight:normal}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.15em .9em .15em 0;vertical-align:top}th{color:var(--dim);font-weight:normal;white-space:nowrap}
td.n,th.n{text-align:right;white-space:nowrap}.text{white-space:pre-line}.dim{color:var(--dim)}.bad{color:var(--bad)}.wide{overflow-x:auto}
p,td{overflow-wrap:anywhere}.wide td{overflow-wrap:break-word}.wide .any{overflow-wrap:anywhere;min-width:8em}td[class*=" k"]::before{content:"━ "}
svg{width:100%;height:auto;overflow:visible}svg path{fill:none;stroke-width:1.2}
svg text{font-size:11px;fill:var(--dim)}svg .y{text-anchor:end;dominant-baseline:middle}svg .x{text-anchor:middle}
svg .grid{stroke:var(--line);stroke-width:1}svg .mark{stroke:var(--dim);stroke-width:1.5;stroke-dasharray:4 3}svg .bad{stroke:var(--bad)}
svg .band{fill:var(--c0);fill-opacity:.35;stroke:var(--c0);stroke-width:.6}
svg .c0{stroke:var(--c0)}svg .c1{stroke:var(--c1)}svg .c2{stroke:var(--c2)}svg .c3{stroke:var(--c3)}
svg .c4{stroke:var(--c4)}svg .c5{stroke:var(--c5)}svg .c6{stroke:var(--c6)}svg .c7{stroke:var(--c7)}
.k0::before{color:var(--c0)}.k1::before{color:var(--c1)}.k2::before{color:var(--c2)}.k3::before{color:var(--c3)}.k4::before{color:var(--c4)}
.k5::before{color:var(--c5)}.k6::before{color:var(--c6)}.k7::before{color:var(--c7)}
@media(max-width:760px){svg text{font-size:16px}svg path{stroke-width:1.8}}
@media(max-width:520px){svg text{font-size:21px}svg path{stroke-width:2.4}body{margin:1em auto}}
@media print{:root{color-scheme:light;--text:#000;--dim:#4a5058;--page:#fff;--line:#c9ced4;--bad:#b3261e;
--c0:#0072b2;--c6:#b8a800}
body{font-size:10.5pt;max-width:none;margin:0;padding:0;print-color-adjust:exact}tr,figure{break-inside:avoid}
h2,h3{break-after:avoid}}
figure{margin:0}
)css";

std::string utc(std::int64_t realtimeNs) {
    return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(static_cast<std::time_t>(realtimeNs / 1'000'000'000)));
}

/// Lets long keys wrap after a dot, without adding a break to copied text.
std::string keyText(std::string_view key) {
    std::string text;
    for (const char c : html(key)) {
        text += c;
        if (c == '.')
            text += "<wbr/>";
    }
    return text;
}

Message versionTitle(const std::string& name) {
    if (name == launch::kCodeVersion)
        return Message("Commit of the code");
    return name == "nemo_facts" ? Message("NeMo's defaults") : Message(name == "rankscope" ? "Rankscope" : name);
}

/// Unit for readable durations: values stay below about 1000 of it.
struct Shown {
    double scale = 1;
    std::string unit;
};

Shown shownAs(const store::MetricInfo& info, double most) {
    Shown shown{info.scale, info.unit};
    if (shown.unit != "s")
        return shown;
    for (const auto& [factor, unit] : {std::pair(1.0, "s"), {1e3, "ms"}, {1e6, "µs"}, {1e9, "ns"}}) {
        shown = {info.scale * factor, unit};
        if (most * shown.scale >= 1)
            break;
    }
    return shown;
}

/// Data that all sections use.
struct Report {
    store::RunReader& reader;
    const launch::RunPaths& run;
    const launch::RunInfo& info;
    Language language;
    std::vector<store::RankSummary> ranks;
    std::vector<diagnosis::Incident> incidents;
    std::vector<store::Note> alerts; ///< calls of the command for incidents
    std::int64_t lastStep = -1, endNs = 0;

    Result<void> read();
    bool isAlert(const store::Note& note) const {
        return std::ranges::binary_search(alerts, note.id, {}, &store::Note::id); // they are in the order of their ids
    }

    // HTML in the report's language
    std::string say(const Message& message) const { return html(message.text(language)); }
    std::string duration(std::int64_t ns) const { return formatDuration(ns, language); }
    std::string row(const Message& name, const Message& value) const {
        return value.empty() ? "" : fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", say(name), say(value));
    }
    std::string heading(const Message& title) const { return fmt::format("<h2>{}</h2>\n", say(title)); }
    std::string remark(const Message& text) const { return fmt::format("<p class=\"dim\">{}</p>\n", say(text)); }
    /// Returns the beginning of a table; the titles of columns of numbers are marked.
    std::string columns(std::initializer_list<std::pair<bool, Message>> titles) const;
};

std::string Report::columns(std::initializer_list<std::pair<bool, Message>> titles) const {
    std::string out = "<div class=\"wide\"><table>\n<tr>";
    for (const auto& [isNumber, title] : titles)
        out += fmt::format("<th{}>{}</th>", isNumber ? " class=\"n\"" : "", say(title));
    return out + "</tr>\n";
}

Result<void> Report::read() {
    RS_TRY_ASSIGN(ranks, reader.ranks());
    RS_TRY_ASSIGN(incidents, reader.incidents());
    RS_TRY_ASSIGN(alerts, store::alertNotes(reader.source()));
    for (const auto& rank : ranks) {
        lastStep = std::max(lastStep, rank.lastStep);
        endNs = std::max(endNs, rank.lastNs);
    }
    return {};
}

Message validationText(const store::ValidationFigures& figures) {
    const auto& [last, best] = figures;
    if (!last)
        return {};
    if (!last->known)
        return {"not known after step {}", Count{last->step}};
    if (best && best->step != last->step)
        return {"{:.4f} after step {}, best {:.4f} after step {}", last->loss, Count{last->step}, best->loss,
                Count{best->step}};
    return {"{:.4f} after step {}", last->loss, Count{last->step}};
}

Message stepsText(const Report& r) {
    const Message done = r.lastStep < 0 ? Message("none") : Message(formatCount(r.lastStep + 1));
    return r.info.totalSteps > 0 ? Message("{} of {}", done, Count{r.info.totalSteps}) : done;
}

Result<std::string> summary(const Report& r) {
    const auto& i = r.info;
    RS_TRY_ASSIGN(const auto figures, store::readTrainingFigures(r.reader, r.ranks));
    Message state = stateTitle(i.state);
    if (const Message cause = i.cause; !cause.empty() && cause.english() != state.english())
        state = Message("{}: {}", std::move(state), cause);
    std::string out = fmt::format("<h1>{}</h1>\n<p class=\"dim\">{}</p>\n<table>\n", html(i.name), html(i.id));
    out += r.row("State", state) + r.row("Steps", stepsText(r)) + r.row("Ranks", formatCount(i.worldSize));
    out += r.row("Began", utc(i.startRealtimeNs));
    if (i.endRealtimeNs > i.startRealtimeNs)
        out += r.row("Duration", r.duration(i.endRealtimeNs - i.startRealtimeNs));
    if (std::isfinite(figures.rate.perSecond()))
        out += r.row("Steps per second", fmt::format("{:.2f}", figures.rate.perSecond()));
    out += r.row("Validation loss", validationText(figures.validation)) + r.row("Host", i.host) +
           r.row("Resumed from", i.resumedFrom);
    for (const auto& fault : i.faults)
        out += r.row("Injected fault", fault);
    for (const auto& [name, version] : i.versions)
        out += r.row(versionTitle(name), version);
    RS_TRY_ASSIGN(const auto software, r.reader.software());
    for (const auto& s : software)
        out += r.row(s.name, s.ranks.size() == r.ranks.size() ? Message(s.version)
                                                              : Message("{} ({})", s.version, Ranks{s.ranks}));
    return out + r.row("Command", fmt::format("{}", fmt::join(i.argv, " "))) + "</table>\n";
}

Message endOf(const store::RankSummary& rank, launch::RunState state) {
    using launch::RunState;
    if (!rank.ended)
        return launch::isLive(state)         ? Message("runs")
               : state == RunState::Imported ? Message("not known")
                                             : Message("cut off");
    static constexpr std::array kEnds{RunState::Finished, RunState::Stopped, RunState::Failed};
    const Message end = stateTitle(kEnds[std::min<std::size_t>(static_cast<std::size_t>(rank.endCause), 2)]);
    return rank.endText.empty()                      ? end
           : rank.endText.starts_with(end.english()) ? Message(rank.endText)
                                                     : Message("{}: {}", end, rank.endText);
}

std::string rankTable(const Report& r) {
    std::string out = r.heading("Ranks") + r.columns({{true, "Rank"},
                                                      {false, "Host"},
                                                      {false, "Device"},
                                                      {true, "Steps"},
                                                      {true, "Last loss"},
                                                      {true, "Waited"},
                                                      {true, "Held others"},
                                                      {false, "End"}});
    const bool coloured = r.ranks.size() <= kMostLines;
    const auto waitOf = [&](std::int64_t ns) { return ns > 0 ? r.duration(ns) : std::string("–"); };
    for (std::size_t i = 0; i < r.ranks.size() && i < kMostRanks; ++i) {
        const auto& rank = r.ranks[i];
        const std::string loss = rank.lastLoss ? fmt::format("{:.4f}", *rank.lastLoss) : "–";
        out +=
            fmt::format("<tr><td class=\"n{}\">{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}"
                        "</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
                        coloured ? fmt::format(" k{}", i) : "", rank.rank, html(rank.host), html(rank.device),
                        formatCount(rank.lastStep + 1), loss, waitOf(rank.waitedNs), waitOf(rank.heldNs),
                        r.say(endOf(rank, r.info.state)));
    }
    out += "</table></div>\n";
    if (r.reader.meta().waitsAreSums)
        out += r.remark("An older version recorded this run: overlapping waits are counted more than once.");
    if (r.ranks.size() > kMostRanks)
        out += r.remark({"The first {} of {} ranks.", kMostRanks, r.ranks.size()});
    return out;
}

/// Returns the curves' picture with title and range; empty if there is nothing to see in it.
std::string figure(const Report& r, const Message& name, const store::MetricInfo& info,
                   const std::vector<RankCurve>& curves, const std::vector<CurveMark>& marks) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    std::int64_t notFinite = 0;
    for (const auto& curve : curves)
        for (const auto& point : curve.points) {
            notFinite += point.notFinite;
            if (point.count > 0)
                least = std::min(least, point.min), most = std::max(most, point.max);
        }
    const bool allZero = least == 0 && most == 0 && notFinite == 0; // a single rank never waits
    const Shown shown = shownAs(info, std::max(std::abs(least), std::abs(most)));
    const std::string svg = allZero ? "" : svgCurve(curves, shown.scale, marks, r.language);
    if (svg.empty())
        return {};
    const Message unit = shown.unit == "frames" ? Message("frames") : Message(shown.unit);
    const Message title = unit.empty() ? name : Message("{}, {}", name, unit);
    std::string range = least < most    ? r.say({"{:.4g} to {:.4g}", least * shown.scale, most * shown.scale})
                        : least == most ? r.say({"{:.4g} throughout", least * shown.scale})
                                        : "";
    if (notFinite > 0)
        range += fmt::format(" <span class=\"bad\">{}</span>", r.say({"{} not finite", Count{notFinite}}));
    return fmt::format("<figure><h3>{} <span class=\"dim\">{}</span></h3>\n{}</figure>\n", r.say(title), range, svg);
}

Result<std::string> curve(const Report& r, Metric metric, const std::vector<CurveMark>& marks) {
    std::vector<RankCurve> curves;
    for (const auto& rank : r.ranks) {
        RS_TRY_ASSIGN(auto points, r.reader.series(metric, rank.rank, 0, r.lastStep, kCurvePoints));
        if (!points.empty())
            curves.push_back({rank.rank, std::move(points)});
    }
    return figure(r, store::title(metric), store::info(metric), curves, marks);
}

/// Returns the curve of the run's validation loss; empty if it has none.
Result<std::string> validationCurve(const Report& r, const std::vector<CurveMark>& marks) {
    RS_TRY_ASSIGN(auto validations, r.reader.validations(-1, kMostValidations));
    std::erase_if(validations, [](const store::ValidationRow& v) { return !v.known; });
    const std::size_t together = validations.size() / kCurvePoints + 1; // the page does not grow with the run
    RankCurve curve{RankCurve::kAllRanks, {}};
    for (std::size_t i = 0; i < validations.size(); ++i) {
        const auto& v = validations[i];
        if (i % together == 0)
            curve.points.push_back(store::emptyPoint());
        merge(curve.points.back(), store::pointOf(v.step, v.beginNs, v.endNs, v.loss, std::isfinite(v.loss)));
    }
    return figure(r, "Validation loss", store::info(Metric::Loss), {curve}, marks);
}

Result<std::string> curves(const Report& r) {
    std::vector<CurveMark> marks;
    for (std::size_t i = 0; i < r.incidents.size() && i < kMostIncidents; ++i)
        if (r.incidents[i].step >= 0)
            marks.push_back({r.incidents[i].step, causeTitle(r.incidents[i].cause).text(r.language)});
    std::string out = r.heading("Curves by step");
    for (const Metric metric : kShown) {
        RS_TRY_ASSIGN(const auto drawn, curve(r, metric, marks));
        out += drawn;
        if (metric != Metric::Loss)
            continue;
        RS_TRY_ASSIGN(const auto validation, validationCurve(r, marks));
        out += validation;
    }
    out += r.remark(r.ranks.size() > kMostLines
                        ? Message("The band spans the minimum to the maximum across all ranks. If a point represents "
                                  "many steps, it covers the minimum to the maximum of their values.")
                        : Message("One line per rank, in the colors of the table. If a point represents many steps, "
                                  "it covers the minimum to the maximum of their values."));
    return marks.empty() ? out : out + r.remark("Dashed: incidents.");
}

Result<std::string> waits(const Report& r) {
    RS_TRY_ASSIGN(auto cells, r.reader.waits(0, std::max<std::int64_t>(r.lastStep, 0)));
    std::map<std::pair<int, std::string>, std::pair<std::int64_t, std::int64_t>> byHolder; // wait, worst single waiter
    for (const auto& cell : cells) {
        auto& sum = byHolder[{cell.holder, cell.tag}];
        sum.first += cell.waitNs;
        sum.second = std::max(sum.second, cell.waitNs);
    }
    std::vector<std::pair<std::int64_t, std::pair<int, std::string>>> order;
    for (const auto& [key, sum] : byHolder)
        if (sum.first > 0)
            order.emplace_back(sum.first, key);
    if (order.empty())
        return std::string();
    std::sort(order.rbegin(), order.rend());
    std::string out =
        r.heading("Who the others waited for") +
        r.columns({{true, "Rank"}, {false, "In"}, {true, "Total wait of the others"}, {true, "Longest of one rank"}});
    for (std::size_t i = 0; i < order.size() && i < 20; ++i)
        out +=
            fmt::format("<tr><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                        order[i].second.first, html(order[i].second.second), r.duration(order[i].first),
                        r.duration(byHolder[order[i].second].second));
    return out + "</table></div>\n";
}

std::string incidents(const Report& r) {
    std::string out = r.heading("Incidents");
    if (r.incidents.empty())
        return out +
               fmt::format("<p>{}</p>\n", r.say(r.info.state == launch::RunState::Imported ? diagnosis::noneImported()
                                                                                           : Message("None.")));
    const std::int64_t start = r.reader.meta().startNs;
    for (std::size_t n = 0; n < r.incidents.size() && n < kMostIncidents; ++n) {
        const auto& i = r.incidents[n];
        const Duration from{i.openedNs - start};
        const Message when = i.closedNs ? Message("step {}, from {} to {} ({})", i.step, from,
                                                  Duration{i.closedNs - start}, closeReasonTitle(i.closed))
                             : launch::isLive(r.info.state)
                                 ? Message("step {}, from {}, still open", i.step, from)
                                 : Message("step {}, from {}, last recorded as open", i.step, from);
        out +=
            fmt::format("<h3>{}. {} <span class=\"dim\">{}</span></h3>\n<p>{}</p>\n", i.id, r.say(causeTitle(i.cause)),
                        r.say(when), r.say(sentence(i, i.closedNs ? i.closedNs : start + r.endNs, false)));
        if (const Message remedy = remedyText(i, r.info.faults); !remedy.empty())
            out += fmt::format("<p><b>{}</b> {}</p>\n", r.say("Remedy:"), r.say(remedy));
        const auto evidence = toJson(i.evidence);
        if (evidence.empty())
            continue;
        out += fmt::format("<details><summary>{}</summary><table>\n", r.say("Evidence"));
        for (const auto& [key, value] : evidence.items())
            out += r.row(key, value.is_string() ? value.get<std::string>()
                                                : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
        out += "</table></details>\n";
    }
    if (r.incidents.size() > kMostIncidents)
        out += r.remark({"The first {} of {}.", kMostIncidents, r.incidents.size()});
    return out;
}

/// A note that a user or the command for incidents left in the run; -1: not known.
struct KeptNote {
    std::int64_t timeNs = -1, firstStep = -1, lastStep = -1, writtenRealtimeNs = -1;
    int rank = -1; ///< -1: about the run
    std::string text;
};

std::vector<KeptNote> keptNotes(const Report& r, const launch::RunMarks& marks) {
    std::vector<KeptNote> notes;
    for (const auto& a : marks.annotations)
        notes.push_back({a.timeNs, a.firstStep, std::max(a.firstStep, a.lastStep), a.madeRealtimeNs, a.rank, a.text});
    for (const auto& alert : r.alerts)
        notes.push_back({alert.timeNs, alert.step, alert.step, r.info.startRealtimeNs + alert.timeNs, -1, alert.text});
    std::ranges::stable_sort(notes, {}, &KeptNote::timeNs);
    return notes;
}

std::string noteRow(const Report& r, const KeptNote& note) {
    const std::string dash = "–";
    const std::string steps = note.firstStep < 0 ? dash
                              : note.firstStep < note.lastStep
                                  ? formatCount(note.firstStep) + dash + formatCount(note.lastStep)
                                  : formatCount(note.firstStep);
    const std::string text = note.rank < 0 ? html(note.text) : r.say({"rank {}: {}", note.rank, note.text});
    return fmt::format(
        "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"any text\">{}</td><td>{}</td></tr>\n",
        note.timeNs > 0 ? r.duration(note.timeNs) : dash, steps, text,
        note.writtenRealtimeNs > 0 ? utc(note.writtenRealtimeNs) : dash);
}

/// Returns what users wrote about the run and its steps, and the alerts that were sent.
std::string notes(const Report& r) {
    const auto marks = launch::readMarks(r.run);
    std::string out;
    if (!marks)
        out += r.remark({"The notes cannot be read: {}", marks.error().asMessage()});
    const launch::RunMarks written = marks.value_or(launch::RunMarks());
    if (!written.note.empty())
        out += fmt::format("<p class=\"text\">{}</p>\n", html(written.note));
    const auto all = keptNotes(r, written);
    if (!all.empty()) {
        out += r.columns({{true, "Time"}, {true, "Step"}, {false, "Note"}, {false, "Written"}});
        for (std::size_t i = 0; i < all.size() && i < kMostNotes; ++i)
            out += noteRow(r, all[i]);
        out += "</table></div>\n";
    }
    if (all.size() > kMostNotes)
        out += r.remark({"The first {} of {}.", kMostNotes, all.size()});
    return out.empty() ? out : r.heading("Notes") + out;
}

/// Returns "rank 1, 3.2 s"; a note from before the start has no time.
Message whoAndWhen(const store::Note& note) {
    const Message who = note.rank < 0 ? Message("run") : Message("rank {}", note.rank);
    return note.timeNs > 0 ? Message("{}, {}", who, Duration{note.timeNs}) : who;
}

Result<std::string> warnings(const Report& r) {
    std::string out;
    std::size_t shown = 0;
    for (std::int64_t after = 0; shown < kMostWarnings;) {
        RS_TRY_ASSIGN(auto notes, r.reader.notes(after, 1000));
        if (notes.empty())
            break;
        after = notes.back().id;
        for (const auto& note : notes)
            if (note.severity >= telemetry::NoteSeverity::Warning && !r.isAlert(note) && shown++ < kMostWarnings)
                out += r.row(whoAndWhen(note), note.text);
    }
    return out.empty() ? out : r.heading("Warnings") + "<table>\n" + out + "</table>\n";
}

Result<std::string> settings(const Report& r) {
    const auto text = readRunFile(r.run.effective(), 16u << 20);
    if (!text)
        return text.error().code == Errc::NotFound ? Result<std::string>(std::string()) : tl::unexpected(text.error());
    const auto recipe = config::evaluate(*text, r.run.effective().string());
    std::string rows;
    for (const auto& key : recipe.rows) {
        const auto& mine = key.effective ? key.effective : key.yours;
        const auto& nemo = key.nemoYaml ? key.nemoYaml : key.code;
        // a key missing from an imported recipe, or one that a program reported, need not have had the default
        const bool reported = r.info.watched() && r.info.configPath.empty();
        const bool known = key.yours || (r.info.state != launch::RunState::Imported && !reported);
        if (key.differs && mine && known)
            rows += fmt::format("<tr><td>{}</td><td class=\"any\">{}</td><td class=\"dim\">{}</td></tr>\n",
                                keyText(key.key), html(*mine), nemo ? html(*nemo) : "–");
    }
    if (rows.empty())
        return std::string();
    return r.heading("Settings that differ from NeMo's") +
           r.columns({{false, "Key"}, {false, "Here"}, {false, std::string("NeMo")}}) + rows + "</table></div>\n";
}

} // namespace

Result<void> exportHtml(store::RunReader& reader, const launch::RunPaths& run, const launch::RunInfo& info,
                        const std::filesystem::path& file, Language language) {
    Report report{reader, run, info, language, {}, {}, {}};
    RS_TRY(report.read());
    std::string page = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
        language == Language::Chinese ? "zh-CN" : "en", html(info.id), kStyle);
    for (const auto& section :
         {summary(report), Result<std::string>(rankTable(report)), Result<std::string>(incidents(report)),
          Result<std::string>(notes(report)), waits(report), curves(report), warnings(report), settings(report)}) {
        RS_TRY_ASSIGN(const auto text, section);
        page += text;
    }
    page += report.remark({"Written by Rankscope {}.", RANKSCOPE_VERSION}) + "</body>\n</html>\n";
    return writeFileAtomic(file, page);
}

} // namespace rankscope::exchange
