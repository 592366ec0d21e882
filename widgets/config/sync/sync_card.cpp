// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/sync/sync_card.h"

#include "widgets/config/labels/severity_marks.h"
#include "widgets/config/model/recipe_cell.h"
#include "widgets/config/plan/plan_request.h"
#include "widgets/config/plan/plan_text.h"
#include "widgets/config/sync/sync_value_box.h"
#include "widgets/controls/box_layout.h"
#include "widgets/controls/clamped_label.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/theme.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QToolButton>

#include <array>
#include <utility>

namespace rankscope::ui {

namespace {

/// One of the three settings that decide how ranks wait for each other.
struct SyncSetting {
    const char* key;
    QString title;
    QStringList values;
};

struct SyncLabels {
    Q_DECLARE_TR_FUNCTIONS(SyncLabels)
};

std::array<SyncSetting, 3> syncSettings() {
    const QStringList onOff{QStringLiteral("true"), QStringLiteral("false")};
    return {
        SyncSetting{"model.encoder.sync_max_audio_length", SyncLabels::tr("Length sync"), onOff},
        SyncSetting{"trainer.strategy",
                    SyncLabels::tr("Strategy"),
                    {QStringLiteral("auto"), QStringLiteral("ddp"), QStringLiteral("ddp_find_unused_parameters_true")}},
        SyncSetting{"trainer.sync_batchnorm", SyncLabels::tr("Batch norm sync"), onOff}};
}

QString effectOfStrategy(const QString& value) {
    if (value == QLatin1String("ddp_find_unused_parameters_true"))
        return SyncLabels::tr("Gradients are averaged in buckets during backward. Before that, every step searches the "
                              "graph for unused parameters and adds one small all-reduce.");
    if (value.startsWith(QLatin1String("ddp")))
        return SyncLabels::tr(
            "Gradients are averaged in buckets during backward: every rank waits in each bucket for the "
            "last one.");
    if (value == QLatin1String("auto"))
        return SyncLabels::tr("On one device nothing is exchanged. On several it works like ddp: every rank waits in "
                              "each gradient bucket for the last one.");
    return SyncLabels::tr("This strategy decides how ranks exchange gradients.");
}

bool isTrue(const QString& value) {
    return value.compare(QLatin1String("true"), Qt::CaseInsensitive) == 0;
}

/// Returns one or two sentences on how the effective value makes the ranks behave.
QString effectOnRanks(const QString& key, const QString& effective) {
    const bool on = isTrue(effective);
    if (key.endsWith(QLatin1String("sync_max_audio_length")))
        return on ? SyncLabels::tr("Adds a blocking all-reduce before every encoder forward pass: all ranks wait there "
                                   "for the last one to get its batch.")
                  : SyncLabels::tr(
                        "No all-reduce before the encoder: each rank sizes its position table for its own batch.");
    if (key.endsWith(QLatin1String("sync_batchnorm")))
        return on ? SyncLabels::tr("Each batch-norm layer runs an all-gather in forward and an all-reduce in backward: "
                                   "two collectives per layer and step.")
                  : SyncLabels::tr("Each rank normalizes over its own batch; batch norm adds no collectives.");
    return effectOfStrategy(effective);
}

} // namespace

SyncCard::SyncCard(int which, QWidget* parent)
    : QFrame(parent), m_which(which), m_title(new QLabel(this)), m_keyName(new QLabel(this)), m_yours(new QLabel(this)),
      m_costMark(new QLabel(this)), m_cost(new ClampedLabel(1, this)), m_target(new QLabel(this)),
      m_effect(new ClampedLabel(3, this)), m_problemLink(new QToolButton(this)), m_editor(new SyncValueBox(this)),
      m_remove(new QToolButton(this)) {
    build();
    retranslate();
    connect(m_editor, &SyncValueBox::problemChanged, this, &SyncCard::showEffect);
    connect(m_editor, &SyncValueBox::chosen, this, [this](const QString& value) {
        if (!m_row.yours || QString::fromStdString(*m_row.yours) != value)
            emit editRequested(key(), value);
    });
    connect(m_remove, &QToolButton::clicked, this, [this] { emit removeRequested(key()); });
    connect(m_keyName, &QLabel::linkActivated, this, [this] { emit revealRequested(key()); });
    connect(m_target, &QLabel::linkActivated, this, &SyncCard::targetRequested);
    connect(m_problemLink, &QToolButton::clicked, this, [this] { emit problemsRequested(key()); });
}

void SyncCard::build() {
    m_title->setFont(headingFont());
    m_title->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Preferred); // the value shrinks, not the name
    m_keyName->setFont(secondaryFont());
    m_keyName->setTextFormat(Qt::RichText);
    m_keyName->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_keyName->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_yours->setFont(secondaryFont());
    m_yours->setForegroundRole(QPalette::PlaceholderText);
    m_editor->setFont(monoFont());
    m_editor->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_editor->setMinimumContentsLength(5);
    m_editor->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_remove->setIcon(Theme::instance().icon(QStringLiteral("close")));
    m_remove->setAutoRaise(true);
    QFont bold = secondaryFont();
    bold.setWeight(QFont::DemiBold);
    m_cost->setFont(bold);
    m_cost->setObjectName(QStringLiteral("cost"));
    m_costMark->setFixedSize(16, 16);
    m_target->setFont(secondaryFont());
    m_target->setTextFormat(Qt::RichText);
    m_target->setObjectName(QStringLiteral("planForTarget"));
    m_target->hide();
    m_effect->setFont(secondaryFont());
    m_effect->setObjectName(QStringLiteral("effect"));
    QFont underlined = secondaryFont(); // it is a button that leads elsewhere, as a link does
    underlined.setUnderline(true);
    m_problemLink->setFont(underlined);
    m_problemLink->setFocusPolicy(Qt::TabFocus);
    m_problemLink->setObjectName(QStringLiteral("toProblems"));

    m_head = rowOf({m_title, {m_keyName, 1}}, 12);
    m_edit = rowOf({m_yours, {m_editor, 1}, m_remove}, 4);
    m_yours->setContentsMargins(0, 0, 4, 0);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(0);
    for (int i = 0; i < 3; ++i) {
        m_captions[i] = new QLabel(this);
        m_captions[i]->setFont(secondaryFont());
        m_captions[i]->setForegroundRole(QPalette::PlaceholderText);
        m_values[i] = new QLabel(this);
        m_values[i]->setFont(monoFont(9));
        m_values[i]->setTextFormat(Qt::PlainText);
        m_values[i]->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        grid->addWidget(m_captions[i], 0, i);
        grid->addWidget(m_values[i], 1, i);
        grid->setColumnStretch(i, 1);
    }
    m_costRow = rowOf({m_costMark, {m_cost, 1}, m_target}, 6);
    setLayout(columnOf({m_head, m_edit, grid, m_costRow, rowOf({{m_effect, 1}, m_problemLink}, 8)}, 5, {12, 8, 12, 8}));
}

QString SyncCard::key() const {
    return QString::fromLatin1(syncSettings()[static_cast<std::size_t>(m_which)].key);
}

void SyncCard::setCompact(bool on) {
    if (std::exchange(m_compact, on) != on)
        arrange();
}

void SyncCard::setFolded(bool on) {
    if (std::exchange(m_folded, on) != on)
        arrange();
}

static void moveTo(QHBoxLayout* to, QHBoxLayout* from, QWidget* widget, int stretch) {
    from->removeWidget(widget);
    to->removeWidget(widget);
    to->addWidget(widget, stretch);
}

void SyncCard::arrange() {
    const bool small = m_compact || m_folded;
    for (int i = 0; i < 3; ++i) {
        m_captions[i]->setVisible(!small);
        m_values[i]->setVisible(!small);
    }
    m_keyName->setVisible(!small);
    m_yours->setVisible(!small);
    m_effect->setVisible(!m_folded);
    showProblemLink();
    m_effect->setLines(effectLines());
    moveTo(small ? m_head : m_edit, small ? m_edit : m_head, m_editor, 1);
    moveTo(small ? m_head : m_edit, small ? m_edit : m_head, m_remove, 0);
    m_head->setSpacing(small ? 4 : 12);
    layout()->setContentsMargins(small ? 8 : 12, small ? 6 : 8, small ? 8 : 12, small ? 6 : 8);
    showRemove();
}

void SyncCard::retranslate() {
    m_title->setText(syncSettings()[static_cast<std::size_t>(m_which)].title);
    m_yours->setText(tr("Your file"));
    m_captions[0]->setText(tr("NeMo YAML"));
    m_captions[1]->setText(tr("Code"));
    m_captions[2]->setText(tr("Effective"));
    m_remove->setToolTip(tr("Remove from your file and use the default"));
    m_remove->setAccessibleName(key() + QStringLiteral(": ") + m_remove->toolTip());
    m_keyName->setToolTip(tr("Explain, and show in the tree: %1").arg(key()));
    m_editor->setAccessibleName(m_title->text());
    setRow(m_known ? &m_row : nullptr);
    showProblemLink();
}

void SyncCard::fillEditor() {
    QStringList values = syncSettings()[static_cast<std::size_t>(m_which)].values;
    for (const auto& choice : m_row.choices)
        if (const QString one = QString::fromStdString(choice); !values.contains(one))
            values << one;
    m_editor->setChoices(values, m_row.yours ? std::optional(QString::fromStdString(*m_row.yours)) : std::nullopt,
                         m_row.spec);
    m_editor->lineEdit()->setPlaceholderText(m_known ? tr("not set") : QString());
    m_editor->setToolTip(
        m_row.effective ? plainToolTip(tr("%1, in effect: %2").arg(key(), QString::fromStdString(*m_row.effective)))
                        : key());
}

void SyncCard::showValues() {
    const QString dash = QStringLiteral("–");
    const auto value = [&](const std::optional<config::ValueText>& v) { return v ? QString::fromStdString(*v) : dash; };
    m_values[0]->setText(value(m_row.nemoYaml));
    m_values[1]->setText(value(m_row.code));
    m_values[2]->setText(value(m_row.effective));
    m_values[1]->setToolTip(plainToolTip(QString::fromStdString(m_row.codeSource)));
    m_values[2]->setToolTip(plainToolTip(tr("from %1").arg(originWord(m_row))));
    QFont font = monoFont(9);
    font.setWeight(m_row.differs ? QFont::DemiBold : QFont::Normal);
    m_values[2]->setFont(font);
}

void SyncCard::setRow(const config::KeyRow* row) {
    m_known = row != nullptr;
    if (row != &m_row)
        m_row = row ? *row : config::KeyRow{};
    fillEditor();
    if (!row)
        m_editor->reset(); // it belongs to a recipe that is no longer open
    m_editor->setEnabled(m_known);
    showRemove();
    showValues();
    const QString colour = Theme::instance().palette().secondary.name();
    m_keyName->setText(QStringLiteral("<a href=\"#\" style=\"color:%1;text-decoration:none\">%2</a>")
                           .arg(colour, key().section(QLatin1Char('.'), -1)));
    showEffect();
    update();
}

void SyncCard::showEffect() {
    const Palette& p = Theme::instance().palette();
    const QString problem = m_unread ? QString() : m_editor->problem();
    QPalette colours = m_effect->palette();
    colours.setColor(QPalette::WindowText, !problem.isEmpty() ? p.dead : m_alone ? p.secondary : p.text);
    m_effect->setPalette(colours);
    m_effect->setText(m_unread ? tr("Unavailable: the YAML is invalid.")
                      : problem.isEmpty()
                          ? effect()
                          : tr("%1. Not applied; press Esc to go back.", "what is wrong with a value").arg(problem));
}

/// Returns the rules' note for this recipe, or the general effect of the setting: a rule's sentence that is in the list
/// of problems is not repeated.
QString SyncCard::effect() const {
    if (m_alone && m_elsewhere.isEmpty())
        return tr("With only one rank, this setting has no effect.");
    const QString value = QString::fromStdString(m_row.effective.value_or(config::ValueText()));
    QString effect = m_problems > 0 ? QString() : messageText(m_row.risk);
    if (!effect.isEmpty())
        effect[0] = effect[0].toUpper();
    else if (m_free && isTrue(value))
        effect = tr("In this recipe, this setting has no effect.");
    else if (m_row.effective)
        effect = effectOnRanks(key(), value);
    return m_alone ? tr("%1. %2", "cost on another machine, effect").arg(m_elsewhere, effect) : effect;
}

void SyncCard::setProblems(int count, MarkSeverity worst) {
    m_problems = count;
    m_worst = worst;
    showProblemLink();
    showEffect();
    showMark();
}

void SyncCard::showProblemLink() {
    m_problemLink->setText(tr("%n problem(s)", "of this setting; a button", m_problems));
    m_problemLink->setToolTip(tr("Show in the list of problems"));
    m_problemLink->setVisible(m_problems > 0 && !m_folded);
}

/// Shows the severity that the key also has in the tree and in the list.
void SyncCard::showMark() {
    m_costMark->setPixmap(m_alone                       ? markPixmap(MarkSeverity::Note)
                          : m_canHang || m_problems > 0 ? markPixmap(m_worst)
                                                        : tickPixmap());
}

void SyncCard::showRemove() {
    m_remove->setVisible(m_row.yours.has_value() && !m_folded); // one line has no room for it
}

void SyncCard::setUnread(bool on) {
    m_unread = on;
    showEffect();
}

CollectiveCost SyncCard::costOf(const PlanRequest& run) const {
    static constexpr const char* kTags[3][3] = {{"sync_max_audio_length", "barrier:before_encoder", nullptr},
                                                {"gradient", "ddp:", nullptr},
                                                {"sync_batchnorm", nullptr, nullptr}};
    CollectiveCost cost;
    for (const char* tag : kTags[m_which]) {
        if (!tag)
            break;
        const CollectiveCost one = run.cost(QLatin1String(tag));
        cost.calls += one.calls;
        cost.bytes += one.bytes;
        cost.certain = cost.certain && one.certain;
    }
    return cost;
}

/// Shows a single rank, where no waiting occurs; the effect of the setting with several ranks is still shown, in grey.
void SyncCard::showAlone(const PlanRequest& other, bool timed) {
    const bool known = other.state() == PlanRequest::PlanState::Ready && other.worldSize() > 1;
    m_elsewhere.clear();
    QString shorter;
    if (known) {
        const CollectiveCost cost = costOf(other);
        const bool canHang = cost.calls > 0 && !(m_which == 0 && timed);
        m_elsewhere = tr("On %1: %2", "machine, cost").arg(other.machine(), costText(cost, canHang));
        shorter = tr("On %1: %2", "machine, cost").arg(other.machine(), shortCostText(cost, canHang));
        m_target->setText(QStringLiteral("<a href=\"#\" style=\"color:%1\">%2</a>")
                              .arg(Theme::instance().palette().accent.name(), tr("Plan for it", "for a machine")));
        m_target->setToolTip(plainToolTip(tr("Show what this recipe does on %1").arg(other.machine())));
    }
    m_target->setVisible(known && !m_folded);
    m_cost->setText(known && m_folded ? tr("One rank here. %1").arg(m_elsewhere) : tr("One rank here"));
    m_cost->setShortText(known && m_folded ? tr("One rank here. %1").arg(shorter) : QString());
    m_cost->setLines(known && m_folded ? 2 : 1);
    showMark();
    m_effect->setLines(effectLines());
}

/// Returns the lines left for the effect; the cost on another machine takes a separate line.
int SyncCard::effectLines() const {
    return m_compact && !m_alone ? 2 : 3;
}

void SyncCard::setPlan(const PlanRequest& run, const PlanRequest& other, bool timed) {
    const bool ready = run.state() == PlanRequest::PlanState::Ready;
    m_costMark->setVisible(ready); // an empty mark would take room
    m_cost->setExtraTip({});
    m_alone = ready && run.worldSize() == 1;
    m_free = false;
    if (m_alone) {
        showAlone(other, timed);
        return showEffect();
    }
    m_target->hide();
    m_cost->setShortText({});
    if (!ready) {
        m_cost->setText(run.state() == PlanRequest::PlanState::Working ? tr("Cost: planning…")
                        : !m_known                                     ? QString()
                        : run.state() == PlanRequest::PlanState::None  ? tr("Cost unknown: the recipe has errors")
                                                                       : tr("Cost unknown: the dry run failed"));
        return;
    }
    m_cost->setLines(1); // only now: otherwise the page would jump while the plan is made
    m_effect->setLines(effectLines());
    const CollectiveCost cost = costOf(run);
    // without a timeout a collective waits forever for a missing rank
    m_canHang = cost.calls > 0 && !(m_which == 0 && timed);
    m_free = cost.calls == 0;
    m_cost->setText(costText(cost, m_canHang));
    m_cost->setShortText(shortCostText(cost, m_canHang));
    m_cost->setExtraTip(
        m_canHang
            ? tr("If a rank never arrives, all others wait here until rankscope.collective_timeout_s ends the run.")
            : QString());
    showEffect();
    showMark();
}

void SyncCard::paintEvent(QPaintEvent*) {
    const Palette& p = Theme::instance().palette();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(p.hairline);
    painter.setBrush(p.panel);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

} // namespace rankscope::ui
