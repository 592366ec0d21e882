// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of the core follow the window's language.
#include "tests/support/test_runner.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/models/text/text_format.h"

#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;

class TextFormat : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { setLanguage(QStringLiteral("en")); }

    void messagesFollowTheLanguage() {
        const Error error{Errc::BadInput, {"{} is {}, must be odd", "a.b", 4}, "a.yaml:1:2"};
        QCOMPARE(messageText(error), QStringLiteral("a.yaml:1:2: a.b is 4, must be odd"));
        setLanguage(QStringLiteral("zh"));
        QCOMPARE(messageText(error), QStringLiteral("a.yaml:1:2：a.b 为 4，必须是奇数"));
        QCOMPARE(messageText(error.what), QStringLiteral("a.b 为 4，必须是奇数"));
        QCOMPARE(messageText(Message(std::string("said elsewhere"))), QStringLiteral("said elsewhere"));
        QCOMPARE(placedText(QStringLiteral("batch_size"), QStringLiteral("过大")), QStringLiteral("batch_size：过大"));
    }
    void durationsFollowTheLanguage() {
        QCOMPARE(durationText(3'200'000'000), QStringLiteral("3.2 s"));
        setLanguage(QStringLiteral("zh"));
        QCOMPARE(durationText(0), QStringLiteral("0 秒"));
        QCOMPARE(durationText(480'000'000), QStringLiteral("480 ms"));
        QCOMPARE(durationText(3'200'000'000), QStringLiteral("3.2 秒"));
        QCOMPARE(durationText(252'000'000'000), QStringLiteral("4 分 12 秒"));
    }
    void whatALaunchSays() {
        setLanguage(QStringLiteral("zh"));
        const Error error{Errc::NotFound, "the manifest does not exist (relative paths start at the working folder)",
                          "model.train_ds.manifest_filepath: /data/train.json"};
        QCOMPARE(
            messageText(error),
            QStringLiteral("model.train_ds.manifest_filepath: /data/train.json：manifest 不存在（相对路径从工作目录"
                           "算起）"));
    }
};

RANKSCOPE_CORE_TEST(TextFormat)
#include "tst_text_format.moc"
