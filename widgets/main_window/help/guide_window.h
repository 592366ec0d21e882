// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QLineEdit;
class QListWidget;
class QTextBrowser;
class QToolButton;

namespace rankscope::ui {

/// Shows the guide as it came with the program, page by page; nothing is fetched from anywhere.
class GuideWindow final : public QDialog {
    Q_OBJECT
public:
    explicit GuideWindow(const QString& guide, QWidget* parent = nullptr);

private:
    void open(const QString& page); ///< a file beside the guide
    void fillPages(const QString& guide);
    void pageShown(const QUrl& page);
    void find(bool forward);
    void retranslate();

    QListWidget* m_pages;
    QTextBrowser* m_browser;
    QLineEdit* m_find;
    QToolButton *m_back, *m_forward;
};

/// docs/guide.md as it is installed, or of the checkout that the program runs from; empty: there is none.
QString findGuide();

} // namespace rankscope::ui
