// SPDX-License-Identifier: GPL-3.0-or-later
// The folder of the run that is open is gone: one notice over all pages, instead of what each of them cannot read.
#pragma once

#include <QFrame>

#include <cstdint>

class QLabel;
class QPushButton;

namespace rankscope::ui {

class GoneNotice final : public QFrame {
    Q_OBJECT
public:
    explicit GoneNotice(QWidget* parent = nullptr);
    /// `sinceRealtimeNs` 0: the folder is there.
    void setGone(const QString& folder, std::int64_t sinceRealtimeNs);

signals:
    void closeRequested();
    void lookRequested();

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
