import path from 'node:path';

import { parseInput, triggerEvent, type TriggerEvent } from '@baton/contracts';
import type { Evaluation } from '@baton/triggers';

import type { AddCommands } from '../../terminal/call.ts';
import type { Call } from '../../terminal/call.ts';
import type { Colors } from '../../terminal/colors.ts';
import { exampleBody, readJsonObject } from '../../record/json-file.ts';
import { systemClock } from '@baton/service/system';
import { addTriggerDeliveries } from './trigger-deliveries.ts';
import { addTriggerSend } from './trigger-send.ts';

interface TestOptions {
  rules: string;
  source: string;
  kind?: string;
  sender?: string;
  trusted?: boolean;
}

/** `baton triggers test|send|deliveries`: what would fire on an event, and why not; sending one; which came. */
export const addTriggers: AddCommands = (program, define) => {
  const family = program
    .command('triggers')
    .description('see what the rules of triggers.yaml make of an event, send one, and see which came');
  const test = family
    .command('test')
    .argument('<event.json>', 'a normalised event, or just the body of a webhook')
    .description('say which rules would fire on an event, which would not, and why; nothing is created')
    .option('--rules <file>', 'the rules', 'triggers.yaml')
    .option('--source <name>', 'source of a bare body', 'webhook')
    .option('--kind <kind>', 'kind of a bare body, in place of its "type"')
    .option('--sender <name>', 'sender of a bare body, in place of its "sender"')
    .option('--trusted', 'take a bare body as trusted')
    .addHelpText(
      'after',
      '\nExamples:\n  $ baton triggers test event.json\n  $ baton triggers test body.json --rules ci/triggers.yaml --kind deploy.failed',
    );
  define(test, async (call, file: string, options: TestOptions) => {
    const { evaluate, loadTriggers } = await import('@baton/triggers'); // help should not wait for it
    const rules = await loadTriggers(path.resolve(call.cwd, options.rules));
    const event = await readEvent(call, { file, options });
    const found = evaluate(rules, event, { now: systemClock.now(), rules: {} });
    call.out.result({ event, rules: found }, (colors) =>
      found.length === 0
        ? `${options.rules} holds no rules.`
        : found.map((item) => evaluationLines(item, colors)).join('\n'),
    );
  });
  addTriggerSend(family, define);
  addTriggerDeliveries(family, define);
};

async function readEvent(
  call: Call,
  { file, options }: { file: string; options: TestOptions },
): Promise<TriggerEvent> {
  const value = await readJsonObject(call, { file, example: exampleBody });
  if ('source' in value && 'deliveryId' in value)
    return parseInput(triggerEvent, value, { what: file, at: file });
  const { webhookEvent } = await import('@baton/triggers');
  const { source, kind, sender } = options;
  const data = {
    ...value,
    ...(kind === undefined ? {} : { type: kind }),
    ...(sender === undefined ? {} : { sender }),
  };
  const event = webhookEvent(data, { source, deliveryId: 'test', at: systemClock.now() });
  return { ...event, trusted: options.trusted === true };
}

function evaluationLines(item: Evaluation, colors: Colors): string {
  const mark = item.fires ? colors.green('✔ fires') : colors.dim('· rests');
  const task = item.draft
    ? [`    task: ${item.draft.title}${item.planned ? colors.yellow(' (waits for approval)') : ''}`]
    : [];
  return [`${mark} ${colors.bold(item.rule)}`, ...item.why.map((why) => `    ${why}`), ...task].join('\n');
}
