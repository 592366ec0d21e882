// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "widgets/controls/rank_state_mark.h"
#include "widgets/theme/theme.h"

#include <QDirIterator>
#include <QImage>
#include <QPainter>
#include <QSet>
#include <QTest>

#include <cmath>

using namespace rankscope;
using namespace rankscope::ui;
using diagnosis::RankState;

class ThemeTest : public QObject {
    Q_OBJECT

private slots:
    void textIsReadable_data() {
        QTest::addColumn<int>("mode");
        QTest::newRow("light") << static_cast<int>(Theme::Mode::Light);
        QTest::newRow("dark") << static_cast<int>(Theme::Mode::Dark);
    }
    void textIsReadable() {
        QFETCH(int, mode);
        Theme::instance().apply(static_cast<Theme::Mode>(mode));
        const Palette& p = Theme::instance().palette();
        for (const QColor& ground : {p.window, p.panel, p.raised}) {
            QVERIFY(contrast(p.text, ground) >= 7);
            QVERIFY(contrast(p.secondary, ground) >= 4.5);
        }
        for (const QColor& colour : {p.dead, p.accent})
            QVERIFY(contrast(colour, p.panel) >= 4.5);
        for (int rank = 0; rank < 8; ++rank) // lines
            QVERIFY2(contrast(Theme::instance().rankPen(rank).color(), p.panel) >= 2.0,
                     qPrintable(QString::number(rank)));
    }

    void statesDifferInShapeNotOnlyInColour() {
        QList<QImage> marks;
        for (RankState state : {RankState::Starting, RankState::Computing, RankState::Waiting, RankState::Holder,
                                RankState::Stopped, RankState::Dead, RankState::Finished, RankState::Unknown}) {
            QImage image(16, 16, QImage::Format_ARGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            drawStateMark(painter, QRectF(0, 0, 16, 16), state, Qt::black);
            painter.end();
            for (const QImage& other : marks)
                QVERIFY(difference(image, other) > 15);
            marks << image;
        }
    }

    void noRoleHasTheColourOfARankOrOfAnotherRole() {
        for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
            Theme::instance().apply(mode);
            const Palette& p = Theme::instance().palette();
            const QList<QColor> roles{p.accent, p.incident, p.data, p.good, p.dead, p.caution};
            for (qsizetype i = 0; i < roles.size(); ++i) {
                for (qsizetype k = i + 1; k < roles.size(); ++k)
                    QVERIFY2(apart(roles[i], roles[k]) > 20, qPrintable(roles[i].name() + u' ' + roles[k].name()));
                for (int rank = i == 0 ? 1 : 0; rank < 8; ++rank) // rank 0 is blue, too
                    QVERIFY2(apart(roles[i], Theme::instance().rankPen(rank).color()) > 20,
                             qPrintable(roles[i].name() + QStringLiteral(" rank %1").arg(rank)));
            }
        }
    }

    void firstEightRanksHaveOwnColoursThenDashes() {
        Theme::instance().apply(Theme::Mode::Light);
        QSet<QRgb> colours;
        for (int rank = 0; rank < 8; ++rank)
            colours.insert(Theme::instance().rankPen(rank).color().rgb());
        QCOMPARE(colours.size(), 8);
        QVERIFY(Theme::instance().rankPen(4).style() == Qt::SolidLine);
        QVERIFY(Theme::instance().rankPen(5).style() == Qt::CustomDashLine);
        QVERIFY(Theme::instance().rankPen(8).style() == Qt::CustomDashLine); // distinct from rank 0
    }

    void iconsFollowTheTheme() {
        int icons = 0;
        for (QDirIterator it(QStringLiteral(":/icons")); it.hasNext(); ++icons) {
            const QString name = QFileInfo(it.next()).completeBaseName();
            if (name == QLatin1String("rankscope"))
                continue;
            Theme::instance().apply(Theme::Mode::Light);
            const QIcon icon = Theme::instance().icon(name);
            const QImage light = icon.pixmap(32, 32).toImage();
            Theme::instance().apply(Theme::Mode::Dark);
            const QImage dark = icon.pixmap(32, 32).toImage();
            QVERIFY2(!light.isNull() && light != dark, qPrintable(name));
        }
        QVERIFY(icons > 20);
    }

    /// Names of files and collectives are not broken at their hyphens, however wide the label is.
    void aSentenceBreaksAtSpaces() {
        const QString sentence =
            QStringLiteral("Rank 1 is reading audio/29-pt-m1.wav. Rank 0 waits in all-reduce 551.");
        ClampedLabel label(20);
        label.show();
        const QFontMetrics metrics = label.fontMetrics();
        const int word = metrics.horizontalAdvance(QStringLiteral("audio/29-pt-m1.wav.")) + 2;
        for (int width = word; width < metrics.horizontalAdvance(sentence); width += 3) {
            label.resize(width, 400);
            label.setText(sentence);
            QVERIFY(label.lines().size() > 1);
            QCOMPARE(label.lines().join(u' '), sentence);
        }
    }

private:
    static double apart(const QColor& a, const QColor& b) {
        return std::hypot(a.red() - b.red(), a.green() - b.green(), a.blue() - b.blue());
    }
    static int difference(const QImage& a, const QImage& b) {
        int pixels = 0;
        for (int y = 0; y < a.height(); ++y)
            for (int x = 0; x < a.width(); ++x)
                pixels += std::abs(qGray(a.pixel(x, y)) - qGray(b.pixel(x, y))) > 96 ? 1 : 0;
        return pixels;
    }
};

RANKSCOPE_GUI_TEST(ThemeTest)
#include "tst_theme.moc"
