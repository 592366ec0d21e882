// SPDX-License-Identifier: GPL-3.0-or-later
// Imports TensorBoard event files or the folder of NeMo's exp_manager as a run.
#pragma once

#include "widgets/main_window/exchange/exchange_panel.h"

class QLineEdit;

namespace rankscope::ui {

class ImportPanel final : public ExchangePanel {
    Q_OBJECT
public:
    ImportPanel(QString runsDir, QWidget* parent);
    void setSource(const QString& path); ///< a new source resets name and recipe
    void reopen();                       ///< shows the panel again: keeps what was typed, clears the last result

    /// Returns whether a path dropped onto the window can be imported: an event file, or a folder that contains some
    /// and is not a Rankscope run.
    static bool isSource(const QString& path);

public slots:
    void begin() override;

signals:
    void imported(const QString& runDir);

protected:
    void retranslate() override;
    void updateState() override;
    void finished(const QByteArray& output, const QString& remarks) override;

private:
    void browse(bool folder);

    QString sourcePath() const; ///< the typed path, with ~ replaced by the home folder
    bool isImported() const;

    QString m_runsDir, m_draft, m_importedFrom;
    QLineEdit *m_source, *m_name, *m_config;
    QPushButton *m_folder, *m_file;
};

} // namespace rankscope::ui
