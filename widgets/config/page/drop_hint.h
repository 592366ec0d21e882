// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace rankscope::ui {

/// Shows over the whole page what dropping the file would do, for as long as it is held there.
class DropHint final : public QWidget {
    Q_OBJECT
public:
    explicit DropHint(QWidget* page);
    /// Watches for drags over the page or `also`: the hint is shown while one local file is held there.
    void watch(QWidget* also);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_file;
};

} // namespace rankscope::ui
