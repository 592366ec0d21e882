// SPDX-License-Identifier: Apache-2.0
// Desktop integration of the window: entry, AppStream metadata, file types, icons; each is checked with the tool of its
// standard.
#include "tests/packaging/ran.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QMimeDatabase>
#include <QPainter>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>

#include <cstdlib>

using namespace rankscope::test;

static const QString kDesktop = QStringLiteral(RANKSCOPE_SOURCE_DIR "/packaging/desktop/");
static const QString kIcons = QStringLiteral(RANKSCOPE_SOURCE_DIR "/resources/icons/");

class TestDesktop : public QObject {
    Q_OBJECT

    static const QTemporaryDir& ownData() {
        static const QTemporaryDir dir;
        return dir;
    }

public:
    /// Must come before the first look-up of a type, because Qt reads the folders only once.
    static void initMain() {
        QDir(ownData().path()).mkpath("mime/packages");
        QFile::copy(kDesktop + "rankscope-mime.xml", ownData().filePath("mime/packages/rankscope.xml"));
        ran("update-mime-database", {ownData().filePath("mime")});
        const QByteArray system = qgetenv("XDG_DATA_DIRS");
        qputenv("XDG_DATA_DIRS",
                ownData().path().toUtf8() + ':' + (system.isEmpty() ? "/usr/local/share:/usr/share" : system));
    }

private Q_SLOTS:
    void entry() {
        if (const auto why = missing("desktop-file-validate"); !why.isEmpty())
            QSKIP(qPrintable(why));
        const Ran one = ran("desktop-file-validate", {kDesktop + "rankscope.desktop"});
        QVERIFY2(one.code == 0 && one.out.isEmpty(), qPrintable(one.out + one.err));
    }

    void metadata() {
        if (const auto why = missing("appstreamcli"); !why.isEmpty())
            QSKIP(qPrintable(why));
        // an id with a domain in it is only for publishers that have one
        const Ran one = ran("appstreamcli", {"validate", "--no-net", "--override=cid-desktopapp-is-not-rdns=info",
                                             kDesktop + "rankscope.metainfo.xml"});
        QVERIFY2(one.code == 0, qPrintable(one.out + one.err));
    }
    void metadataNamesThisVersion() {
        QFile file(kDesktop + "rankscope.metainfo.xml");
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("<release version=\"" RANKSCOPE_VERSION "\""));
    }

    void xml() {
        if (const auto why = missing("xmllint"); !why.isEmpty())
            QSKIP(qPrintable(why));
        for (const char* name : {"rankscope-mime.xml", "rankscope.metainfo.xml"}) {
            const Ran one = ran("xmllint", {"--noout", kDesktop + QLatin1String(name)});
            QVERIFY2(one.code == 0, qPrintable(one.err));
        }
    }

    void types() {
        if (const auto why = missing("update-mime-database"); !why.isEmpty())
            QSKIP(qPrintable(why));
        const Ran made = ran("update-mime-database", {ownData().filePath("mime")});
        QVERIFY2(made.code == 0 && !made.err.contains("rankscope"), qPrintable(made.err)); // it warns of ignored types
        QMimeDatabase types;
        const QMimeType run = types.mimeTypeForFile("/x/run.json", QMimeDatabase::MatchExtension);
        QCOMPARE(run.name(), QString("application/x-rankscope-run+json"));
        QVERIFY(run.inherits("application/json"));
        QCOMPARE(types.mimeTypeForFile("/x/other.json", QMimeDatabase::MatchExtension).name(),
                 QString("application/json"));
        QFile trees(ownData().filePath("mime/treemagic"));
        QVERIFY(trees.open(QIODevice::ReadOnly));
        QVERIFY(trees.readAll().contains("x-content/x-rankscope-run"));
    }
    void entryOpensTheTypes() {
        QFile file(kDesktop + "rankscope.desktop");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        for (const char* type : {"application/x-rankscope-run+json", "x-content/x-rankscope-run"})
            QVERIFY2(text.contains(type), type);
        // Declaring a general type would make the window the default program for every file of that type.
        for (const char* type : {"yaml", "application/json", "text/plain"})
            QVERIFY2(!text.contains(type), type);
    }

    void iconsAreTheDrawing_data() {
        QTest::addColumn<int>("size");
        for (const int size : {16, 24, 32, 48, 64, 128, 256})
            QTest::addRow("%d", size) << size;
    }
    void iconsAreTheDrawing() {
        QFETCH(int, size);
        const QImage icon(kIcons + QStringLiteral("hicolor/%1.png").arg(size));
        QCOMPARE(icon.size(), QSize(size, size));
        QImage drawn(size, size, QImage::Format_ARGB32_Premultiplied);
        drawn.fill(Qt::transparent);
        QPainter painter(&drawn);
        QSvgRenderer renderer(kIcons + "rankscope.svg");
        QVERIFY(renderer.isValid());
        renderer.render(&painter);
        painter.end();
        const QImage mine = icon.convertToFormat(QImage::Format_ARGB32_Premultiplied);
        qint64 difference = 0;
        for (int y = 0; y < size; ++y)
            for (int x = 0; x < size; ++x) {
                const QRgb a = mine.pixel(x, y), b = drawn.pixel(x, y);
                difference += std::abs(qRed(a) - qRed(b)) + std::abs(qGreen(a) - qGreen(b)) +
                              std::abs(qBlue(a) - qBlue(b)) + std::abs(qAlpha(a) - qAlpha(b));
            }
        const double mean = static_cast<double>(difference) / (4.0 * size * size);
        QVERIFY2(mean < 3, qPrintable(QString::number(mean))); // two renderers smooth edges differently
    }
};

RANKSCOPE_GUI_TEST(TestDesktop)
#include "tst_desktop.moc"
