// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/run/run_session.h"

#include <QPointer>
#include <QWidget>

#include <cstdint>

class QLabel;
class QLineEdit;

namespace rankscope::ui {

/// Lets the user type a time or a step of the run; hidden until open().
class LogGoToBar final : public QWidget {
    Q_OBJECT
public:
    explicit LogGoToBar(QWidget* parent = nullptr);

    void setSession(RunSession* session) { m_session = session; }
    void open();
    void retranslate();

signals:
    void timeChosen(qint64 timeMs); ///< wall clock since 1970
    void closed();

private:
    void goTo(const QString& where);
    void goToStep(std::int64_t step);

    QPointer<RunSession> m_session;
    QLineEdit* m_edit;
    QLabel* m_hint;
};

} // namespace rankscope::ui
