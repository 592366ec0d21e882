// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/decisive_card.h"

#include "widgets/config/decisive_box.h"
#include "widgets/config/dry_run.h"
#include "widgets/config/marks.h"
#include "widgets/config/plan_text.h"
#include "widgets/config/recipe_model.h"
#include "widgets/models/tool_tip.h"
#include "widgets/theme/fonts.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/theme.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

namespace rankscope::ui {

DecisiveCard::DecisiveCard(int which, QWidget* parent)
    : QFrame(parent), m_which(which), m_title(new QLabel(this)), m_keyName(new QLabel(this)), m_yours(new QLabel(this)),
      m_costMark(new QLabel(this)), m_cost(new QLabel(this)), m_effect(new QLabel(this)),
      m_editor(new DecisiveBox(this)), m_remove(new QToolButton(this)) {
    build();
    retranslate();
    connect(m_editor, &DecisiveBox::problemChanged, this, &DecisiveCard::showEffect);
    connect(m_editor, &DecisiveBox::chosen, this, [this](const QString& value) {
        if (!m_row.yours || QString::fromStdString(*m_row.yours) != value)
            emit editRequested(key(), value);
    });
    connect(m_remove, &QToolButton::clicked, this, [this] { emit removeRequested(key()); });
    connect(m_keyName, &QLabel::linkActivated, this, [this] { emit revealRequested(key()); });
}

void DecisiveCard::build() {
    m_title->setFont(headingFont());
    m_keyName->setFont(secondaryFont());
    m_keyName->setTextFormat(Qt::RichText);
    m_keyName->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_keyName->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_yours->setFont(secondaryFont());
    m_yours->setForegroundRole(QPalette::PlaceholderText);
    m_editor->setFont(monoFont());
    m_editor->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_editor->setMinimumContentsLength(6);
    m_editor->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_remove->setIcon(Theme::instance().icon(QStringLiteral("close")));
    m_remove->setAutoRaise(true);
    QFont bold = secondaryFont();
    bold.setWeight(QFont::DemiBold);
    m_cost->setFont(bold);
    m_cost->setTextFormat(Qt::PlainText);
    m_cost->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_costMark->setFixedSize(16, 16);
    m_effect->setFont(secondaryFont());
    m_effect->setTextFormat(Qt::PlainText);
    m_effect->setWordWrap(true);
    m_effect->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_effect->setMinimumHeight(2 * QFontMetrics(secondaryFont()).lineSpacing());

    m_head = new QHBoxLayout;
    m_head->setSpacing(12);
    m_head->addWidget(m_title);
    m_head->addWidget(m_keyName, 1);
    m_edit = new QHBoxLayout;
    m_edit->setSpacing(4);
    m_edit->addWidget(m_yours);
    m_edit->addWidget(m_editor, 1);
    m_edit->addWidget(m_remove);
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
    auto* cost = new QHBoxLayout;
    cost->setSpacing(6);
    cost->addWidget(m_costMark);
    cost->addWidget(m_cost, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(5);
    layout->addLayout(m_head);
    layout->addLayout(m_edit);
    layout->addLayout(grid);
    layout->addLayout(cost);
    layout->addWidget(m_effect, 1);
}

QString DecisiveCard::key() const {
    return QString::fromLatin1(decisiveSettings()[static_cast<std::size_t>(m_which)].key);
}

void DecisiveCard::setCompact(bool on) {
    if (on == m_compact)
        return;
    m_compact = on;
    for (int i = 0; i < 3; ++i) {
        m_captions[i]->setVisible(!on);
        m_values[i]->setVisible(!on);
    }
    m_keyName->setVisible(!on);
    m_yours->setVisible(!on);
    QHBoxLayout* from = on ? m_edit : m_head;
    QHBoxLayout* to = on ? m_head : m_edit;
    for (QWidget* one : {static_cast<QWidget*>(m_editor), static_cast<QWidget*>(m_remove)}) {
        from->removeWidget(one);
        to->addWidget(one, one == m_editor ? 1 : 0);
    }
}

void DecisiveCard::retranslate() {
    m_title->setText(decisiveSettings()[static_cast<std::size_t>(m_which)].title);
    m_yours->setText(tr("Yours"));
    m_captions[0]->setText(tr("NeMo YAML"));
    m_captions[1]->setText(tr("NeMo code"));
    m_captions[2]->setText(tr("Effective"));
    m_remove->setToolTip(tr("Remove from your file, so that the default acts"));
    m_remove->setAccessibleName(key() + QStringLiteral(": ") + m_remove->toolTip());
    m_keyName->setToolTip(tr("Explain, and show in the tree: %1").arg(key()));
    m_editor->setAccessibleName(m_title->text());
    setRow(m_known ? &m_row : nullptr);
}

void DecisiveCard::fillEditor() {
    QStringList values = decisiveSettings()[static_cast<std::size_t>(m_which)].values;
    for (const auto& choice : m_row.choices)
        if (const QString one = QString::fromStdString(choice); !values.contains(one))
            values << one;
    m_editor->setChoices(values, m_row.yours ? std::optional(QString::fromStdString(*m_row.yours)) : std::nullopt,
                         m_row.spec);
    m_editor->lineEdit()->setPlaceholderText(m_known ? tr("not in your file") : QString());
    m_editor->setToolTip(
        m_row.effective ? plainToolTip(tr("%1, in effect: %2").arg(key(), QString::fromStdString(*m_row.effective)))
                        : key());
}

void DecisiveCard::showValues() {
    const QString dash = QStringLiteral("–");
    const auto value = [&](const std::optional<config::ValueText>& v) { return v ? QString::fromStdString(*v) : dash; };
    m_values[0]->setText(value(m_row.nemoYaml));
    m_values[1]->setText(value(m_row.code));
    m_values[2]->setText(value(m_row.effective));
    m_values[1]->setToolTip(plainToolTip(QString::fromStdString(m_row.codeSource)));
    m_values[2]->setToolTip(plainToolTip(tr("from %1").arg(originWord(m_row))));
    QPalette marked = palette();
    marked.setColor(QPalette::WindowText,
                    m_row.differs ? Theme::instance().palette().accent : Theme::instance().palette().text);
    m_values[2]->setPalette(marked);
}

void DecisiveCard::setRow(const config::KeyRow* row) {
    m_known = row != nullptr;
    if (row != &m_row)
        m_row = row ? *row : config::KeyRow{};
    fillEditor();
    if (!row)
        m_editor->reset(); // of a recipe that is open no more
    m_editor->setEnabled(m_known);
    m_remove->setVisible(m_row.yours.has_value());
    showValues();
    const QString colour = Theme::instance().palette().secondary.name();
    m_keyName->setText(QStringLiteral("<a href=\"#\" style=\"color:%1;text-decoration:none\">%2</a>")
                           .arg(colour, key().section(QLatin1Char('.'), -1)));
    showEffect();
    update();
}

void DecisiveCard::showEffect() {
    const Palette& p = Theme::instance().palette();
    const QString problem = m_editor->problem();
    QPalette colours = m_effect->palette();
    colours.setColor(QPalette::WindowText, problem.isEmpty() ? p.text : p.dead);
    m_effect->setPalette(colours);
    if (!problem.isEmpty()) {
        m_effect->setText(tr("%1. Not set; Esc goes back.", "what is wrong with a value").arg(problem));
        m_effect->setToolTip(plainToolTip(m_effect->text()));
        return;
    }
    // what this recipe makes of it where the rules say so, else what the setting does in general
    QString effect = coreText(m_row.risk);
    if (!effect.isEmpty())
        effect[0] = effect[0].toUpper();
    else if (m_row.effective)
        effect = effectOnRanks(key(), QString::fromStdString(*m_row.effective));
    m_effect->setText(effect);
    m_effect->setToolTip(plainToolTip(effect));
}

void DecisiveCard::setUnread() {
    m_effect->setText(tr("Not known while the text cannot be read."));
    m_effect->setToolTip({});
}

void DecisiveCard::setPlan(const DryRun& run, bool timed) {
    using State = DryRun::State;
    m_costMark->setVisible(run.state() == State::Ready); // without a mark no room for one
    m_cost->setToolTip({});
    if (run.state() != State::Ready) {
        m_cost->setText(run.state() == State::Working ? tr("Cost: planning…")
                        : !m_known                    ? QString()
                        : run.state() == State::None  ? tr("Cost not known: the recipe has errors")
                                                      : tr("Cost not known: the dry run failed"));
        return;
    }
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
    // any collective waits for ever for a rank that does not come, unless it is given a time
    const bool canHang = cost.calls > 0 && !(m_which == 0 && timed);
    m_cost->setText(costText(cost, canHang));
    m_cost->setToolTip(canHang ? tr("A rank that does not come keeps all others waiting here, until "
                                    "rankscope.collective_timeout_s ends the run.")
                               : QString());
    m_costMark->setPixmap(
        markPixmap(canHang ? markOf(config::RiskSeverity::Caution)
                           : Mark{diagnosis::RankState::Finished, Theme::instance().palette().computing}));
}

QString DecisiveCard::costShown() const {
    return m_cost->text();
}

void DecisiveCard::paintEvent(QPaintEvent*) {
    const Palette& p = Theme::instance().palette();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(p.hairline);
    painter.setBrush(p.panel);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

} // namespace rankscope::ui
