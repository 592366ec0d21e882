// SPDX-License-Identifier: GPL-3.0-or-later
// Shows one notice above all pages if the open run's folder is gone, instead of a read error on each of them.
#pragma once

#include <QFrame>

#include <cstdint>

class QLabel;
class QPushButton;

namespace rankscope::ui {

class MissingFolderNotice final : public QFrame {
    Q_OBJECT
public:
    explicit MissingFolderNotice(QWidget* parent = nullptr);
    /// Sets since when the folder has been gone; 0: it exists.
    void setGone(const QString& folder, std::int64_t sinceRealtimeNs);

signals:
    void closeRequested();
    void checkAgainRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void retranslate();

    QLabel* m_text;
    QPushButton *m_close, *m_look;
    QString m_folder;
    std::int64_t m_sinceNs = 0;
};

} // namespace rankscope::ui
