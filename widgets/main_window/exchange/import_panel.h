// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a run of TensorBoard event files or the folder of NeMo's exp_manager.
#pragma once

#include "widgets/main_window/exchange/exchange_panel.h"

class QLineEdit;

namespace rankscope::ui {

class ImportPanel final : public ExchangePanel {
    Q_OBJECT
public:
    ImportPanel(QString runsDir, QWidget* parent);
    void setSource(const QString& path); ///< a new one: name and recipe are its own again
    void reopen();                       ///< shown again: what was typed stays, what was imported goes

    /// What is dropped onto the window is to be imported: an event file, or a folder that is no run of Rankscope's and
    /// has some in it.
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

    QString sourcePath() const; ///< as it is typed, with ~ as the home folder
    bool isImported() const;

    QString m_runsDir, m_draft, m_importedFrom;
    QLineEdit *m_source, *m_name, *m_config;
    QPushButton *m_folder, *m_file;
};

} // namespace rankscope::ui
