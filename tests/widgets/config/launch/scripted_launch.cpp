// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/config/launch/scripted_launch.h"

#include "core/launch/run/run_folder.h"
#include "widgets/config/plan/plan_request.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <algorithm>

namespace rankscope::ui {

void ScriptedLaunch::open() {
    m_dir = std::make_unique<QTemporaryDir>();
    qputenv("XDG_STATE_HOME", path("state").toLocal8Bit());
    m_config = path("recipe.yaml");
    QVERIFY(QFile::copy(QStringLiteral(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml"), m_config));
    planned("");
    script("exit 2");
    QDir::setCurrent(m_dir->path());
    m_page = std::make_unique<ConfigPage>();
    m_page->launchPanel()->setDefaultRunsDir(path("runs"));
    m_page->resize(1280, 760);
    m_page->show();
    m_page->open(m_config);
    QTRY_VERIFY(m_page->isComplete());
}

void ScriptedLaunch::close() {
    m_page.reset();
    qunsetenv("RANKSCOPECTL");
}

bool ScriptedLaunch::shownProblem() const {
    const auto labels = panel()->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [this](const QLabel* label) {
        return label->isVisible() && label->text() == panel()->problem();
    });
}

QByteArray ScriptedLaunch::read(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void ScriptedLaunch::write(const QString& path, const QByteArray& text) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("%s cannot be written", qPrintable(path));
}

void ScriptedLaunch::touch(const QString& folder, const QString& name) const {
    QDir dir(m_dir->path());
    QVERIFY(dir.mkpath(folder) && dir.cd(folder));
    write(dir.filePath(name), {});
}

QString ScriptedLaunch::writeProgram(const char* name, const QByteArray& body) const {
    write(path(name), "#!/bin/sh\n" + body + "\n");
    QFile::setPermissions(path(name), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return path(name);
}

void ScriptedLaunch::script(const QByteArray& body) {
    const QString path = writeProgram(
        "rankscopectl",
        "d=$(dirname \"$0\"); if [ \"$1\" = plan ]; then\n"
        "case \"$*\" in *--machine*) if [ -e $d/there.json ]; then cat $d/there.json; exit; fi;; esac\n"
        "if [ -e $d/plan.json ]; then cat $d/plan.json; exit; fi\n"
        "printf '{\"event\":\"error\",\"where\":\"%s:152:12: trainer.devices\",\"text\":\"asks for 9 GPUs; this "
        "machine has 0\"}\\n' $2 >&2\n"
        "echo \"rankscopectl: $2:152:12: trainer.devices: asks for 9 GPUs; this machine has 0\" >&2; exit 2\n"
        "fi\n" +
            body);
    qputenv("RANKSCOPECTL", path.toLocal8Bit());
}

QStringList ScriptedLaunch::asked() const {
    return QString::fromUtf8(read(path("asked"))).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
}

void ScriptedLaunch::planned(const QByteArray& more, const char* name) {
    write(path(name),
          R"({"ranks": 2, "collectives": [], "memory": {"total": 18100000000, "available": 3160000000})" + more + "}");
}

void ScriptedLaunch::planAgain() {
    m_page->dryRun()->rerun();
    QTRY_COMPARE(m_page->dryRun()->state(), PlanRequest::PlanState::Ready);
}

QByteArray ScriptedLaunch::refusal(const QByteArray& key, const QByteArray& text) {
    return R"(, "obstacles": [{"refused": true, "kind": "data", "key": ")" + key + R"(", "text": ")" + text + R"("}])";
}

QByteArray ScriptedLaunch::disk(qint64 needed, qint64 available) const {
    return R"(, "disk": {"folder": ")" + path("runs").toUtf8() + R"(", "needed": )" + QByteArray::number(needed) +
           R"(, "available": )" + QByteArray::number(available) + "}";
}

QString ScriptedLaunch::makeRun(const std::vector<std::string>& overrides, int ranks) const {
    const launch::RunPaths run{path("runs/r-1").toStdString()};
    launch::RunInfo info;
    info.name = "r";
    info.state = launch::RunState::Finished;
    info.worldSize = 2;
    info.overrides = overrides;
    info.ranksAsked = ranks;
    info.configPath = m_config.toStdString();
    if (!QDir().mkpath(path("runs/r-1")) || !launch::writeRunInfo(run, info) ||
        !QFile::copy(m_config, QString::fromStdString(run.config().string())))
        qFatal("no run could be made");
    return QString::fromStdString(run.dir.string());
}

} // namespace rankscope::ui
