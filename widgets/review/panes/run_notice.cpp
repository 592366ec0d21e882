// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/panes/run_notice.h"

#include "widgets/models/view/run_view.h"
#include "widgets/theme/theme.h"

namespace rankscope::ui {

RunNotice::RunNotice(QWidget* parent) : QLabel(parent) {
    setWordWrap(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse);
    setContentsMargins(12, 6, 12, 6);
    hide();
}

void RunNotice::setView(const RunView& view) {
    QStringList problems{view.problem, view.goneRealtimeNs == 0 ? view.chainProblem : QString()};
    problems.removeAll(QString());
    const QString told = problems.join(QLatin1Char('\n'));
    setVisible(!told.isEmpty());
    if (told == text())
        return;
    setText(told);
    const auto& palette = Theme::instance().palette();
    setStyleSheet(QStringLiteral("background:%1;color:%2;").arg(palette.raised.name(), palette.text.name()));
}

} // namespace rankscope::ui
