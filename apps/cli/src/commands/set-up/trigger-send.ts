import { BatonError, causeOfVariables, errorCodes, type ErrorCode } from '@baton/contracts';
import { systemClock, systemIds } from '@baton/service/system';
import { z } from 'zod';

import type { AddCommands } from '../../terminal/call.ts';
import type { Call } from '../../terminal/call.ts';
import type { Colors } from '../../terminal/colors.ts';
import { count } from '../../terminal/format.ts';
import { exampleBody, readJsonObject } from '../../record/json-file.ts';
import { readSecretFile } from '../../up/settings.ts';

/** A server that says nothing for this long is taken for one that is not there. */
const patienceMs = 30_000;

interface SendOptions {
  url?: string;
  webhookSecretFile?: string;
  kind?: string;
  sender?: string;
  id?: string;
  dryRun?: boolean;
}

const answer = z.object({
  duplicate: z.boolean(),
  taskIds: z.array(z.string()),
  rules: z.array(z.object({ rule: z.string(), started: z.boolean(), why: z.array(z.string()) })),
});

const refusal = z.object({
  error: z.object({ code: z.string(), message: z.string(), fix: z.string().nullable() }),
});

/** `baton triggers send`: posts an event to a running server as its sender would, signed. */
export const addTriggerSend: AddCommands = (family, define) => {
  const command = family
    .command('send')
    .argument('<body.json>', 'body of the webhook, a JSON object; - for standard input')
    .description('post a signed event to a running server, and say what each rule made of it')
    .option('--url <address>', 'the server; default: http://127.0.0.1 and the port of `baton up`')
    .option('--webhook-secret-file <file>', 'file of the secret; default: $BATON_WEBHOOK_SECRETS')
    .option('--kind <kind>', 'kind of the event, in place of "type" in the body')
    .option('--sender <name>', 'its sender, in place of "sender" in the body')
    .option('--id <id>', 'id of the delivery; the same one again is answered as before and makes nothing')
    .option('--dry-run', 'print the request in place of sending it')
    .addHelpText(
      'after',
      `
The request is signed as Standard Webhooks say, with the first of two secrets. \`baton triggers test\` says what the rules
would make of an event without sending it. Below an agent that Baton started the event names that run as its cause, in "baton",
so that loops end. With --json: { deliveryId, duplicate, taskIds, rules: [{ rule, started, why }] }.

Examples:
  $ baton triggers send event.json --webhook-secret-file ~/.baton-webhook --kind deploy.failed
  $ baton triggers send event.json --url https://baton.example.org --id retry-of-7
  $ baton triggers send event.json --dry-run`,
    );
  define(command, async (call, file: string, options: SendOptions) => {
    const { isEventKind, signWebhook } = await import('@baton/triggers'); // help should not wait for it
    if (options.kind !== undefined && !isEventKind(options.kind))
      throw new BatonError('INVALID_INPUT', 'A kind is 1 to 100 letters, digits, "_", "-" and ".".', {
        at: '--kind',
        fix: 'Write it as --kind deploy.failed.',
      });
    const cause = causeOfVariables(call.env.all);
    const body = JSON.stringify({
      ...(await readJsonObject(call, { file, example: exampleBody })),
      ...(options.kind === undefined ? {} : { type: options.kind }),
      ...(options.sender === undefined ? {} : { sender: options.sender }),
      ...(cause === null ? {} : { baton: { run_id: cause.runId, depth: cause.depth } }),
    });
    const deliveryId = options.id ?? `msg-${systemIds.uuid()}`;
    const url = addressOf(options.url ?? `http://127.0.0.1:${call.env.port}`);
    const secret = await secretOf(call, options.webhookSecretFile);
    const signed = signWebhook(body, { secret, id: deliveryId, at: systemClock.now() });
    const headers = { 'content-type': 'application/json', ...signed };
    if (options.dryRun === true) {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      call.out.result({ dryRun: true, url, headers, body }, () =>
        [`POST ${url}`, ...lines, '', body].join('\n'),
      );
      return;
    }
    const got = await post(url, { headers, body });
    call.out.result({ deliveryId, ...got }, (colors) => answerLines({ deliveryId, ...got }, colors));
  });
};

/** @throws INVALID_INPUT */
function addressOf(server: string): string {
  if (/^https?:\/\//i.test(server) && URL.canParse('/webhooks/webhook', server))
    return new URL('/webhooks/webhook', server).href;
  throw new BatonError('INVALID_INPUT', `"${server}" is no address of a server.`, {
    at: '--url',
    fix: 'Write it as http://127.0.0.1:7420 or https://baton.example.org.',
  });
}

/** @throws SECRET_MISSING */
async function secretOf(call: Call, file: string | undefined): Promise<string> {
  const secrets =
    file === undefined ? (call.env.all['BATON_WEBHOOK_SECRETS'] ?? '') : await readSecretFile(file, call);
  const [first = ''] = secrets.split(',');
  if (first.trim() !== '') return first.trim();
  throw new BatonError('SECRET_MISSING', 'There is no secret to sign the event with.', {
    fix: 'Name the file that the server was given with --webhook-secret-file FILE, or set $BATON_WEBHOOK_SECRETS.',
  });
}

async function post(
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
): Promise<z.output<typeof answer>> {
  const signal = AbortSignal.timeout(patienceMs);
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' }).catch(
    (cause: unknown) => {
      throw new BatonError('SERVER_UNREACHABLE', `No server answers at ${url}.`, {
        at: url,
        fix: 'Start one with `baton up`, or name it with --url; `--id` of the delivery makes it safe to send it again.',
        cause,
      });
    },
  );
  const told: unknown = await response.json().catch(() => null);
  const taken = answer.safeParse(told);
  if (response.ok && taken.success) return taken.data;
  const refused = refusal.safeParse(told).data?.error;
  const code = refused?.code ?? '';
  const isKnown = (name: string): name is ErrorCode => Object.hasOwn(errorCodes, name);
  throw new BatonError(
    isKnown(code) ? code : 'SERVER_UNREACHABLE',
    refused?.message ?? `What answers at ${url} is no Baton server: HTTP ${response.status}.`,
    { at: url, fix: refused?.fix ?? 'Name the server with --url.' },
  );
}

function answerLines(
  { deliveryId, duplicate, taskIds, rules }: { deliveryId: string } & z.output<typeof answer>,
  colors: Colors,
): string {
  const head = duplicate
    ? `${deliveryId} was accepted before: ${count(taskIds.length, 'task')} came of it.`
    : `${deliveryId} was accepted: ${count(taskIds.length, 'task')} came of it.`;
  return [
    head,
    ...rules.flatMap(({ rule, started, why }) => [
      `${started ? colors.green('✔ started') : colors.dim('· rests')} ${colors.bold(rule)}`,
      ...why.map((line) => `    ${line}`),
    ]),
  ].join('\n');
}
