// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/clipboard/copy_text.h"

#include "widgets/theme/accessible.h"
#include "widgets/theme/theme.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QLabel>
#include <QTimer>

#include <chrono>

namespace rankscope::ui {

void copyText(const QString& text, const QWidget* from) {
    QGuiApplication::clipboard()->setText(text);
    if (!from)
        return;
    QWidget* window = from->window();
    // not a tool tip: that would go as soon as the pointer leaves the button
    auto* note = new QLabel(QCoreApplication::translate("CopyText", "Copied"), window);
    note->setObjectName(QStringLiteral("copiedNote"));
    note->setAttribute(Qt::WA_TransparentForMouseEvents);
    note->setAutoFillBackground(true);
    note->setBackgroundRole(QPalette::ToolTipBase);
    note->setForegroundRole(QPalette::ToolTipText);
    note->setFont(secondaryFont());
    note->setFrameStyle(QFrame::Box);
    note->setMargin(3);
    note->adjustSize();
    const QPoint below = from->mapTo(window, QPoint((from->width() - note->width()) / 2, from->height() + 2));
    note->move(qMax(0, qMin(below.x(), window->width() - note->width())),
               qMax(0, qMin(below.y(), window->height() - note->height())));
    note->show();
    announce(note, note->text());
    QTimer::singleShot(std::chrono::seconds(2), note, &QObject::deleteLater);
}

} // namespace rankscope::ui
