// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSyntaxHighlighter>

namespace rankscope::ui {

/// Keys, comments, strings, interpolations and constants of a YAML file; one line at a time.
class YamlHighlighter final : public QSyntaxHighlighter {
    Q_OBJECT
public:
    using QSyntaxHighlighter::QSyntaxHighlighter;
    /// Lines that change while this is on are not looked at: who turns it on calls highlight() for them later.
    void setDeferred(bool on) { m_deferred = on; }
    /// These lines, without a layout of each one.
    void highlight(int first, int count);

protected:
    void highlightBlock(const QString& text) override;

private:
    bool m_deferred = false;
};

} // namespace rankscope::ui
