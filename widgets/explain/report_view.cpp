// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explain/report_view.h"

#include "widgets/theme/theme.h"

#include <QScrollBar>
#include <QTextBlock>

namespace rankscope::ui {

static QString reportStyle() {
    const Palette& p = Theme::instance().palette();
    return QStringLiteral("h1{font-size:%1pt;font-weight:600;margin-top:0;margin-bottom:10px}"
                          "h2{font-size:%2pt;font-weight:600;margin-top:18px;margin-bottom:4px}"
                          "h3{font-size:%2pt;font-weight:600;margin-top:8px;margin-bottom:2px}"
                          "td,th{padding-top:2px;padding-bottom:2px;padding-right:16px}"
                          "th{color:%3;font-weight:normal;text-align:left}"
                          "td.n,th.n{text-align:right}"
                          "ul{margin-top:2px;margin-bottom:2px}"
                          ".dim{color:%3}.bad{color:%4}"
                          "a{color:%5;text-decoration:none}")
        .arg(titleFont().pointSize())
        .arg(bodyFont().pointSize())
        .arg(p.secondary.name(), p.dead.name(), p.accent.name());
}

ReportView::ReportView(QWidget* parent) : QTextBrowser(parent) {
    setOpenLinks(false);
    setUndoRedoEnabled(false);
    setFrameShape(QFrame::NoFrame);
    document()->setDocumentMargin(16);
    document()->setIndentWidth(20);
    connect(&Theme::instance(), &Theme::changed, this, &ReportView::render);
}

void ReportView::setReport(const QString& html) {
    m_html = html;
    render();
}

/// Builds the document again: its text keeps the colours that it was made with.
void ReportView::render() {
    const int position = verticalScrollBar()->value();
    document()->setDefaultStyleSheet(reportStyle());
    setHtml(m_html);
    keepHeadingSizes();
    verticalScrollBar()->setValue(position);
}

/// Gives headings the sizes of the style sheet, which Qt's own sizes for headings would replace.
void ReportView::keepHeadingSizes() {
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() == 0)
            continue;
        QTextCursor cursor(block);
        cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        QTextCharFormat format = cursor.charFormat();
        format.clearProperty(QTextFormat::FontSizeAdjustment);
        cursor.setCharFormat(format);
    }
}

QVariant ReportView::loadResource(int, const QUrl&) {
    return {};
}

} // namespace rankscope::ui
