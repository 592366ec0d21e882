// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/main_window/exchange/export_process.h"

#include <QDialog>

class QFormLayout;
class QLabel;
class QProgressBar;
class QPushButton;

namespace rankscope::ui {

/// The base of the panels for export and import: a form, a progress bar, a status line and buttons. They are not modal:
/// the window can be used meanwhile.
class ExchangePanel : public QDialog {
    Q_OBJECT
public:
    explicit ExchangePanel(QWidget* parent);
    bool isBusy() const { return m_task->isRunning(); }

public slots:
    virtual void begin() = 0;

protected:
    virtual void retranslate();
    virtual void updateState() = 0;
    virtual void finished(const QByteArray& output, const QString& remarks) = 0;
    void startTask(const QStringList& arguments, const QString& draft, const QString& target);
    void showStatus(const QString& text, bool problem = false);
    void forgetResult();                       ///< clears the last result and its sentence
    void setLabels(const QStringList& labels); ///< sets the labels of the form's rows, from the first
    void setDone(bool done);                   ///< done: Enter closes the panel
    void showEvent(QShowEvent* event) override;
    void reject() override;                       ///< Escape: cancels, then closes
    void closeEvent(QCloseEvent* event) override; ///< does the same

    QFormLayout* m_form;
    QLabel* m_hint;
    QProgressBar* m_bar;
    QLabel* m_status;
    QPushButton *m_begin, *m_cancel, *m_show;
    ExportProcess* m_task;
    QString m_result; ///< path of the result, for "show in folder"

private:
    void growToFit();
    void taskDone(const QByteArray& output, const QString& remarks, const QString& error, bool calledOff);
};

} // namespace rankscope::ui
