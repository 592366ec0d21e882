// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/language_change.h"

#include <QEvent>
#include <QWidget>

#include <utility>

namespace rankscope::ui {

namespace {

class LanguageFilter final : public QObject {
public:
    LanguageFilter(QWidget* widget, std::function<void()> translate)
        : QObject(widget), m_translate(std::move(translate)) {
        widget->installEventFilter(this);
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::LanguageChange)
            m_translate();
        return QObject::eventFilter(watched, event);
    }

private:
    std::function<void()> m_translate;
};

} // namespace

void onLanguageChange(QWidget* widget, std::function<void()> translate) {
    new LanguageFilter(widget, std::move(translate)); // the widget owns it
}

} // namespace rankscope::ui
