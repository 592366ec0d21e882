// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/run/plot_extras_loader.h"

#include "widgets/models/text/text_format.h"

namespace rankscope::ui {

namespace {

constexpr std::size_t kMostCheckpoints = 5000, kMostAnnotations = 5000;

/// What can be read; the first thing that cannot is told.
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
        } // the session says what is wrong with the store
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

RunExtras::RunExtras(QObject* parent) : QObject(parent), m_worker(new QObject) {
    m_thread.setObjectName(QStringLiteral("run-extras"));
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
}

RunExtras::~RunExtras() {
    ++m_number;
    m_thread.quit();
    m_thread.wait(); // bounded queries of one run
    if (m_thread.isFinished() && !m_thread.isRunning())
        return;
    delete m_worker; // the thread never ran
}

void RunExtras::setRun(const launch::RunPaths& run) {
    clear();
    m_run = run;
}

void RunExtras::clear() {
    ++m_number;
    m_waiting = 0;
    m_run = {};
}

void RunExtras::run(std::function<void(launch::RunPaths, quint64)> work) {
    if (m_run.dir.empty())
        return;
    if (!m_thread.isRunning())
        m_thread.start();
    ++m_waiting;
    QMetaObject::invokeMethod(m_worker, [this, work = std::move(work), paths = m_run, number = m_number.load()] {
        if (number == m_number)
            work(paths, number);
    });
}

void RunExtras::answer(quint64 number, std::function<void()> done) {
    QMetaObject::invokeMethod(this, [this, number, done = std::move(done)] {
        if (number != m_number)
            return;
        --m_waiting;
        done();
    });
}

void RunExtras::load() {
    run([this](const launch::RunPaths& paths, quint64 number) {
        QString problem;
        auto view = std::make_shared<const ExtrasView>(readAll(paths, problem));
        answer(number, [this, view, problem] {
            emit read(view);
            if (!problem.isEmpty())
                emit failed(problem);
        });
    });
}

void RunExtras::requestSeries(const TagRequest& request) {
    run([this, request](const launch::RunPaths& paths, quint64 number) {
        auto reply = std::make_shared<TagReply>();
        reply->request = request;
        readSeries(paths, *reply);
        answer(number, [this, reply] { emit seriesRead(reply); });
    });
}

void RunExtras::edit(std::function<void(launch::RunMarks&)> change) {
    run([this, change = std::move(change)](const launch::RunPaths& paths, quint64 number) {
        const auto edited = launch::editMarks(paths, change);
        const QString refused = edited ? QString() : toQString(edited.error().message());
        QString problem = refused;
        auto view = std::make_shared<const ExtrasView>(readAll(paths, problem)); // the edit's error comes first
        answer(number, [this, view, problem, refused] {
            emit read(view);
            emit this->edited(refused);
            if (!problem.isEmpty())
                emit failed(problem);
        });
    });
}

} // namespace rankscope::ui
