// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/incident_page.h"

#include "widgets/controls/files/manifest_file.h"
#include "widgets/controls/plain_table.h"
#include "widgets/controls/rank_state_mark.h"
#include "widgets/incidents/check_panel.h"
#include "widgets/incidents/incident_detail.h"
#include "widgets/models/failure/run_failure.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/tables/incident_model.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTableView>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kLead = 22;

/// Paints rows of the incident table: open incidents with a mark and a tint, the holder with its line.
class IncidentDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const auto& theme = Theme::instance();
        const bool open = index.data(IncidentModel::OpenRole).toBool();
        const int holder = index.data(IncidentModel::HolderRankRole).toInt();
        QStyleOptionViewItem item = option;
        item.state &= ~QStyle::State_HasFocus;
        if (open && !(option.state & QStyle::State_Selected))
            painter->fillRect(option.rect, theme.palette().tinted(theme.palette().incident));
        const bool state = index.column() == IncidentModel::StateColumn;
        const bool line = index.column() == IncidentModel::HolderColumn && holder >= 0;
        if (state || line)
            item.rect.adjust(kLead, 0, 0, 0);
        const auto group = option.state & QStyle::State_Active ? QPalette::Active : QPalette::Inactive;
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, option.palette.brush(group, QPalette::Highlight));
        QStyledItemDelegate::paint(painter, item, index);
        const QRectF lead(option.rect.left() + 4, option.rect.top(), kLead - 4, option.rect.height());
        if (state) {
            const auto mark = static_cast<diagnosis::RankState>(index.data(IncidentModel::MarkRole).toInt());
            QColor colour = theme.palette().incident;
            if (option.state & QStyle::State_Selected)
                colour = option.palette.color(QPalette::HighlightedText);
            drawStateMark(*painter, QRectF(lead.left() + 2, lead.center().y() - 7, 14, 14), mark, colour);
        }
        if (line) {
            QPen pen = theme.rankPen(holder);
            pen.setWidthF(2.5);
            painter->setPen(pen);
            painter->drawLine(QLineF(lead.left() + 2, lead.center().y(), lead.right(), lead.center().y()));
        }
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QSize size = QStyledItemDelegate::sizeHint(option, index);
        if (index.column() == IncidentModel::StateColumn || index.column() == IncidentModel::HolderColumn)
            size.rwidth() += kLead;
        return size;
    }
};

} // namespace

IncidentPage::IncidentPage(QWidget* parent)
    : QWidget(parent), m_model(new IncidentModel(this)), m_table(new QTableView),
      m_splitter(new QSplitter(Qt::Vertical)), m_detail(new IncidentDetail), m_empty(new QLabel),
      m_unwatched(new QLabel), m_stack(new QStackedWidget(this)), m_checks(new CheckPanel) {
    build();
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        m_isChosen = !m_isSelecting && m_table->currentIndex().isValid();
        showCurrent();
        requestStacks();
    });
    connect(m_detail, &IncidentDetail::remedyRequested, this, &IncidentPage::remedyRequested);
    connect(m_detail, &IncidentDetail::jumpRequested, this, &IncidentPage::jumpRequested);
    connect(m_detail, &IncidentDetail::timelineRequested, this, &IncidentPage::timelineRequested);
    connect(m_detail, &IncidentDetail::playRequested, this, &IncidentPage::play);
    connect(m_table, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        const auto* in = m_model->incident(m_sorted->mapToSource(index).row());
        if (in && in->step >= 0)
            emit jumpRequested(in->step);
    });
    refresh();
    onLanguageChange(this, [this] {
        m_detail->retranslate();
        m_model->retranslate();
        m_checks->retranslate();
        refresh();
    });
}

void IncidentPage::build() {
    m_table->setObjectName(QStringLiteral("incidentTable"));
    constexpr int widths[] = {128, 150, 110, 100, 180, 90, 100, 80};
    m_sorted = setUpPlainTable(m_table, m_model, IncidentModel::SortRole, widths);
    m_table->setItemDelegate(new IncidentDelegate(m_table));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->sortByColumn(IncidentModel::SinceColumn, Qt::DescendingOrder);
    m_table->horizontalHeader()->setSectionResizeMode(IncidentModel::CollectiveColumn, QHeaderView::Stretch);
    m_splitter->addWidget(m_table);
    m_splitter->addWidget(m_detail);
    m_splitter->setStretchFactor(0, 0);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setChildrenCollapsible(false);
    connect(m_splitter, &QSplitter::splitterMoved, this, [this] { m_isSized = true; });
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_unwatched->setObjectName(QStringLiteral("unwatched"));
    m_unwatched->setWordWrap(true);
    m_unwatched->setTextFormat(Qt::PlainText);
    m_unwatched->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_unwatched->setContentsMargins(12, 6, 12, 6);
    m_unwatched->hide();
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_splitter);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_stack, 1);
    outer->addWidget(m_unwatched);
    outer->addWidget(m_checks);
}

/// Gives the list the height of its rows, of six at most, until the user has chosen another; the rest is for the
/// details.
void IncidentPage::fitTable() {
    constexpr int kMostRows = 6;
    if (m_isSized)
        return;
    const int row = m_table->verticalHeader()->defaultSectionSize();
    const int frame = m_table->horizontalHeader()->sizeHint().height() + 2 * m_table->frameWidth();
    const int height = frame + std::clamp(m_model->rowCount(), 1, kMostRows) * row;
    m_table->setMinimumHeight(frame + row);
    if (m_table->height() != height)
        m_splitter->setSizes({height, std::max(1, m_splitter->height() - height)});
}

/// Shows the stacks; those of the second rank may arrive a moment after the first's.
void IncidentPage::showStacks(const std::vector<store::StackRow>& stacks) {
    m_stacksThere = std::any_of(stacks.begin(), stacks.end(), [&](const auto& s) { return s.rank != stacks[0].rank; });
    m_detail->setStacks(stacks);
}

QString IncidentPage::emptyText() const {
    if (!m_session)
        return tr("<b>No run is shown</b><br><br>Choose a run on the left, open a run's folder, or launch "
                  "one from the Configure page.");
    if (launch::isLive(m_session->view().info.state))
        return tr("No rank has held up the others so far.");
    if (m_session->view().info.state == launch::RunState::Imported)
        return tr("Event files contain no incidents, so an imported run has none.<br><br>Its waits, if the files have "
                  "them, are in the plots.");
    return tr("No rank held up the others in this run.");
}

/// Returns a sentence for each of the newest times in which no supervisor watched the ranks.
QString IncidentPage::unwatchedText() const {
    constexpr std::size_t kMostLines = 3;
    if (!m_session)
        return {};
    const RunView& view = m_session->view();
    const auto moment = [&view](std::int64_t ns) {
        return view.info.startRealtimeNs > 0 ? clockText(view.info.startRealtimeNs + ns) : durationText(ns);
    };
    QStringList lines;
    const std::size_t earlier = view.unwatched.size() - std::min(view.unwatched.size(), kMostLines);
    for (std::size_t i = earlier; i < view.unwatched.size(); ++i)
        lines << tr("Not watched from %1 to %2: an incident in that time is not listed here.")
                     .arg(moment(view.unwatched[i].beginNs), moment(view.unwatched[i].endNs));
    if (earlier > 0)
        lines << tr("Earlier times that were not watched: %1").arg(countText(static_cast<std::int64_t>(earlier)));
    return lines.join(QLatin1Char('\n'));
}

/// Updates the list; selects the incident that ended the run as soon as it is known.
void IncidentPage::showIncidents(const RunView& view) {
    const auto* fatal = fatalIncident(view);
    const qint64 id = fatal ? fatal->id : 0;
    m_model->setIncidents(view.incidents, view.knownNs, view.info.startNs, view.info.startRealtimeNs, id);
    if (std::exchange(m_fatalId, id) != id && id != 0 && m_wanted == 0)
        m_wanted = id;
    // how it ended is never cut, whatever the language
    const int needed = static_cast<const QAbstractItemView*>(m_table)->sizeHintForColumn(IncidentModel::StateColumn);
    m_table->setColumnWidth(IncidentModel::StateColumn,
                            std::max(needed, m_table->columnWidth(IncidentModel::StateColumn)));
}

void IncidentPage::refresh() {
    if (!m_session) {
        m_model->setIncidents({}, 0, 0, 0);
    } else {
        const RunView& view = m_session->view();
        m_model->setOutdated(view.lag ||
                             !launch::isLive(view.info.state)); // nobody will close the open ones of an ended run
        if (view.storeVersion == m_storeVersion && view.info.state == m_state)
            m_model->setNow(view.knownNs);
        else
            showIncidents(view);
    }
    m_checks->setChecks(m_session ? m_session->view().checks : std::vector<store::CheckSummary>{});
    m_table->setAccessibleName(tr("Incidents"));
    m_storeVersion = m_session ? m_session->view().storeVersion : -1;
    m_state = m_session ? m_session->view().info.state : launch::RunState::Starting;
    m_empty->setText(emptyText());
    const QString unwatched = unwatchedText();
    m_unwatched->setText(unwatched);
    m_unwatched->setVisible(!unwatched.isEmpty());
    m_stack->setCurrentIndex(m_model->rowCount() > 0 ? 1 : 0);
    fitTable();
    if (m_wanted)
        selectRow(m_wanted);
    else
        selectOpen(false);
    showCurrent();
}

/// Selects the newest open incident, the one in the banner; if none is open, the first row unless one is selected.
void IncidentPage::selectOpen(bool pageOpened) {
    const auto* open = m_session ? newestOpen(m_session->view().incidents) : nullptr;
    if (open && launch::isLive(m_session->view().info.state) && open->id != m_offered &&
        m_model->rowOf(open->id) >= 0 && (pageOpened || !m_isChosen)) {
        m_offered = open->id;
        return selectRow(open->id);
    }
    const QScopedValueRollback selecting(m_isSelecting, true);
    if (m_model->rowCount() > 0 && !m_table->currentIndex().isValid())
        m_table->selectRow(0);
}

void IncidentPage::selectRow(qint64 id) {
    const int row = m_model->rowOf(id);
    m_wanted = row < 0 ? id : 0;
    if (row < 0)
        return;
    const QScopedValueRollback selecting(m_isSelecting, true);
    const QModelIndex index = m_sorted->mapFromSource(m_model->index(row, 0));
    m_table->setCurrentIndex(index);
    m_table->scrollTo(index);
}

void IncidentPage::showCurrent() {
    const int row = m_sorted->mapToSource(m_table->currentIndex()).row();
    const auto* in = m_model->incident(row);
    if (in && m_session) {
        if (in->id != m_stacksOf)
            m_detail->setStacks({});
        m_stacksThere = m_stacksThere && in->id == m_stacksOf;
        m_stacksOf = in->id;
        m_detail->setFaults(m_session->view().info.faults);
        m_detail->setWatched(m_session->view().info.watched());
        m_detail->show(*in, m_session->view().knownNs,
                       m_model->index(row, IncidentModel::StateColumn).data().toString());
        m_detail->showPicture(m_session->view(), m_session->run().store());
    } else {
        m_stacksOf = 0;
        m_detail->clear();
    }
}

void IncidentPage::play(const QString& file) {
    if (m_session)
        openManifestFile(file, toQString(m_session->view().info.configPath), false, this,
                         [this](const QString& problem) { emit message(problem); });
}

/// Requests the stacks, which are taken when the incident opens and arrive a little later than its row.
void IncidentPage::requestStacks() {
    if (m_session && m_stacksOf != 0 && !m_stacksThere)
        m_session->requestStacks(m_stacksOf);
}

void IncidentPage::setSession(RunSession* session) {
    if (m_session)
        m_session->disconnect(this);
    m_session = session;
    m_wanted = m_fatalId = m_offered = 0;
    m_model->setIncidents({}, 0, 0, 0);
    m_isChosen = false;
    m_storeVersion = -1;
    if (session) {
        connect(session, &RunSession::viewChanged, this, [this] { refresh(); });
        connect(session, &RunSession::storeChanged, this, [this] {
            requestStacks();
            m_detail->storeChanged();
        });
        connect(session, &RunSession::stacksReady, this, [this](qint64 id, const std::vector<store::StackRow>& stacks) {
            if (id == m_stacksOf)
                showStacks(stacks);
        });
    }
    refresh();
}

void IncidentPage::select(qint64 incidentId) {
    selectRow(incidentId);
    m_isChosen = true;
}

void IncidentPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    fitTable();
    selectOpen(true);
}

void IncidentPage::selectCause(const QString& cause) {
    for (int row = 0; row < m_model->rowCount(); ++row) // newest first
        if (const auto* in = m_model->incident(row); QLatin1String(diagnosis::causeName(in->cause).data()) == cause)
            return selectRow(in->id);
}

} // namespace rankscope::ui
