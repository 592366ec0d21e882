// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace rankscope::ui {

/// Shows over the whole page what dropping a file would do while it is held there.
class DropHint final : public QWidget {
    Q_OBJECT
public:
    explicit DropHint(QWidget* page);
    /// A drag over the page or `also`: shown as long as one local file is held there.
    void watch(QWidget* also);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_file;
};

} // namespace rankscope::ui
