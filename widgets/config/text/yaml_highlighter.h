// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSyntaxHighlighter>

namespace rankscope::ui {

/// Emphasizes the keys of a YAML file, and colours its comments, interpolations and constants, one line at a time.
class YamlHighlighter final : public QSyntaxHighlighter {
    Q_OBJECT
public:
    using QSyntaxHighlighter::QSyntaxHighlighter;
    /// While on, changed lines are not highlighted; the caller has to call highlight() for them later.
    void setDeferred(bool on) { m_deferred = on; }
    /// Highlights these lines without laying out each one.
    void highlight(int first, int count);

protected:
    void highlightBlock(const QString& text) override;

private:
    bool m_deferred = false;
};

} // namespace rankscope::ui
