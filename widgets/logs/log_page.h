// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of all ranks merged or of one, with filter and follow. Large files are read in parts, never whole.
#pragma once

#include "widgets/models/view/run_view.h"

#include <QWidget>

#include <memory>

namespace rankscope::ui {

class RunSession;

class LogPage : public QWidget {
    Q_OBJECT
public:
    explicit LogPage(QWidget* parent = nullptr);
    ~LogPage() override;
    void setSession(RunSession* session);
public slots:
    void showRank(int rank);  ///< -1: all
    void showTime(qint64 ns); ///< since the run's start; -1: the newest
    void focusFilter();

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace rankscope::ui
