// SPDX-License-Identifier: GPL-3.0-or-later
// Names the Python in which NeMo trains a recipe, and finds out in the background whether it has NeMo.
#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QProcess;
class QToolButton;

namespace rankscope::ui {

class NemoPython final : public QWidget {
    Q_OBJECT
public:
    explicit NemoPython(QWidget* parent = nullptr);
    ~NemoPython() override;

    QString python() const; ///< an absolute path, or a name that is looked up in PATH; empty: none
    void setPython(const QString& python);
    /// Returns whether this Python has said which NeMo it has.
    bool isFound() const { return m_state == AnswerState::Found; }
    QString status() const; ///< what is known about this Python, as the row shows it

signals:
    void changed(); ///< the Python, or what is known about it

protected:
    void showEvent(QShowEvent* event) override;

private:
    enum class AnswerState { None, Asking, Found, Missing };
    void retranslate();
    void ask();
    void start();
    void finished(int exitCode, bool crashed);
    void answer(AnswerState state, const QString& said = {});
    void drop();
    void browse();

    QLabel *m_label, *m_status;
    QLineEdit* m_line;
    QToolButton* m_browse;
    QTimer m_delay, m_limit;
    QPointer<QProcess> m_process;
    AnswerState m_state = AnswerState::None;
    QString m_said; ///< NeMo's version, or why there is none; empty: only that there is none
};

} // namespace rankscope::ui
