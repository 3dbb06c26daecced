import { describe, expect, test } from 'vitest';
import { advanced, planOf, TO_ACTING, taskAfter } from '../../test/cognitive-support.ts';
import {
  checkpointOf,
  CheckpointLogError,
  printCheckpoint,
  readCheckpointLog,
  reflectionCheckpoint,
  replayCheckpoints,
  withContext,
  type Checkpoint,
  type CognitiveEvent,
  type CognitiveTask,
  type Message,
  type TaskContext,
} from '../index.ts';

const message = (id: string): Message => ({ id, role: 'tool', content: `result ${id}` });
const done = { stepIndex: 0, actionType: 'tool_call', actionInput: {}, success: true, startedAt: 1 };

/** Runs steps of (context change, event), writing a checkpoint after each move that calls for one. */
function runLogged(steps: [Partial<TaskContext>, CognitiveEvent['type']][]) {
  let task: CognitiveTask = taskAfter([]);
  let saved: TaskContext | undefined;
  const log: Checkpoint[] = [];
  for (const [changes, type] of steps) {
    const { task: next, decision } = advanced(withContext(task, changes), type);
    const checkpoint = checkpointOf(decision, saved);
    if (checkpoint !== null) {
      log.push(checkpoint);
      saved = next.snapshot.context;
    }
    task = next;
  }
  return { log, task };
}

const untilTool = [
  [{}, 'TASK_CREATED'],
  [
    {
      plan: planOf('tool_call', 'tool_call'),
      reasoning: { thought: 1 },
      messages: [message('m1')],
      iteration: 1,
    },
    'REASON_DONE',
  ],
  [{ messages: [message('m1')], plan: planOf('tool_call!', 'tool_call') }, 'STEP_COMPLETED'],
] satisfies [Partial<TaskContext>, CognitiveEvent['type']][];

describe('checkpointOf', () => {
  test('writes what the persistence table names, as a full context or as a delta', () => {
    const { log } = runLogged([
      ...untilTool,
      [{ messages: [message('m1'), message('m2')], actionsDone: [done] }, 'TOOL_CALL_FAILED'],
      [{}, 'TASK_SUSPENDED'],
      [{}, 'TASK_RESUMED'],
      [{ plan: planOf('tool_call!') }, 'TOOL_CALL_COMPLETED'],
      [{}, 'NEED_MORE_INFO'],
      [{}, 'TASK_FAILED'],
    ]);
    expect(log.map(({ timing, kind }) => `${timing} ${kind}`)).toEqual([
      'TASK_CREATED delta',
      'REASON_DONE delta',
      'TOOL_CALL_FAILED delta',
      'TASK_SUSPENDED full',
      'TOOL_CALL_COMPLETED delta',
      'NEED_MORE_INFO delta',
      'TASK_FAILED full',
    ]);
    expect(log[0]).toMatchObject({ changes: { inputText: 'do it', source: 'cli', inputMetadata: {} } });
    expect(log[1]).toMatchObject({ changes: { reasoning: { thought: 1 }, plan: { goal: 'goal' } } });
    expect(log[5]).toMatchObject({ changes: { reasoning: { thought: 1 }, suspendedState: 'reasoning' } });
    expect(log[6]).toMatchObject({ context: { error: 'because', inputText: 'do it' } });
  });

  test('is written after the move and carries it: a suspended context holds its suspend fields', () => {
    const { log } = runLogged([...untilTool, [{}, 'TASK_SUSPENDED']]);
    expect(log.at(-1)).toMatchObject({
      taskId: 'c1',
      transition: { from: 'acting', to: 'suspended', seq: 4 },
      context: { suspendedState: 'acting', suspendReason: 'because' },
    });
  });

  test('writes the full context when the last step completes the task', () => {
    const { log } = runLogged([
      ...untilTool,
      [{ plan: planOf('respond!'), finalResult: 'ok' }, 'STEP_COMPLETED'],
    ]);
    expect(log.at(-1)).toMatchObject({
      kind: 'full',
      timing: 'TASK_COMPLETED',
      context: { finalResult: 'ok' },
    });
  });

  test('appends only the new messages, or all of them once the list was rewritten', () => {
    const [m1, m2, summary] = [message('m1'), message('m2'), message('sum')];
    const { log } = runLogged([
      [{}, 'TASK_CREATED'],
      [{ messages: [m1], plan: planOf('tool_call') }, 'REASON_DONE'],
      [{ messages: [m1, m2] }, 'TOOL_CALL_COMPLETED'],
      [{ messages: [summary] }, 'TOOL_CALL_COMPLETED'],
    ]);
    expect(log[2]).toMatchObject({ newMessages: [m2], changes: {} });
    expect(log[3]).toMatchObject({ newMessages: [], changes: { messages: [summary] } });
  });

  test('notes a reflection without a move', () => {
    const reflection = { facts: [{ path: 'a', content: 'b' }], episode: null, assessment: 'fine' };
    expect(reflectionCheckpoint('c1', { reflection, at: 9 })).toEqual({
      kind: 'reflection',
      timing: 'REFLECTION_COMPLETE',
      taskId: 'c1',
      at: 9,
      factsWritten: 1,
      hasEpisode: false,
      assessment: 'fine',
    });
  });
});

describe('replayCheckpoints', () => {
  const longRun: [Partial<TaskContext>, CognitiveEvent['type']][] = [
    ...untilTool,
    [{ messages: [message('m1'), message('m2')], actionsDone: [done] }, 'TOOL_CALL_COMPLETED'],
    [{}, 'TASK_SUSPENDED'],
    [{}, 'TASK_RESUMED'],
    [
      { plan: planOf('tool_call!', 'tool_call!'), messages: [message('sum')], actionsDone: [done, done] },
      'TOOL_CALL_COMPLETED',
    ],
  ];

  test.each(longRun.map((_, at) => at + 1))(
    'gives back the live task after move %i, through text',
    (count) => {
      const { log, task } = runLogged(longRun.slice(0, count));
      const last = log.at(-1);
      const replayed = replayCheckpoints(readCheckpointLog(log.map(printCheckpoint).join('')).checkpoints);
      if (last?.kind !== 'reflection' && last?.transition.seq === task.snapshot.seq) {
        expect(replayed).toEqual(JSON.parse(JSON.stringify(task.snapshot)));
      } else {
        expect(replayed?.seq).toBe(last?.kind === 'reflection' ? undefined : last?.transition.seq);
      }
    },
  );

  test('counts a line that was written twice once, and gives null for a log without a move', () => {
    const { log } = runLogged(longRun.slice(0, 4));
    expect(replayCheckpoints([...log, ...log.slice(-1)])).toEqual(replayCheckpoints(log));
    const reflection = { facts: [], episode: null, assessment: '' };
    expect(replayCheckpoints([reflectionCheckpoint('c1', { reflection, at: 1 })])).toBeNull();
  });
});

describe('a checkpoint log', () => {
  const { log } = runLogged([...untilTool.slice(0, 2), [{}, 'TASK_SUSPENDED']]);
  const lines = log.map(printCheckpoint);
  const text = lines.join('');

  test('cut off at any byte reads as its whole lines, and says where to continue', () => {
    for (let cut = 0; cut <= text.length; cut += 1) {
      const read = readCheckpointLog(text.slice(0, cut));
      expect(text.startsWith(read.intact), `cut at ${cut}`).toBe(true);
      expect(read.intact).toBe(lines.slice(0, read.checkpoints.length).join(''));
      expect(read.torn).toBe(cut > read.intact.length);
    }
    expect(readCheckpointLog(text)).toMatchObject({ torn: false, intact: text });
  });

  test('keeps a complete last line that only lacks its line feed', () => {
    expect(readCheckpointLog(text.slice(0, -1))).toMatchObject({ torn: false, intact: text });
  });

  test('refuses an unreadable line that is not the last, by number', () => {
    expect(() => readCheckpointLog(`${lines[0] ?? ''}{"kind":\n${lines[1] ?? ''}`)).toThrow(
      CheckpointLogError,
    );
    expect(() => readCheckpointLog(`null\n${text}`)).toThrow(/^line 1 of the checkpoint log/);
  });
});

test('TO_ACTING really brings a task to acting', () => {
  expect(taskAfter(TO_ACTING).snapshot.state).toBe('acting');
});
