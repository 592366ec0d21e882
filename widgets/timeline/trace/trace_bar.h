// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/plots/axes/plot_range.h"

#include <QWidget>

#include <filesystem>

class QLabel;
class QPushButton;

namespace rankscope::ui {

class TraceJob;

/// Exports a part of a run as a Chrome trace, and shows the progress while it is written; otherwise it is hidden.
class TraceBar final : public QWidget {
    Q_OBJECT
public:
    explicit TraceBar(QWidget* parent = nullptr);

    /// Asks for the file; `name` is the suggested one.
    void chooseFile(const QString& name);
    /// Writes a part of the store's run, in ns since its start, in the background.
    void write(const std::filesystem::path& store, const QString& file, PlotRange part);

signals:
    void fileChosen(const QString& file);
    void message(const QString& text);   ///< what was done
    void failed(const QString& problem); ///< what could not be done

private:
    void finish(const QString& file, const QString& problem, bool cancelled);
    void retranslate();

    TraceJob* m_job;
    QLabel* m_text;
    QPushButton* m_cancel;
};

} // namespace rankscope::ui
