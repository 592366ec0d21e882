<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>Plan</name>
    <message numerus="yes">
        <source>%n process(es)</source>
        <translation>
            <numerusform>%n process</numerusform>
            <numerusform>%n processes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n utterance(s)</source>
        <translation>
            <numerusform>%n utterance</numerusform>
            <numerusform>%n utterances</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>%n rank</numerusform>
            <numerusform>%n ranks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>measured just now on this machine, %n step(s)</source>
        <translation>
            <numerusform>measured just now on this machine, %n step</numerusform>
            <numerusform>measured just now on this machine, %n steps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n collective(s), %1 per step</source>
        <translation>
            <numerusform>%n collective, %1 per step</numerusform>
            <numerusform>%n collectives, %1 per step</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 (and %n more)</source>
        <translation>
            <numerusform>%1 (and %n more)</numerusform>
            <numerusform>%1 (and %n more)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n collective(s), %1</source>
        <translation>
            <numerusform>%n collective, %1</numerusform>
            <numerusform>%n collectives, %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 batch(es) per rank and epoch</source>
        <translation>
            <numerusform>%1 batch per rank and epoch</numerusform>
            <numerusform>%1 batches per rank and epoch</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>WatchedRun</name>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>%n rank</numerusform>
            <numerusform>%n ranks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::BatchPane</name>
    <message numerus="yes">
        <source>%n utterance(s)</source>
        <translation>
            <numerusform>%n utterance</numerusform>
            <numerusform>%n utterances</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::CheckpointPane</name>
    <message numerus="yes">
        <source>%n checkpoint(s) could not be written. The newest was due after %1 steps: %2</source>
        <translation>
            <numerusform>%n checkpoint could not be written. It was due after %1 steps: %2</numerusform>
            <numerusform>%n checkpoints could not be written. The newest was due after %1 steps: %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::CompareCurves</name>
    <message numerus="yes">
        <source>%1 (%n run(s))</source>
        <translation>
            <numerusform>%1 (%n run)</numerusform>
            <numerusform>%1 (%n runs)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <comment>runs</comment>
        <translation>
            <numerusform>%1 and %n more</numerusform>
            <numerusform>%1 and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ComparePane</name>
    <message numerus="yes">
        <source>Comparison of %n run(s)</source>
        <translation>
            <numerusform>Comparison of %n run</numerusform>
            <numerusform>Comparison of %n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::DryRunPanel</name>
    <message numerus="yes">
        <source>Runs %n training step(s) on all ranks now, without validation or checkpoints, and estimates from the measured time. This uses the GPUs or cores of this machine; nothing is added to your runs.</source>
        <translation>
            <numerusform>Runs %n training step on all ranks now, without validation or checkpoints, and estimates from the measured time. This uses the GPUs or cores of this machine; nothing is added to your runs.</numerusform>
            <numerusform>Runs %n training steps on all ranks now, without validation or checkpoints, and estimates from the measured time. This uses the GPUs or cores of this machine; nothing is added to your runs.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::FilterController</name>
    <message numerus="yes">
        <source>without %n rank(s)</source>
        <translation>
            <numerusform>without %n rank</numerusform>
            <numerusform>without %n ranks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::IncidentBanner</name>
    <message numerus="yes">
        <source>%n more incident(s) are open</source>
        <translation>
            <numerusform>%n more incident is open</numerusform>
            <numerusform>%n more incidents are open</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::InfoPane</name>
    <message numerus="yes">
        <source>%n error(s)</source>
        <translation>
            <numerusform>%n error</numerusform>
            <numerusform>%n errors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n danger(s)</source>
        <translation>
            <numerusform>%n danger</numerusform>
            <numerusform>%n dangers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n caution(s)</source>
        <translation>
            <numerusform>%n caution</numerusform>
            <numerusform>%n cautions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n note(s)</source>
        <translation>
            <numerusform>%n note</numerusform>
            <numerusform>%n notes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::LaunchPanel</name>
    <message numerus="yes">
        <source>Working folder: %n manifest(s) missing</source>
        <translation>
            <numerusform>Working folder: %n manifest missing</numerusform>
            <numerusform>Working folder: %n manifests missing</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::LineageChips</name>
    <message numerus="yes">
        <source>resumed by %n run(s)</source>
        <translation>
            <numerusform>resumed by %n run</numerusform>
            <numerusform>resumed by %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>repeated by %n run(s)</source>
        <translation>
            <numerusform>repeated by %n run</numerusform>
            <numerusform>repeated by %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n related run(s)</source>
        <translation>
            <numerusform>%n related run</numerusform>
            <numerusform>%n related runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::MarksEditor</name>
    <message numerus="yes">
        <source>%1, and %n more run(s)</source>
        <translation>
            <numerusform>%1, and %n more run</numerusform>
            <numerusform>%1, and %n more runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::PlotStack</name>
    <message numerus="yes">
        <source>Only %n plots fit; remove one first</source>
        <translation>
            <numerusform>Only %n plot fits; remove one first</numerusform>
            <numerusform>Only %n plots fit; remove one first</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RecipeModel</name>
    <message numerus="yes">
        <source>%n problem(s) in this section</source>
        <translation>
            <numerusform>%n problem in this section</numerusform>
            <numerusform>%n problems in this section</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ReviewToolbar</name>
    <message numerus="yes">
        <source>%n incident(s)</source>
        <translation>
            <numerusform>%n incident</numerusform>
            <numerusform>%n incidents</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RunDelegate</name>
    <message numerus="yes">
        <source>%n part(s)</source>
        <translation>
            <numerusform>%n part</numerusform>
            <numerusform>%n parts</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RunListModel</name>
    <message numerus="yes">
        <source>%n rank(s), %1</source>
        <translation>
            <numerusform>%n rank, %1</numerusform>
            <numerusform>%n ranks, %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::MarkActions</name>
    <message numerus="yes">
        <source>Tag for %n run(s)</source>
        <translation>
            <numerusform>Tag for %n run</numerusform>
            <numerusform>Tag for %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n live run(s) will be kept.</source>
        <translation>
            <numerusform>%n live run will be kept.</numerusform>
            <numerusform>%n live runs will be kept.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n runs with their plots, logs and checkpoints to the trash?</source>
        <translation>
            <numerusform>Move %n run with its plots, logs and checkpoints to the trash?</numerusform>
            <numerusform>Move %n runs with their plots, logs and checkpoints to the trash?</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RunsPage</name>
    <message numerus="yes">
        <source>%n run(s) are in the trash</source>
        <translation>
            <numerusform>%n run is in the trash</numerusform>
            <numerusform>%n runs are in the trash</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Copied %n row(s)</source>
        <translation>
            <numerusform>Copied %n row</numerusform>
            <numerusform>Copied %n rows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Compare %n run(s)</source>
        <translation>
            <numerusform>Compare %n run</numerusform>
            <numerusform>Compare %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Copied %n path(s)</source>
        <translation>
            <numerusform>Copied %n path</numerusform>
            <numerusform>Copied %n paths</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ScatterPlot</name>
    <message numerus="yes">
        <source>%n run(s) without a value</source>
        <translation>
            <numerusform>%n run without a value</numerusform>
            <numerusform>%n runs without a value</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::SyncCard</name>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <comment>of this setting; a button</comment>
        <translation>
            <numerusform>%n problem</numerusform>
            <numerusform>%n problems</numerusform>
        </translation>
    </message>
</context>
</TS>
