// SPDX-License-Identifier: GPL-3.0-or-later
// The guide as it came with the program, page by page; nothing is fetched from anywhere.
#pragma once

#include <QDialog>

class QLineEdit;
class QListWidget;
class QTextBrowser;
class QToolButton;

namespace rankscope::ui {

class GuideWindow final : public QDialog {
    Q_OBJECT
public:
    explicit GuideWindow(const QString& guide, QWidget* parent = nullptr);
    void open(const QString& page); ///< a file beside the guide
    QString title() const;          ///< of the page that is shown
    QTextBrowser* browser() const { return m_browser; }
    QListWidget* pages() const { return m_pages; }

protected:
    void changeEvent(QEvent* event) override;

private:
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
