// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QLineEdit;
class QListWidget;
class QTextBrowser;
class QToolButton;

namespace rankscope::ui {

/// Shows the guide as it came with the program, page by page, in the window's language where a page has been
/// translated. Nothing is fetched from anywhere.
class GuideWindow final : public QDialog {
    Q_OBJECT
public:
    /// `guide` is the English guide; the other pages are in its folder, the Chinese ones in zh/ there.
    explicit GuideWindow(const QString& guide, QWidget* parent = nullptr);

private:
    void open(const QString& page); ///< shows this file, or its page in the window's language
    void fillPages();
    void pageShown(const QUrl& page);
    void find(bool forward);
    void changeLanguage();
    void retranslate();

    QString m_guide; ///< the English guide, absolute
    QListWidget* m_pages;
    QTextBrowser* m_browser;
    QLineEdit* m_find;
    QToolButton *m_back, *m_forward;
};

/// docs/guide.md as it is installed, or of the checkout that the program runs from; empty: there is none.
QString findGuide();

} // namespace rankscope::ui
