// SPDX-License-Identifier: Apache-2.0
// The board shows where forward and backward are at each moment, so a rank that hangs inside a layer can be located.
#include "core/telemetry/journal/journal_writer.h"
#include "core/trainer/loop/training_hooks.h"
#include "tests/core/trainer/reference_configs.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <future>
#include <thread>

using namespace rankscope;
using namespace rankscope::trainer;
using telemetry::ForwardSite;

namespace {

using Seen = std::vector<std::pair<ForwardSite, int>>;

/// Forwards calls to the training's own hooks, and reads the board's file as another process would.
class Onlooker final : public ForwardHooks {
public:
    Onlooker(TrainingHooks& hooks, const std::filesystem::path& board) : m_hooks(hooks) {
        auto reader = telemetry::BoardReader::open(board);
        if (!reader)
            qFatal("%s", reader.error().message().c_str());
        m_reader = std::make_unique<telemetry::BoardReader>(std::move(*reader));
    }
    void place(ForwardSite place, int layer) override {
        m_hooks.place(place, layer);
        const auto board = m_reader->snapshot();
        seen.emplace_back(board.place, board.layer);
        if (place == hangsAt.first && layer == hangsAt.second) {
            reached.set_value();
            goOn.get_future().wait();
        }
    }
    bool followsBackward() const override { return m_hooks.followsBackward(); }
    telemetry::BoardSnapshot board() const { return m_reader->snapshot(); }

    Seen seen;
    std::pair<ForwardSite, int> hangsAt{ForwardSite::Count, 0};
    std::promise<void> reached, goOn;

private:
    TrainingHooks& m_hooks;
    std::unique_ptr<telemetry::BoardReader> m_reader;
};

NestInput placedInput() {
    torch::manual_seed(11);
    NestInput in;
    in.audio = torch::randn({2, 24000}) * 0.1;
    in.noisy = in.audio.clone();
    in.audioLen = in.noisyLen = torch::full({2}, 24000, torch::kInt64);
    return in;
}

struct Scene {
    explicit Scene(const QTemporaryDir& dir) {
        const std::filesystem::path path = dir.filePath("board").toStdString();
        auto board = telemetry::BoardWriter::create(path);
        if (!board)
            qFatal("%s", board.error().message().c_str());
        telemetry = std::make_shared<observer::RankTelemetry>(std::move(*board), telemetry::JournalWriter::detached());
        const std::vector<config::FaultConfig> none;
        hooks = std::make_unique<TrainingHooks>(telemetry, nullptr,
                                                std::make_shared<Faults>(none, 0, 16000, [] { return false; }));
        onlooker = std::make_unique<Onlooker>(*hooks, path);
        torch::manual_seed(5);
        model = NestModel(referenceConfig("pre_conv"));
    }
    std::shared_ptr<observer::RankTelemetry> telemetry;
    std::unique_ptr<TrainingHooks> hooks;
    std::unique_ptr<Onlooker> onlooker;
    NestModel model{nullptr};
};

} // namespace

class TestPlaces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBoardFollowsForwardAndBackward() {
        const QTemporaryDir dir;
        Scene scene(dir);
        const auto loss = scene.model->loss(scene.model->forward(placedInput(), true, *scene.onlooker));
        QVERIFY(scene.onlooker->seen == (Seen{{ForwardSite::LengthSync, -1},
                                              {ForwardSite::Subsampling, -1},
                                              {ForwardSite::Layer, 0},
                                              {ForwardSite::Layer, 1},
                                              {ForwardSite::Decoder, -1},
                                              {ForwardSite::None, -1}}));
        scene.onlooker->seen.clear();
        loss.backward();
        QVERIFY(scene.onlooker->seen == (Seen{{ForwardSite::Decoder, -1},
                                              {ForwardSite::Layer, 1},
                                              {ForwardSite::Layer, 0},
                                              {ForwardSite::Subsampling, -1}}));
    }

    void aHangIsPlaced_data() {
        QTest::addColumn<int>("place");
        QTest::addColumn<int>("layer");
        QTest::newRow("length sync") << int(ForwardSite::LengthSync) << -1;
        QTest::newRow("sub-sampling") << int(ForwardSite::Subsampling) << -1;
        QTest::newRow("layer 1") << int(ForwardSite::Layer) << 1;
        QTest::newRow("decoder") << int(ForwardSite::Decoder) << -1;
    }
    void aHangIsPlaced() {
        QFETCH(int, place);
        QFETCH(int, layer);
        const QTemporaryDir dir;
        Scene scene(dir);
        Onlooker& onlooker = *scene.onlooker;
        onlooker.hangsAt = {static_cast<ForwardSite>(place), layer};
        std::thread training([&] { scene.model->forward(placedInput(), true, onlooker); });
        onlooker.reached.get_future().wait(); // forward hangs there now
        const auto board = onlooker.board();
        onlooker.goOn.set_value();
        training.join();
        QCOMPARE(int(board.place), place);
        QCOMPARE(board.layer, layer);
    }
};

RANKSCOPE_CORE_TEST(TestPlaces)
#include "tst_places.moc"
