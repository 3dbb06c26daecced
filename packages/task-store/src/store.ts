import { addTasks } from './add-tasks.ts';
import { amendRun } from './amend-run.ts';
import type { Store } from './api.ts';
import * as keys from './api-keys.ts';
import { approvals, decideApproval } from './approvals.ts';
import { archive, archivedBefore, prune } from './archive.ts';
import { verifyAudit } from './audit.ts';
import { setBudget } from './budget.ts';
import { claimMany } from './claim-many.ts';
import { claimBatch, claimTask } from './claim.ts';
import { orNotFound, queryOne, type Db } from './db.ts';
import { explain } from './explain.ts';
import * as checkpoints from './checkpoints.ts';
import * as feed from './feed.ts';
import { graph } from './graph.ts';
import { acceptDelivery, deliveries, triggeredTasks } from './inbox.ts';
import * as heads from './heads.ts';
import { answeringAfterLogged } from './logged-answers.ts';
import * as landings from './landings.ts';
import * as lanes from './lanes.ts';
import { renewLeases, takeOrphans } from './leases.ts';
import { openDb, type StoreOptions } from './open.ts';
import * as policy from './policy.ts';
import * as reads from './reads.ts';
import { recordMany } from './record-many.ts';
import { record, recordAll } from './record.ts';
import { replay } from './replay.ts';
import * as runActs from './run-acts.ts';
import * as runs from './runs.ts';
import { storeIdentity } from './sql/store-identity.ts';
import * as streams from './streams.ts';
import { createSweeper, wakeNow } from './sweep.ts';
import * as taskActs from './task-acts.ts';
import * as tasks from './tasks.ts';
import { exportLines } from './transfer/export.ts';
import { importLines } from './transfer/import.ts';
import { words } from './words.ts';
import * as workers from './workers.ts';

/**
 * Opens the store on a migrated database. Any number of processes may hold one open on the same database.
 * @throws DATABASE_UNREACHABLE, DATABASE_LOGIN
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { db, close } = openDb(options);
  try {
    const storeId = orNotFound(await queryOne(db, storeIdentity, []), 'identity of the store').id;
    const store: Store = {
      url: options.url,
      storeId,
      close,
      ...runMembers(db),
      ...taskMembers(db),
      ...laneMembers(db),
      ...policyMembers(db),
      ...outerMembers(db),
      ...recordMembers(db, storeId),
    };
    return options.answerAfterLogged ? answeringAfterLogged(store, feed.createLogger(db)) : store;
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

function runMembers(db: Db) {
  return {
    createRun: runs.createRun(db),
    approvePlan: tasks.approvePlan(db),
    rejectPlan: tasks.rejectPlan(db),
    getRun: runs.getRun(db),
    findRun: runs.findRun(db),
    listRuns: runs.listRuns(db),
    pauseRun: runActs.pauseRun(db),
    resumeRun: runActs.resumeRun(db),
    cancelRun: runActs.cancelRun(db),
    amendRun: amendRun(db),
    failRun: runActs.failRun(db),
    setBudget: setBudget(db),
    settleRun: runActs.settleRun(db),
    getRepo: reads.getRepo(db),
    pinBase: runs.pinBase(db),
    baseVerdict: reads.baseVerdict(db),
    saveBaseVerdict: reads.saveBaseVerdict(db),
  };
}

function taskMembers(db: Db) {
  return {
    addTasks: addTasks(db),
    getTask: tasks.getTask(db),
    findTask: tasks.findTask(db),
    listTasks: tasks.listTasks(db),
    dependencies: tasks.dependencies(db),
    graph: graph(db),
    attempts: reads.attempts(db),
    listAttempts: reads.listAttempts(db),
    sessions: reads.sessions(db),
    history: feed.history(db),
    explain: explain(db),
    cancelTask: taskActs.cancelTask(db),
    retryTask: taskActs.retryTask(db),
    unblockTask: taskActs.unblockTask(db),
    words: words(db),
    claimBatch: claimBatch(db),
    claimTask: claimTask(db),
    record: policy.recordByPolicy(db, record(db)),
    recordAll: recordAll(db),
    recordMany: recordMany(recordAll(db)),
    claimMany: claimMany(db),
    renewLeases: renewLeases(db),
    sweep: createSweeper(db),
    wake: wakeNow(db),
    takeOrphans: takeOrphans(db),
    appendAgentEvents: streams.appendAgentEvents(db),
    agentEvents: streams.agentEvents(db),
    recordUsage: streams.recordUsage(db),
    openMeter: streams.openMeter(db),
    closeMeter: streams.closeMeter(db),
    shares: streams.shares(db),
    unmeasuredAgents: streams.unmeasuredAgents(db),
    usageEntries: streams.usageEntries(db),
    appendCheckpoint: checkpoints.appendCheckpoint(db),
    checkpoints: checkpoints.checkpoints(db),
    touchSession: streams.touchSession(db),
    setSalvage: streams.setSalvage(db),
  };
}

function laneMembers(db: Db) {
  return {
    verdicts: landings.verdicts(db),
    landings: landings.landings(db),
    openLanes: lanes.openLanes(db),
    landingBehind: lanes.landingBehind(db),
    acquireLane: lanes.acquireLane(db),
    renewLane: lanes.renewLane(db),
    releaseLane: lanes.releaseLane(db),
    takeForLanding: lanes.takeForLanding(db),
    placeHead: heads.placeHead(db),
    headMissed: heads.headMissed(db),
    headFound: heads.headFound(db),
    takeLostHeads: heads.takeLostHeads(db),
    findVerdict: landings.findVerdict(db),
    saveVerdict: landings.saveVerdict(db),
    writeIntent: policy.intentByPolicy(db, landings.writeIntent(db)),
    openIntents: landings.openIntents(db),
    confirmLanding: landings.confirmLanding(db),
    abandonIntent: landings.abandonIntent(db),
    noteLaneWait: lanes.noteLaneWait(db),
    approvals: approvals(db),
    decideApproval: decideApproval(db),
  };
}

function policyMembers(db: Db) {
  return {
    pastDurations: policy.pastDurations(db),
    completionBudget: policy.budgetOfTask(db),
    trust: policy.trust(db),
    trustOf: policy.trustOf(db),
    weakened: policy.weakened(db),
  };
}

function outerMembers(db: Db) {
  return {
    registerWorker: workers.registerWorker(db),
    heartbeatWorker: workers.heartbeatWorker(db),
    setWorkerStatus: workers.setWorkerStatus(db),
    setWithdrawn: workers.setWithdrawn(db),
    workers: workers.workers(db),
    sequence: feed.sequence(db),
    readFeed: feed.readFeed(db),
    feedPosition: feed.feedPosition(db),
    onWake: feed.onWake(db),
    getCursor: feed.getCursor(db),
    setCursor: feed.setCursor(db),
    acceptDelivery: acceptDelivery(db),
    deliveries: deliveries(db),
    triggeredTasks: triggeredTasks(db),
    createApiKey: keys.createApiKey(db),
    apiKeyByHash: keys.apiKeyByHash(db),
    listApiKeys: keys.listApiKeys(db),
    revokeApiKey: keys.revokeApiKey(db),
  };
}

function recordMembers(db: Db, storeId: string) {
  return {
    verifyAudit: verifyAudit(db, storeId),
    counts: reads.counts(db),
    archive: archive(db, storeId),
    prune: prune(db),
    replay: replay(db),
    archivedBefore: archivedBefore(db),
    exportLines: exportLines(db, storeId),
    importLines: importLines(db),
  };
}
