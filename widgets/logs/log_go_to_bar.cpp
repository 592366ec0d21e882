// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/logs/log_go_to_bar.h"

#include "widgets/models/run/run_session.h"

#include <QAction>
#include <QDateTime>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>

namespace rankscope::ui {

static constexpr int kStepTag = 77'001; ///< tag of the series that has the steps' times

LogGoToBar::LogGoToBar(QWidget* parent) : QWidget(parent), m_edit(new QLineEdit), m_hint(new QLabel) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 0, 8, 6);
    m_edit->setFixedWidth(280);
    m_hint->setForegroundRole(QPalette::PlaceholderText);
    row->addWidget(m_edit);
    row->addWidget(m_hint, 1);
    hide();
    connect(m_edit, &QLineEdit::returnPressed, this, [this] { goTo(m_edit->text().trimmed()); });
    auto* leave = new QAction(this);
    leave->setShortcut(QKeySequence(Qt::Key_Escape));
    leave->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(leave);
    connect(leave, &QAction::triggered, this, [this] {
        hide();
        emit closed();
    });
}

void LogGoToBar::open() {
    show();
    m_hint->clear();
    m_edit->setFocus(Qt::ShortcutFocusReason);
    m_edit->selectAll();
}

void LogGoToBar::goTo(const QString& where) {
    if (!m_session)
        return;
    m_hint->clear();
    const QString word = tr("step");
    QString number = where;
    for (const QString& prefix : {word, QStringLiteral("step")})
        if (number.startsWith(prefix, Qt::CaseInsensitive))
            number = number.mid(prefix.size()).trimmed();
    if (number.endsWith(u'步')) // "第 1200 步" has the number in the middle
        number = number.chopped(1).trimmed();
    bool isStep = false;
    if (const qlonglong step = number.remove(u',').toLongLong(&isStep); isStep && step >= 0)
        return goToStep(step);
    const QDateTime began = QDateTime::fromMSecsSinceEpoch(m_session->view().info.startRealtimeNs / 1'000'000);
    QDateTime moment = QDateTime::fromString(where, QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    if (!moment.isValid()) {
        QTime time = QTime::fromString(where, QStringLiteral("H:mm:ss"));
        if (!time.isValid())
            time = QTime::fromString(where, QStringLiteral("H:mm"));
        if (time.isValid())
            moment = QDateTime(began.date(), time);
        if (moment.isValid() && moment < began.addSecs(-60))
            moment = moment.addDays(1); // the run continued after midnight
    }
    if (!moment.isValid()) {
        m_hint->setText(tr("Enter a time (12:04:31 or 2025-01-31 12:04:31) or a step (1200)."));
        return;
    }
    emit timeChosen(moment.toMSecsSinceEpoch());
}

/// Looks up the step's time in the store and goes there.
void LogGoToBar::goToStep(std::int64_t step) {
    auto* once = new QObject(this);
    connect(m_session, &RunSession::seriesReady, once, [this, once, step](int tag, const SeriesReply& reply) {
        if (tag != kStepTag)
            return;
        once->deleteLater();
        for (const auto& ranks : reply.points)
            for (const auto& points : ranks)
                if (!points.empty())
                    return emit timeChosen((m_session->view().info.startRealtimeNs + points.front().beginNs) /
                                           1'000'000);
        m_hint->setText(tr("There is no step %1; the newest is %2").arg(step).arg(reply.lastStep));
    });
    m_session->requestSeries(kStepTag,
                             {{store::Metric::StepTime, store::Metric::Loss}, CurveAxis::Step, step, step, 4});
}

void LogGoToBar::retranslate() {
    m_edit->setPlaceholderText(tr("12:04:31, or step 1200"));
    m_edit->setAccessibleName(tr("Go to time or step…"));
}

} // namespace rankscope::ui
