// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/incident_page.h"

#include "widgets/controls/plain_table.h"
#include "widgets/incidents/check_panel.h"
#include "widgets/incidents/incident_delegate.h"
#include "widgets/incidents/incident_detail.h"
#include "widgets/models/failure/run_failure.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/tables/incident_model.h"

#include <QBoxLayout>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QPointer>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

struct IncidentPage::Impl {
    QPointer<RunSession> session;
    IncidentModel* model = nullptr;
    QSortFilterProxyModel* sorted = nullptr;
    QStackedWidget* stack = nullptr;
    QLabel* empty = nullptr;
    QTableView* table = nullptr;
    IncidentDetail* detail = nullptr;
    CheckPanel* checks = nullptr;
    std::int64_t storeVersion = -1; ///< that the model shows
    launch::RunState state = launch::RunState::Starting;
    qint64 fatalId = 0;  ///< of the incident that ended the run
    qint64 wanted = 0;   ///< asked for before its row was there
    qint64 stacksOf = 0; ///< incident whose stacks are shown, or were asked for
    bool stacksThere = false;

    void build(IncidentPage* page);
    void update();
    void showIncidents(const RunView& view);
    void showCurrent();
    void askForStacks();
    void showStacks(const std::vector<store::StackRow>& stacks);
    void selectRow(qint64 id);
    QString emptyText() const;
};

void IncidentPage::Impl::build(IncidentPage* page) {
    model = new IncidentModel(page);
    table = new QTableView;
    table->setObjectName(QStringLiteral("incidentTable"));
    constexpr int widths[] = {128, 150, 110, 100, 180, 90, 100, 80};
    sorted = setUpPlainTable(table, model, IncidentModel::SortRole, widths);
    table->setItemDelegate(new IncidentDelegate(table));
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->sortByColumn(IncidentModel::SinceColumn, Qt::DescendingOrder);
    table->horizontalHeader()->setSectionResizeMode(IncidentModel::CollectiveColumn, QHeaderView::Stretch);
    detail = new IncidentDetail;
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(table);
    splitter->addWidget(detail);
    splitter->setStretchFactor(0, 0);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({7 * 24, 600}); // a header and six rows; the rest is for what one of them says
    splitter->setChildrenCollapsible(false);
    empty = new QLabel;
    empty->setAlignment(Qt::AlignCenter);
    empty->setWordWrap(true);
    empty->setForegroundRole(QPalette::PlaceholderText);
    stack = new QStackedWidget(page);
    stack->addWidget(empty);
    stack->addWidget(splitter);
    auto* outer = new QVBoxLayout(page);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(stack, 1);
    checks = new CheckPanel;
    outer->addWidget(checks);
}

/// Those of the second rank may be a moment behind the first's.
void IncidentPage::Impl::showStacks(const std::vector<store::StackRow>& stacks) {
    stacksThere = std::any_of(stacks.begin(), stacks.end(), [&](const auto& s) { return s.rank != stacks[0].rank; });
    detail->setStacks(stacks);
}

QString IncidentPage::Impl::emptyText() const {
    if (!session)
        return IncidentPage::tr(
            "<b>No run is shown</b><br><br>Choose a run on the left, open a run's folder, or launch "
            "one from the Configure page.");
    if (launch::isLive(session->view().info.state))
        return IncidentPage::tr("No rank has held the others up so far.");
    return IncidentPage::tr("No rank held the others up in this run.");
}

/// The one that ended the run is chosen as soon as it is known to have done so.
void IncidentPage::Impl::showIncidents(const RunView& view) {
    const auto* fatal = fatalIncident(view.incidents, view.info.state, view.info.cause);
    const qint64 id = fatal ? fatal->id : 0;
    model->setIncidents(view.incidents, view.knownNs, view.info.startNs, view.info.startRealtimeNs, id);
    if (std::exchange(fatalId, id) != id && id != 0 && wanted == 0)
        wanted = id;
}

void IncidentPage::Impl::update() {
    if (!session) {
        model->setIncidents({}, 0, 0, 0);
    } else {
        const RunView& view = session->view();
        if (view.storeVersion == storeVersion && view.info.state == state)
            model->setNow(view.knownNs);
        else
            showIncidents(view);
    }
    checks->setChecks(session ? session->view().checks : std::vector<store::CheckSummary>{});
    table->setAccessibleName(IncidentPage::tr("Incidents"));
    storeVersion = session ? session->view().storeVersion : -1;
    state = session ? session->view().info.state : launch::RunState::Starting;
    empty->setText(emptyText());
    stack->setCurrentIndex(model->rowCount() > 0 ? 1 : 0);
    if (wanted)
        selectRow(wanted);
    else if (model->rowCount() > 0 && !table->currentIndex().isValid())
        table->selectRow(0);
    showCurrent();
}

void IncidentPage::Impl::selectRow(qint64 id) {
    const int row = model->rowOf(id);
    wanted = row < 0 ? id : 0;
    if (row < 0)
        return;
    const QModelIndex index = sorted->mapFromSource(model->index(row, 0));
    table->setCurrentIndex(index);
    table->scrollTo(index);
}

void IncidentPage::Impl::showCurrent() {
    const int row = sorted->mapToSource(table->currentIndex()).row();
    const auto* in = model->incident(row);
    if (in && session) {
        if (in->id != stacksOf)
            detail->setStacks({});
        stacksThere = stacksThere && in->id == stacksOf;
        stacksOf = in->id;
        detail->setFaults(session->view().info.faults);
        detail->show(*in, session->view().knownNs, model->index(row, IncidentModel::StateColumn).data().toString());
    } else {
        stacksOf = 0;
        detail->clear();
    }
}

/// They are taken when the incident opens, and come a little later than its row.
void IncidentPage::Impl::askForStacks() {
    if (session && stacksOf != 0 && !stacksThere)
        session->requestStacks(stacksOf);
}

IncidentPage::IncidentPage(QWidget* parent) : QWidget(parent), m(std::make_unique<Impl>()) {
    m->build(this);
    connect(m->table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        m->showCurrent();
        m->askForStacks();
    });
    connect(m->detail, &IncidentDetail::remedyRequested, this, &IncidentPage::remedyRequested);
    connect(m->detail, &IncidentDetail::jumpRequested, this, &IncidentPage::jumpRequested);
    connect(m->table, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        const auto* in = m->model->incident(m->sorted->mapToSource(index).row());
        if (in && in->step >= 0)
            emit jumpRequested(in->step);
    });
    m->update();
}

IncidentPage::~IncidentPage() = default;

void IncidentPage::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) {
        m->detail->retranslate();
        m->model->retranslate();
        m->checks->retranslate();
        m->update();
    }
    QWidget::changeEvent(event);
}

void IncidentPage::setSession(RunSession* session) {
    if (m->session)
        m->session->disconnect(this);
    m->session = session;
    m->wanted = m->fatalId = 0;
    m->model->setIncidents({}, 0, 0, 0);
    m->storeVersion = -1;
    if (session) {
        connect(session, &RunSession::viewChanged, this, [this] { m->update(); });
        connect(session, &RunSession::storeChanged, this, [this] { m->askForStacks(); });
        connect(session, &RunSession::stacksReady, this, [this](qint64 id, const std::vector<store::StackRow>& stacks) {
            if (id == m->stacksOf)
                m->showStacks(stacks);
        });
    }
    m->update();
}

void IncidentPage::select(qint64 incidentId) {
    m->selectRow(incidentId);
}

void IncidentPage::selectCause(const QString& cause) {
    for (int row = 0; row < m->model->rowCount(); ++row) // newest first
        if (const auto* in = m->model->incident(row); QLatin1String(diagnosis::causeName(in->cause).data()) == cause)
            return m->selectRow(in->id);
}

} // namespace rankscope::ui
