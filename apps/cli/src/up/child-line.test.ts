import { expect, test } from 'vitest';

import { createColors } from '../terminal/colors.ts';
import { systemSeal } from '../terminal/system.ts';
import { childLine } from './child-line.ts';

const colors = createColors({ enabled: false, seal: systemSeal() });
const told = (line: string) => colors.finish(childLine(line, { name: 'worker-1', colors }));

test('a line of a log is shown with time, process, message and fields', () => {
  const time = Date.UTC(2026, 10, 22, 21, 5, 9);
  const line = {
    level: 30,
    time,
    name: 'worker-1-7',
    id: 'w1',
    labels: [],
    why: 'no room',
    msg: 'worker ready',
  };
  expect(told(JSON.stringify(line))).toBe('21:05:09 [worker-1] worker ready id=w1 why="no room"');
});

test('what is no line of a log is kept, and a terminal obeys nothing of either', () => {
  expect(told('error PORT_IN_USE: it is taken')).toBe('[worker-1] error PORT_IN_USE: it is taken');
  expect(told('{"msg":1}')).toBe('[worker-1] {"msg":1}');
  const evil = JSON.stringify({ level: 50, time: 0, msg: 'a\u001b[2Jb', more: '\u001b]0;x' });
  expect(told(evil)).not.toContain('\u001b');
});
