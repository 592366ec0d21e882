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
    /// `what`: a folder, or part of a run's id. False: the open run is unchanged and a notice says why.
    bool open(const QString& what);
    void close();
    QString problem() const { return m_problem; } ///< why the last run could not be opened

signals:
    /// session() is another one, or none. The last one lives until this signal was handled.
    void changed();
    void importRequested(const QString& folder);

private:
    void complainOfFolder(const QString& dir);

    QString m_runsDir, m_problem;
    NoticeStrip* m_notices;
    std::unique_ptr<RunSession> m_session;
};

} // namespace rankscope::ui
