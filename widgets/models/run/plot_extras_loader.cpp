// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/run/plot_extras_loader.h"

#include "widgets/models/text/text_format.h"

namespace rankscope::ui {

namespace {

constexpr std::size_t kMostCheckpoints = 5000, kMostAnnotations = 5000;
constexpr qint64 kExtrasPeriodMs = 5000; ///< how often new checkpoints of a live run are looked for

/// Reads as much as possible; `problem` is the first thing that could not be read.
ExtrasView readAll(const launch::RunPaths& run, QString& problem) {
    ExtrasView view;
    const auto take = [&problem](auto result, auto& into) {
        if (result)
            into = std::move(*result);
        else if (problem.isEmpty())
            problem = toQString(result.error().message());
    };
    std::error_code ec;
    if (std::filesystem::exists(run.store(), ec)) {
        auto reader = store::ScalarReader::open(run.store());
        if (reader) {
            take(reader->tags(), view.tags);
            take(reader->checkpoints(kMostCheckpoints), view.checkpoints);
            take(store::alertNotes(reader->source()), view.alerts);
        } // otherwise the session says what is wrong with the store
    }
    launch::RunMarks marks;
    take(launch::readMarks(run), marks);
    view.annotations = std::move(marks.annotations);
    if (view.annotations.size() > kMostAnnotations)
        view.annotations.resize(kMostAnnotations);
    return view;
}

void readSeries(const launch::RunPaths& run, TagReply& reply) {
    const TagRequest& r = reply.request;
    auto reader = store::ScalarReader::open(run.store());
    if (!reader) {
        reply.error = toQString(reader.error().message());
        return;
    }
    for (const auto& tag : r.tags) {
        auto& ranks = reply.points.emplace_back();
        for (int rank = 0; rank < r.ranks; ++rank) {
            auto points = r.axis == CurveAxis::Time ? reader->seriesByTime(tag, rank, r.from, r.to, r.maxPoints)
                                                    : reader->series(tag, rank, r.from, r.to, r.maxPoints);
            if (!points)
                reply.error = toQString(points.error().message());
            ranks.push_back(points ? std::move(*points) : std::vector<store::SeriesPoint>{});
        }
    }
}

} // namespace

QString annotationTip(const launch::Annotation& annotation) {
    return toQString(annotation.text) + QLatin1Char('\n') + stepRangeText(annotation.firstStep, annotation.lastStep);
}

void PlotExtras::setRun(const launch::RunPaths& run) {
    clear();
    m_run = run;
}

void PlotExtras::clear() {
    m_task.cancel();
    m_run = {};
    m_sinceLoad.invalidate();
    m_wasLive = false;
}

/// Reads everything after an edit. The reason why the edit was refused takes precedence.
PlotExtras::Look PlotExtras::lookAt(const launch::RunPaths& run, const QString& refused) {
    Look look{nullptr, refused, refused};
    look.extras = std::make_shared<const ExtrasView>(readAll(run, look.problem));
    return look;
}

void PlotExtras::load() {
    if (m_run.dir.empty())
        return;
    m_task.add([run = m_run](const auto&) { return lookAt(run); },
               [this](const Look& look) {
                   emit read(look.extras);
                   if (!look.problem.isEmpty())
                       emit failed(look.problem);
               });
}

void PlotExtras::loadFor(const RunView& view) {
    if (view.goneRealtimeNs != 0)
        return;
    const bool live = launch::isLive(view.info.state);
    const bool ended = std::exchange(m_wasLive, live) && !live;
    if (!m_sinceLoad.isValid() || ended || (live && m_sinceLoad.elapsed() > kExtrasPeriodMs)) {
        m_sinceLoad.start();
        load();
    }
}

void PlotExtras::requestSeries(const TagRequest& request) {
    if (m_run.dir.empty())
        return;
    m_task.add(
        [run = m_run, request](const auto&) {
            auto reply = std::make_shared<TagReply>();
            reply->request = request;
            readSeries(run, *reply);
            return reply;
        },
        [this](const TagReplyPtr& reply) { emit seriesRead(reply); });
}

void PlotExtras::edit(std::function<void(launch::RunMarks&)> change) {
    if (m_run.dir.empty())
        return;
    m_task.add(
        [run = m_run, change = std::move(change)](const auto&) {
            const auto done = launch::editMarks(run, change);
            return lookAt(run, done ? QString() : toQString(done.error().message()));
        },
        [this](const Look& look) {
            emit read(look.extras);
            emit edited(look.refused);
            if (!look.problem.isEmpty() && look.refused.isEmpty())
                emit failed(look.problem);
        });
}

} // namespace rankscope::ui
