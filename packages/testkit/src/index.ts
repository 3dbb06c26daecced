export { appArguments, type App } from './app-arguments.ts';
export {
  crashPointArguments,
  readCrashLog,
  type CrashMoment,
  type CrashOrder,
  type CrashPassage,
  type CrashStrike,
  type CrashVictim,
} from './crash-points.ts';
export { planStrikes, tellStrike, type StrikePlan } from './crash-plan.ts';
export { compileCache } from './compile-cache.ts';
export { crashCatalogue, type CatalogueOptions } from './crash-points-catalogue.ts';
export type { CrashCatalogue, SourceFunction } from './crash-points-names.ts';
export { effectPoint } from './effect-point.ts';
export { contradictions, type ClaimContradiction, type ClaimOperation } from './claim-history.ts';
export { manualClock, sequentialIds, type ManualClock } from './clock.ts';
export {
  explore,
  type Counterexample,
  type Exploration,
  type ExploreOptions,
  type Model,
  type Step,
} from './explore.ts';
export { seededRandom, walkAtRandom, type WalkOptions, type Walks } from './explore-walks.ts';
export {
  fakeAgent,
  type FakeAcpBehaviour,
  type FakeAgentLaunch,
  type FakeAgentOptions,
  type FakeChoice,
  type FakeRpcError,
  type FakeScript,
  type FakeStep,
  type FakeToolCall,
  type FakeUsage,
} from './fake-agent.ts';
export { folderKey } from './folder-key.ts';
export { faultMisfit, plantFault, type PlantedFault } from './plant-fault.ts';
export { listProcessesWithMarker, processStartTime, type MarkedProcess } from './processes.ts';
export {
  diffSnapshots,
  takeSnapshot,
  type DiffSnapshotsOptions,
  type RepoSnapshot,
  type SnapshotDifference,
} from './repo-snapshot.ts';
export { createRepo, writeFiles, type CreateRepoOptions, type RepoFiles, type TestRepo } from './repo.ts';
export { runProgram } from './run-program.ts';
export { runReadmeExample, type ReadmeExampleOptions } from './readme-example.ts';
export { tempDir, type TempDir } from './temp-dir.ts';
export { inParts } from './in-parts.ts';
export { testRounds } from './test-rounds.ts';
export { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './test-database.ts';
export type { TestServerEnv } from './test-server.ts';
export { until, type UntilOptions } from './until.ts';
