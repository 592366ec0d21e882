// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextBrowser>

namespace rankscope::ui {

/// Shows a report in the window's colours. It loads nothing, and a link is only reported.
class ReportView final : public QTextBrowser {
    Q_OBJECT
public:
    explicit ReportView(QWidget* parent = nullptr);
    /// Shows elements without a frame, as explanationFragment() returns them. The position is kept.
    void setReport(const QString& html);

protected:
    QVariant loadResource(int type, const QUrl& name) override;

private:
    void render();
    void keepHeadingSizes();

    QString m_html;
};

} // namespace rankscope::ui
