import type { Readable, Writable } from 'node:stream';
import type * as acp from '@agentclientprotocol/sdk';
import { BatonError } from '@baton/contracts';
import { jsonLines } from '../../process/json-lines.ts';
import { isNestedDeeper } from '../../process/nesting.ts';
import type { Flow } from './flow.ts';
import { updateParams, type PermissionParams } from './messages.ts';

/** No message of an agent is longer: beyond it is a flood. */
const maxLineBytes = 32 * 1024 * 1024;
/** No message is nested deeper: what writes it again as text would fail beyond some thousand levels. */
const mostLevels = 1_000;
/** While more of what was written to an agent is unread, what is no message is passed over without an answer. */
const mostUnreadBytes = 64 * 1024;
/** A longer line that is no JSON is not looked into. */
const mostMended = 1024 * 1024;
/** What JSON-RPC answers to what is no message. */
const noJson = { code: -32_700, message: 'Parse error' };
const noMessage = { code: -32_600, message: 'Invalid request' };

/** Who hears of what the agent sends. */
export interface AcpListener {
  /** @param of the session that it is of; left out: not said */
  onUpdate(update: unknown, of?: string): void;
  /** Chooses for the agent: the id of an option, or null to cancel the request. */
  onPermission(request: PermissionParams): Promise<string | null> | string | null;
  /** It told its usage in a line that is no JSON. */
  onUnreadable(): void;
  /** Bytes came. */
  onSign(): void;
  /** Null: more can be heard; else resolves when it can. */
  room(): Promise<unknown> | null;
}

/**
 * Reads what an agent says. Updates, which are nearly all of it, go to the listener at once; only answers and requests go through the
 * stream to the SDK, which drops updates of a kind that it does not know, and is slow with those that it knows.
 */
export function messagesOf(
  { stdout, stdin }: { stdout: Readable; stdin: Writable },
  { listener, flow }: { listener: () => AcpListener; flow: Flow },
): ReadableStream<acp.AnyMessage> {
  const refuse = (error: { code: number; message: string }) =>
    stdin.writableLength <= mostUnreadBytes &&
    void stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error })}\n`, () => undefined);
  let isOver = false;
  return new ReadableStream({
    start(controller) {
      const over = (error?: unknown) => {
        if (isOver) return;
        isOver = true;
        if (error === undefined) controller.close();
        else controller.error(error);
      };
      const lines = jsonLines({
        onValue(value) {
          if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(noMessage);
          if (isNestedDeeper(value, mostLevels)) return over(broken(`nested more than ${mostLevels} levels`));
          if (isUpdate(value, listener) || isOver) return;
          if (!('method' in value) && !('id' in value)) return refuse(noMessage);
          if ('method' in value) flow.asked();
          // The SDK prints answers to what was not asked, with ids that an agent chose.
          else if (!flow.takes(value.id)) return;
          controller.enqueue(value as acp.AnyMessage);
        },
        onOther(line) {
          if (line.includes('"usage') && noNumber.test(line)) listener().onUnreadable();
          const answer = isOver ? null : answerIn(line);
          if (answer === null || !flow.takes(answer.id)) return refuse(noJson);
          controller.enqueue(answer);
        },
        onFlood: () => over(broken(`longer than ${maxLineBytes} bytes`)),
        maxLineBytes,
      });
      const read = (work: () => void) => {
        try {
          work();
        } catch (error) {
          over(error); // of a handler: it is the end of the session, not of this process
        }
      };
      stdout.on('data', (chunk: Buffer) => {
        listener().onSign();
        if (!isOver) read(() => lines.push(chunk));
        flow.await(listener().room());
      });
      stdout.once('end', () => {
        if (!isOver) read(() => lines.end());
        over();
      });
      stdout.once('close', () => over());
    },
    // The SDK reads no more, and has closed the stream by itself.
    cancel() {
      isOver = true;
    },
  });
}

const broken = (how: string) =>
  new BatonError('AGENT_PROTOCOL', `The agent sent a message that is ${how}.`, {
    fix: 'Update the agent, or take another one.',
  });

/** Writes what the SDK says to an agent. */
export function messagesTo(stdin: Writable, flow: Flow): WritableStream<acp.AnyMessage> {
  return new WritableStream({
    write: (message) =>
      new Promise((resolve, reject) => {
        if ('id' in message && 'method' in message) flow.sent(message.id);
        stdin.write(`${JSON.stringify(message)}\n`, (error) => {
          if ('id' in message && !('method' in message)) flow.answered();
          if (error) reject(error);
          else resolve();
        });
      }),
  });
}

/** Takes every notification; what is no update says nothing to us. */
function isUpdate(message: object, listener: () => AcpListener): boolean {
  if (!('method' in message) || 'id' in message) return false;
  if (message.method !== 'session/update' || !('params' in message)) return true;
  const params = updateParams.safeParse(message.params);
  if (params.success) listener().onUpdate(params.data.update, params.data.sessionId);
  return true;
}

/** The answer in a line with such numbers, which are null then: the turn is over all the same. Null: it is none. */
function answerIn(line: string): (acp.AnyMessage & { id: unknown }) | null {
  if (line.length > mostMended || !noNumber.test(line)) return null;
  const text = line.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:NaN|Infinity)\b/g, (found) =>
    found.startsWith('"') ? found : 'null',
  );
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    const isAnswer = 'id' in value && !('method' in value) && !isNestedDeeper(value, mostLevels);
    return isAnswer ? (value as never) : null;
  } catch {
    return null;
  }
}

/** Numbers that JSON does not have, as some programs write them all the same: the whole line is then no JSON. */
const noNumber = /[:[,]\s*-?(?:NaN|Infinity)\b/;
