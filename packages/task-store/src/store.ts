import { addTasks } from './tasks/add-tasks.ts';
import { amendRun } from './runs/amend-run.ts';
import type { Store } from './api/store.ts';
import * as keys from './keys/api-keys.ts';
import { approvals, decideApproval } from './landing/approvals.ts';
import { archive, archivedBefore, prune } from './history/archive.ts';
import { verifyAudit } from './history/audit.ts';
import { setBudget } from './runs/set-budget.ts';
import { claimBatch, claimTask } from './claims/claim.ts';
import { checkedCalls } from './db/checked-calls.ts';
import { orNotFound, queryOne, type Db } from './db/query.ts';
import { explain } from './explain/explain.ts';
import * as checkpoints from './agents/checkpoints.ts';
import * as conflicts from './agents/expected-conflicts.ts';
import * as feed from './feed/feed.ts';
import { graph } from './read/graph.ts';
import { acceptDelivery, deliveries, triggeredTasks } from './inbox/inbox.ts';
import * as heads from './landing/heads.ts';
import { answeringAfterLogged } from './feed/logged-answers.ts';
import * as landings from './landing/landings.ts';
import * as lanes from './landing/lanes.ts';
import { renewLeases, takeOrphans } from './claims/leases.ts';
import { openDb, type StoreOptions } from './open.ts';
import * as requests from './landing/pull-requests.ts';
import * as policy from './trust/trust.ts';
import * as reads from './read/attempts.ts';
import { baseVerdict, saveBaseVerdict } from './runs/base-verdict.ts';
import { record, recordAll } from './apply/record.ts';
import { replay } from './history/replay.ts';
import { settleRun } from './apply/move-run.ts';
import * as runActs from './runs/run-acts.ts';
import * as runs from './read/runs.ts';
import { pinBase } from './runs/pin-base.ts';
import { openCommand } from './read/commands.ts';
import { createRun } from './runs/create-run.ts';
import { storeIdentity } from './read/store.sql.ts';
import * as streams from './agents/streams.ts';
import { createSweeper, roomFound, wakeNow } from './upkeep/sweep.ts';
import * as taskActs from './tasks/task-acts.ts';
import * as tasks from './read/tasks.ts';
import { approvePlan, rejectPlan } from './tasks/approve-plan.ts';
import { exportLines } from './transfer/export.ts';
import { importLines } from './transfer/import.ts';
import { words } from './landing/words.ts';
import * as workers from './agents/workers.ts';

/**
 * Opens the store on a migrated database. Any number of processes may hold one open on the same database.
 * @throws DATABASE_UNREACHABLE, DATABASE_LOGIN; INVALID_INPUT for options that are none
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { db, close } = openDb(options);
  try {
    const storeId = orNotFound(await queryOne(db, storeIdentity, []), 'identity of the store').id;
    const store: Store = {
      url: options.url,
      storeId,
      close,
      ...checkedCalls({
        ...workGroups(db),
        ...streamGroup(db),
        ...landingGroups(db),
        ...outerGroups(db),
        ...recordGroups(db, storeId),
      }),
    };
    return options.answerAfterLogged ? answeringAfterLogged(store, feed.createLogger(db)) : store;
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

function workGroups(db: Db): Pick<Store, 'runs' | 'tasks' | 'claims'> {
  return {
    runs: {
      create: createRun(db),
      approvePlan: approvePlan(db),
      rejectPlan: rejectPlan(db),
      get: runs.getRun(db),
      find: runs.findRun(db),
      list: runs.listRuns(db),
      pause: runActs.pauseRun(db),
      resume: runActs.resumeRun(db),
      amend: amendRun(db),
      cancel: runActs.cancelRun(db),
      fail: runActs.failRun(db),
      setBudget: setBudget(db),
      settle: settleRun(db),
      repo: reads.getRepo(db),
      pinBase: pinBase(db),
      baseVerdict: baseVerdict(db),
      saveBaseVerdict: saveBaseVerdict(db),
    },
    tasks: {
      add: addTasks(db),
      get: tasks.getTask(db),
      find: tasks.findTask(db),
      list: tasks.listTasks(db),
      dependencies: tasks.dependencies(db),
      graph: graph(db),
      attempts: reads.attempts(db),
      listAttempts: reads.listAttempts(db),
      sessions: reads.sessions(db),
      history: feed.history(db),
      explain: explain(db),
      expectedConflicts: conflicts.expectedConflicts(db),
      cancel: taskActs.cancelTask(db),
      retry: taskActs.retryTask(db),
      unblock: taskActs.unblockTask(db),
      words: words(db),
      verdicts: landings.verdicts(db),
      landings: landings.landings(db),
    },
    claims: {
      claimBatch: claimBatch(db),
      claimTask: claimTask(db),
      record: policy.recordByPolicy(db, record(db)),
      recordAll: recordAll(db),
      renewLeases: renewLeases(db),
      sweep: createSweeper(db),
      wake: wakeNow(db),
      roomFound: roomFound(db),
      takeOrphans: takeOrphans(db),
    },
  };
}

function streamGroup(db: Db): Pick<Store, 'streams'> {
  return {
    streams: {
      append: streams.appendAgentEvents(db),
      events: streams.agentEvents(db),
      recordUsage: streams.recordUsage(db),
      openMeter: streams.openMeter(db),
      closeMeter: streams.closeMeter(db),
      shares: streams.shares(db),
      unmeasuredAgents: streams.unmeasuredAgents(db),
      usageEntries: streams.usageEntries(db),
      touchSession: streams.touchSession(db),
      setSalvage: streams.setSalvage(db),
      setReview: streams.setReview(db),
      appendCheckpoint: checkpoints.appendCheckpoint(db),
      checkpoints: checkpoints.checkpoints(db),
    },
  };
}

function landingGroups(db: Db): Pick<Store, 'lanes' | 'pullRequests' | 'approvals' | 'trust'> {
  const writeIntents = policy.intentsByPolicy(db, landings.writeIntents(db));
  return {
    lanes: {
      open: lanes.openLanes(db),
      landingBehind: lanes.landingBehind(db),
      underWay: conflicts.underWay(db),
      acquire: lanes.acquireLane(db),
      renew: lanes.renewLane(db),
      release: lanes.releaseLane(db),
      catchUp: lanes.catchUpLane(db),
      takeForLanding: lanes.takeForLanding(db),
      placeHead: heads.placeHead(db),
      headMissed: heads.headMissed(db),
      headFound: heads.headFound(db),
      takeLostHeads: heads.takeLostHeads(db),
      findVerdict: landings.findVerdict(db),
      saveVerdict: landings.saveVerdict(db),
      writeIntents,
      openIntents: landings.openIntents(db),
      confirm: landings.confirmLanding(db),
      abandon: landings.abandonIntent(db),
      noteUnlanded: landings.noteUnlanded(db),
      noteWait: lanes.noteLaneWait(db),
    },
    pullRequests: {
      note: requests.noteRequest(db),
      list: requests.listRequests(db),
    },
    approvals: {
      list: approvals(db),
      decide: decideApproval(db),
    },
    trust: {
      pastDurations: policy.pastDurations(db),
      gates: policy.gateRecords(db),
      completionBudget: policy.budgetOfTask(db),
      list: policy.trust(db),
      of: policy.trustOf(db),
      weakened: policy.weakened(db),
    },
  };
}

function outerGroups(db: Db): Pick<Store, 'workers' | 'feed' | 'inbox' | 'commands' | 'keys'> {
  return {
    commands: { open: openCommand(db) },
    workers: {
      register: workers.registerWorker(db),
      heartbeat: workers.heartbeatWorker(db),
      setStatus: workers.setWorkerStatus(db),
      list: workers.workers(db),
      setWithdrawn: workers.setWithdrawn(db),
      setExpectedConflicts: conflicts.setExpectedConflicts(db),
    },
    feed: {
      sequence: feed.sequence(db),
      read: feed.readFeed(db),
      position: feed.feedPosition(db),
      onWake: feed.onWake(db),
      getCursor: feed.getCursor(db),
      setCursor: feed.setCursor(db),
    },
    inbox: {
      accept: acceptDelivery(db),
      deliveries: deliveries(db),
      triggeredTasks: triggeredTasks(db),
    },
    keys: {
      create: keys.createApiKey(db),
      byHash: keys.apiKeyByHash(db),
      list: keys.listApiKeys(db),
      revoke: keys.revokeApiKey(db),
    },
  };
}

function recordGroups(db: Db, storeId: string): Pick<Store, 'audit' | 'archive' | 'transfer'> {
  return {
    audit: {
      verify: verifyAudit(db, storeId),
      counts: reads.counts(db),
    },
    archive: {
      write: archive(db, storeId),
      prune: prune(db),
      before: archivedBefore(db),
      replay: replay(db),
    },
    transfer: {
      exportLines: exportLines(db, storeId),
      importLines: importLines(db),
    },
  };
}
