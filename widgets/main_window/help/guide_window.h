// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QLineEdit;
class QListWidget;
class QTextBrowser;
class QToolButton;

namespace rankscope::ui {

/// Shows the installed guide page by page, in the window's language if a page has been translated. Nothing is fetched
/// from the network.
class GuideWindow final : public QDialog {
    Q_OBJECT
public:
    /// `guide` is the English guide; the other pages are in its folder, the Chinese ones in zh/ there.
    explicit GuideWindow(const QString& guide, QWidget* parent = nullptr);

private:
    void open(const QString& page); ///< shows this file, or its page in the window's language
    void fillPages();
    void pageShown(const QUrl& page);
    void find(bool forward); ///< goes to the next or previous match, also on other pages
    bool findOnPage(bool forward);
    void changeLanguage();
    void retranslate();

    QString m_guide; ///< the English guide, absolute
    QListWidget* m_pages;
    QTextBrowser* m_browser;
    QLineEdit* m_find;
    QToolButton *m_back, *m_forward;
};

/// Returns docs/guide.md of the installation or of the checkout that the program runs from; empty if there is none.
QString findGuide();

} // namespace rankscope::ui
