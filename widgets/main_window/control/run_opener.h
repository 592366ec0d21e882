// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include <memory>

namespace rankscope::ui {

class NoticeStrip;
class RunSession;

/// Opens and closes the run that the window shows.
class RunOpener final : public QObject {
    Q_OBJECT
public:
    RunOpener(QString runsDir, NoticeStrip* notices);
    ~RunOpener() override;

    RunSession* session() const { return m_session.get(); } ///< null: no run is open
    QString dir() const;                                    ///< of the open run; empty: none is open
    /// Opens a run by its folder or part of its id. Returns false if that fails: the open run is unchanged and a notice
    /// says why.
    bool open(const QString& what);
    void close();
    QString problem() const { return m_problem; } ///< why the last run could not be opened

signals:
    /// session() has changed and may be null. The previous session lives until this signal has been handled.
    void changed();
    void importRequested(const QString& folder);

private:
    void showNotARun(const QString& dir);

    QString m_runsDir, m_problem;
    NoticeStrip* m_notices;
    std::unique_ptr<RunSession> m_session;
};

} // namespace rankscope::ui
