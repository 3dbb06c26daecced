import { z } from 'zod';
import { BatonError } from '@baton/contracts';
import { laneRefName } from '../ref-name.ts';
import { gitLine, gitText } from '../run-git.ts';
import { dropLanesInTheWay } from './lanes-in-the-way.ts';
import { moveRefs } from './move-refs.ts';
import { haveObject, isRemote, objectsOf, readRefs, type TargetPlace } from './target-place.ts';

const laneRecord = z.object({
  epoch: z.number().int().nonnegative(),
  holder: z.string(),
  intent: z.string().nullable(),
});

/** What the lane ref's blob says: who lands here, at which epoch, and the last intent that moved the refs. */
export type LaneRecord = z.output<typeof laneRecord>;

/** A lane as we hold it; each landing yields the next. */
export interface LaneRef {
  ref: string;
  /** Blob that the ref holds until another holder takes the lane. */
  value: string;
  epoch: number;
  holder: string;
}

/** Which lane, and who wants to hold it. `epoch` comes from the store and grows with each holder. */
export interface LaneOptions extends TargetPlace {
  storeId: string;
  target: string;
  epoch: number;
  /** Names the holder, e.g. a worker id. */
  holder: string;
}

/** The lane is ours, or a newer holder has it. */
export type OpenedLane =
  { ok: true; lane: LaneRef } | { ok: false; currentEpoch: number; currentHolder: string };

/**
 * Takes the lane in the target repository: its ref is moved by compare-and-swap to a blob that names our epoch. A holder whose epoch
 * is not above the ref's is refused, unless it is that very holder (docs/spec/landing.md#lanes).
 * @throws GIT_FAILED when the repository refuses the ref for another reason
 */
export async function openLaneRef(options: LaneOptions): Promise<OpenedLane> {
  const ref = laneRefName(options.storeId, options.target);
  const value = await writeLaneValue(options, { epoch: options.epoch, holder: options.holder, intent: null });
  const ours: OpenedLane = { ok: true, lane: { ref, value, epoch: options.epoch, holder: options.holder } };
  const [before = null] = await readRefs(options, [ref]);
  if (before === value) return ours;
  const refused = before === null ? null : await newerHolder(options, { ref, value: before });
  if (refused !== null) return refused;

  const failure = await moveRefs(options, [{ ref, from: before, to: value }]);
  if (failure === null) return ours;
  const [after = null] = await readRefs(options, [ref]);
  if (after === value) return ours;
  const isInTheWay = after === null && (await dropLanesInTheWay(options, ref));
  if (after === before && !isInTheWay) throw failure;
  return openLaneRef(options);
}

/** Writes the blob for a lane ref to point to and gives its id; nothing refers to it yet. @throws GIT_FAILED */
export async function writeLaneValue(place: TargetPlace, record: LaneRecord): Promise<string> {
  return gitLine(place.git, ['hash-object', '-w', '--stdin'], {
    cwd: objectsOf(place),
    stdin: `${JSON.stringify(record)}\n`,
  });
}

/** What a lane ref says now, or null when the lane was never held. @throws GIT_FAILED, CONFLICT when the blob is not ours */
export async function readLane(
  options: TargetPlace & { storeId: string; target: string },
): Promise<LaneRecord | null> {
  const ref = laneRefName(options.storeId, options.target);
  const [value = null] = await readRefs(options, [ref]);
  return value === null ? null : readRecord(options, { ref, value });
}

async function newerHolder(
  options: LaneOptions,
  lane: { ref: string; value: string },
): Promise<OpenedLane | null> {
  if (await isCollected(options, lane.value)) return null;
  const current = await readRecord(options, lane);
  const ours = current.epoch === options.epoch && current.holder === options.holder;
  if (ours || current.epoch < options.epoch) return null;
  return { ok: false, currentEpoch: current.epoch, currentHolder: current.holder };
}

/** A `git gc --prune=now` may remove what a lane ref points to while the ref is written; git then refuses other work as well, until the ref is moved on. */
async function isCollected(place: TargetPlace, value: string): Promise<boolean> {
  if (isRemote(place.repo)) return false;
  const found = await place.git(['cat-file', '--batch-check'], { cwd: place.repo, stdin: `${value}\n` });
  return found.exitCode === 0 && found.stdout.trim() === `${value} missing`;
}

async function readRecord(place: TargetPlace, lane: { ref: string; value: string }): Promise<LaneRecord> {
  await haveObject(place, { ref: lane.ref, id: lane.value });
  const text = await gitText(place.git, ['cat-file', 'blob', lane.value], { cwd: objectsOf(place) });
  try {
    return laneRecord.parse(JSON.parse(text));
  } catch (cause) {
    throw new BatonError('CONFLICT', `${lane.ref} does not hold a record of Baton's.`, {
      cause,
      at: lane.ref,
      fix: `Look at it with \`git cat-file -p ${lane.ref}\`; if it is not needed, delete it with \`git update-ref -d ${lane.ref}\`.`,
    });
  }
}
