// SPDX-License-Identifier: GPL-3.0-or-later
// The core speaks English and knows no translator. Its sentences come back here: each template below is matched against
// the whole text, and what stands at %1, %2 … goes into the translation. A sentence that is not listed stays English.
#include "widgets/config/decisive.h"
#include "widgets/config/rule_texts.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>

#include <vector>

namespace rankscope::ui {

namespace {

// the more specific first
constexpr const char* kTemplates[] = {
    // problems
    QT_TRANSLATE_NOOP("core", "unknown key %1; did you mean %2"),
    QT_TRANSLATE_NOOP("core", "unknown key %1"),
    QT_TRANSLATE_NOOP("core", "%1 is a key of your own: kept, and open to interpolation"),
    QT_TRANSLATE_NOOP("core", "%1 is not a section that NeMo reads; did you mean %2"),
    QT_TRANSLATE_NOOP("core", "%1 is absent; %2 requires it"),
    QT_TRANSLATE_NOOP("core", "%1 is a section, not %2"),
    QT_TRANSLATE_NOOP("core", "%1 is %2: not supported by the trainer yet; it takes %3"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must be one of %3; did you mean %4"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must be one of %3"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must be at least %3"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must be above %3"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must be at most %3"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must be below %3"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must equal %3, which is %4"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must divide %3, which is %4"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must not be above %3, which is %4"),
    QT_TRANSLATE_NOOP("core", "%1 is %2, must be odd"),
    QT_TRANSLATE_NOOP("core", "%1 must be %2, not %3"),
    QT_TRANSLATE_NOOP("core", "%1 is ???: %2"),
};

struct Template {
    const char* context;
    const char* english;
    QRegularExpression pattern;
};

std::vector<Template> compile() {
    static const QRegularExpression slot(QStringLiteral("%\\d"));
    std::vector<Template> all;
    const auto add = [&](const char* context, const char* english) {
        QStringList fixed;
        for (const QString& part : QString::fromUtf8(english).split(slot))
            fixed << QRegularExpression::escape(part);
        all.push_back({context, english,
                       QRegularExpression(QRegularExpression::anchoredPattern(fixed.join(QStringLiteral("(.+?)"))))});
    };
    for (const char* english : ruleTexts())
        add("rules", english);
    for (const char* english : kTemplates)
        add("core", english);
    return all;
}

} // namespace

QString coreText(const std::string& english) {
    const QString text = QString::fromStdString(english);
    if (text.isEmpty() || QLocale().language() == QLocale::English)
        return text;
    static const std::vector<Template> templates = compile();
    for (const Template& one : templates) {
        const auto match = one.pattern.match(text);
        if (!match.hasMatch())
            continue;
        QString translated = QCoreApplication::translate(one.context, one.english);
        // not arg(): a value may itself hold a "%1"
        for (int i = match.lastCapturedIndex(); i > 0; --i)
            translated.replace(QStringLiteral("%%1").arg(i), match.captured(i));
        return translated;
    }
    return text;
}

} // namespace rankscope::ui
