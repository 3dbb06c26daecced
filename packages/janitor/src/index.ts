export { needsWorktree, verifyTree, type VerifyOptions } from './verify-tree.ts';
export { filteredPaths, type FilteredPath, type FilteredPathsOptions } from './filtered-paths.ts';
export { checkKey, checksHash, type ChecksOptions } from './checks-hash.ts';
export { gitEnded } from './run-git.ts';
export { redact } from './redact.ts';
export { signalName } from './signals/check-signal.ts';
export { detectProject, type DetectedProject } from './detect/detect-project.ts';
export type { DetectedGate } from './detect/detected-gate.ts';
export { adviseSetup, type Comparison, type SetupAdvice } from './detect/advise-setup.ts';
export {
  ignoredPaths,
  readRepository,
  untrackedPaths,
  type ReadRepositoryOptions,
} from './detect/read-repository.ts';
export { runsPathPython, type GatePrograms } from './detect/python-source.ts';
export { setupLine, yamlList } from './detect/setup-line.ts';
export type { RepoFacts } from './detect/repo-facts.ts';
export { writesTests } from './tamper/owns-tests.ts';
export { tamperFlags, type TamperFlag, type TamperOptions } from './tamper/tamper-flags.ts';
export { mayRunFewerTests, ranFewer, type TestRun } from './tamper/fewer-tests.ts';
export type { TestCount } from './checks/test-count.ts';
export { listChangedPaths, type ChangedPath, type ChangeRange } from './tamper/read-change.ts';
export { buildCandidate, rewordCandidate, type Candidate, type CandidateOptions } from './land/candidate.ts';
export type { CommitAuthor } from './land/commit-tree.ts';
export type { Kept } from './land/history.ts';
export type { EarlierCommit, KeptCommits, KeptText } from './land/kept-commits.ts';
export { tryMerge, type MergedTree } from './land/try-merge.ts';
export { rewriteCandidate } from './land/rewrite-candidate.ts';
export { auditDependencies, type AuditOptions, type DependencyAudit } from './audit/audit-change.ts';
export { hasFallen, shareText, type Coverage } from './checks/coverage.ts';
export { confirmationsOf, type GateSteadiness } from './checks/flaky-gate.ts';
export { reportAudit, type AuditReport } from './audit/report-audit.ts';
export type { Dependency, Ecosystem, Source } from './audit/dependency.ts';
export type { Addition } from './audit/judge-additions.ts';
export { testsAlone, type TestsAlone, type TestsAloneOptions } from './land/tests-alone.ts';
export { patchIdOf } from './land/patch-id.ts';
export { laneRefName } from './ref-name.ts';
export {
  openLaneRef,
  readLane,
  type LaneOptions,
  type LaneRecord,
  type LaneRef,
  type OpenedLane,
} from './land/lane.ts';
export { prepareTarget, refuseDirty, targetHead } from './land/prepare-target.ts';
export {
  dropLandingRefs,
  landedRefs,
  landingRefOf,
  landingRefs,
  publishCandidate,
} from './land/publish-candidate.ts';
export { candidateRefs, dropCandidates, standCandidate, type CandidateRef } from './land/candidate-refs.ts';
export { restoreTarget } from './land/restore-target.ts';
export { landedTasks } from './land/landed-tasks.ts';
export { targetLoss, type TargetLoss } from './land/target-loss.ts';
export { behindText } from './land/bring-forward.ts';
export { moveTarget } from './land/move-target.ts';
export type { MoveOptions, MoveOutcome } from './land/lane-move.ts';
export {
  isLanded,
  landingLockFiles,
  removeDeadLocks,
  settleIntent,
  type LockHolder,
  type SettleOptions,
} from './land/settle-intent.ts';
export { hiddenText, type HiddenChange } from './land/hidden-changes.ts';
export { detachedBy, refuseInUse, targetUse, useText, type TargetUse } from './land/target-use.ts';
export type { TargetPlace } from './land/target-place.ts';
export { asUser, type UserPlace, type UserRun } from './forge/as-user.ts';
export { lastWords } from './forge/ask-program.ts';
export { forgeOf } from './forge/forge-of.ts';
export type {
  Forge,
  ForgeAnswer,
  ForgeTrouble,
  HostChecks,
  HostedRequest,
  RequestDraft,
} from './forge/forge.ts';
export { pushFix } from './forge/refused-push.ts';
export { fetchBranch, pushOver, remoteHead, remoteOf, type Remote } from './forge/remote.ts';
export { diffChange, type ChangeDiff } from './after/diff-change.ts';
export { diffRun, landedDiff, landedOnto, type LandedCommit, type RunDiff } from './after/diff-run.ts';
export { mergeRun, type MergeRunOptions, type MergeRunOutcome } from './after/merge-run.ts';
export { applySweep, sweepRefs, type SweepAct, type SweepOptions } from './after/sweep-refs.ts';
