// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <functional>

class QDropEvent;

namespace rankscope::ui {

/// Shows over the whole page what dropping files would do, for as long as they are held there.
class DropHint final : public QWidget {
    Q_OBJECT
public:
    using DropText = std::function<QString(const QDropEvent*)>; ///< empty: there is no hint
    DropHint(QWidget* page, DropText text);
    /// Watches for drags over `also` as well as over the page.
    void watch(QWidget* also);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    DropText m_text;
    QString m_shown;
};

} // namespace rankscope::ui
