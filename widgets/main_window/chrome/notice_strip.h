// SPDX-License-Identifier: GPL-3.0-or-later
// Shows errors above the pages until they are closed; the page below is not affected.
#pragma once

#include <QFrame>

#include <functional>

class QLabel;
class QPushButton;
class QToolButton;

namespace rankscope::ui {

/// One notice. Its texts are requested again when the language changes.
struct Notice {
    enum class NoticeKind { Info, Warning, Error };
    NoticeKind kind = NoticeKind::Error;
    QString topic; ///< a later notice of the same topic replaces this one
    std::function<QString()> text, details, actionText;
    std::function<void()> action;
};

/// Shows the newest notice; closing it shows the previous one again.
class NoticeStrip final : public QFrame {
    Q_OBJECT
public:
    explicit NoticeStrip(QWidget* parent = nullptr);
    void add(Notice notice);
    /// Adds an error: the first line of `problem` is the notice, the others are its details.
    void showError(const QString& problem, const QString& topic = {});
    void drop(const QString& topic);
    QString text() const; ///< empty: nothing is shown
    QString details() const;

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void closeNewest();
    void copy() const;
    void refresh();
    void applyTheme();

    QList<Notice> m_notices; ///< the newest is the last
    QLabel *m_text, *m_details, *m_more;
    QPushButton* m_action;
    QToolButton *m_detailsButton, *m_copy, *m_close;
};

} // namespace rankscope::ui
