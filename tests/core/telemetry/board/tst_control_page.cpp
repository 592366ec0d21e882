// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/atomic_file.h"
#include "core/telemetry/board/control_page.h"
#include "tests/support/test_runner.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

#include <limits>

using namespace rankscope;
using namespace rankscope::telemetry;

class TestControl : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stopReachesTheRank();
    void damagedPagesAreRefused();
    void aPageCutShortKeepsItsLastWord();
    void aPageCutShortIsWrittenAllTheSame();
    void howFarTheStoreGoesIsTold();
    void nonsenseOfTheStoreIsMadeSafe();
};

static std::filesystem::path at(const QTemporaryDir& dir, const char* name) {
    return std::filesystem::path(dir.path().toStdString()) / name;
}

void TestControl::stopReachesTheRank() {
    QTemporaryDir dir;
    const auto path = at(dir, "control");
    auto supervisor = ControlPage::create(path);
    QVERIFY(supervisor);
    struct stat st {};
    QCOMPARE(::stat(path.c_str(), &st), 0);
    QCOMPARE(st.st_mode & 0777, 0600u);
    auto rank = ControlPage::open(path);
    QVERIFY(rank);
    QCOMPARE(rank->stopAtStep(), std::numeric_limits<std::int64_t>::max());
    supervisor->setStopAtStep(17);
    QCOMPARE(rank->stopAtStep(), 17);
    rank->setStopAtStep(3);
    QCOMPARE(supervisor->stopAtStep(), 17);
    auto alone = ControlPage::detached();
    QCOMPARE(alone.stopAtStep(), std::numeric_limits<std::int64_t>::max());
    alone.setStopAtStep(5);
    QCOMPARE(alone.stopAtStep(), 5);
}

void TestControl::damagedPagesAreRefused() {
    QTemporaryDir dir;
    QCOMPARE(ControlPage::open(at(dir, "none")).error().code, Errc::NotFound);
    QVERIFY(writeFileAtomic(at(dir, "short"), "x"));
    QCOMPARE(ControlPage::open(at(dir, "short")).error().code, Errc::Malformed);
    QVERIFY(writeFileAtomic(at(dir, "other"), std::string(4096, 'x')));
    QCOMPARE(ControlPage::open(at(dir, "other")).error().code, Errc::Malformed);
    QCOMPARE(ControlPage::create(at(dir, "no/folder")).error().code, Errc::NotFound);
}

void TestControl::aPageCutShortKeepsItsLastWord() {
    QTemporaryDir dir;
    auto supervisor = ControlPage::create(at(dir, "control"));
    auto rank = ControlPage::open(at(dir, "control"));
    QVERIFY(supervisor && rank);
    supervisor->setStopAtStep(9);
    QCOMPARE(rank->stopAtStep(), 9);
    QCOMPARE(::truncate(at(dir, "control").c_str(), 0), 0);
    QCOMPARE(rank->stopAtStep(), 9);
}

/// Through a mapping, a store to a page beyond the end of the file would kill the supervisor with SIGBUS.
void TestControl::aPageCutShortIsWrittenAllTheSame() {
    QTemporaryDir dir;
    auto supervisor = ControlPage::create(at(dir, "control"));
    auto rank = ControlPage::open(at(dir, "control"));
    QVERIFY(supervisor && rank);
    QCOMPARE(::truncate(at(dir, "control").c_str(), 0), 0);
    QVERIFY(supervisor->setStopAtStep(9));
    QCOMPARE(supervisor->stopAtStep(), 9);
    QCOMPARE(rank->stopAtStep(), 9);
}

void TestControl::howFarTheStoreGoesIsTold() {
    QTemporaryDir dir;
    auto supervisor = ControlPage::create(at(dir, "control"));
    auto reader = ControlPage::open(at(dir, "control"));
    QVERIFY(supervisor && reader);
    QCOMPARE(reader->storedUntil().atNs, 0);
    QVERIFY(reader->storedUntil().trouble.empty());
    QVERIFY(supervisor->publishStored(5'000));
    QVERIFY(supervisor->publishStoreError(6'000, "run.sqlite: no space left"));
    QCOMPARE(reader->storedUntil().atNs, 5'000);
    QCOMPARE(reader->storedUntil().troubleSinceNs, 6'000);
    QCOMPARE(reader->storedUntil().trouble, std::string("run.sqlite: no space left"));
    QVERIFY(supervisor->publishStoreError(7'000, std::string(5'000, 'x')));
    QCOMPARE(reader->storedUntil().trouble.size(), ControlPage::kMostTroubleBytes);
    QVERIFY(supervisor->publishStoreError(0, {}));
    QVERIFY(reader->storedUntil().trouble.empty());
    QCOMPARE(reader->storedUntil().troubleSinceNs, 0);
    QCOMPARE(reader->stopAtStep(), std::numeric_limits<std::int64_t>::max());
}

void TestControl::nonsenseOfTheStoreIsMadeSafe() {
    QTemporaryDir dir;
    auto supervisor = ControlPage::create(at(dir, "control"));
    QVERIFY(supervisor);
    QFile page(dir.filePath("control"));
    QVERIFY(page.open(QIODevice::ReadWrite));
    QVERIFY(page.seek(24));
    QCOMPARE(page.write(QByteArray(4096 - 24, '\xff')), 4096 - 24);
    page.close();
    auto reader = ControlPage::open(at(dir, "control"));
    QVERIFY(reader);
    const auto told = reader->storedUntil();
    QCOMPARE(told.atNs, 0); // before the start of the clock
    QCOMPARE(told.troubleSinceNs, 0);
    QVERIFY(told.trouble.find('\xff') == std::string::npos);
    QCOMPARE(::truncate(at(dir, "control").c_str(), 100), 0);
    QCOMPARE(reader->storedUntil().atNs, 0);
}

RANKSCOPE_TEST(TestControl)
#include "tst_control_page.moc"
