// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/text/tool_tip.h"

namespace rankscope::ui {

QString plainToolTip(const QString& text) {
    // Qt does not treat text that has neither as markup (Qt::mightBeRichText)
    if (!text.contains(QLatin1Char('<')) && !text.contains(QLatin1String("&lt;")))
        return text;
    return QStringLiteral("<div style=\"white-space:pre-wrap\">") + text.toHtmlEscaped() + QStringLiteral("</div>");
}

} // namespace rankscope::ui
