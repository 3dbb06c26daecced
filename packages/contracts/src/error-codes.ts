/**
 * Every error code of Baton: what it means, whether the same call may succeed later, and the HTTP status it maps to.
 * `docs/errors.md` is generated from this table and a test holds both equal.
 */
export const errorCodes = {
  // input
  INVALID_INPUT: {
    retryable: false,
    http: 400,
    meaning: 'An argument, option or request body does not have the required shape.',
  },
  PLAN_INVALID: {
    retryable: false,
    http: 400,
    meaning: 'The plan has a wrong key, value, duplicate or unknown reference.',
  },
  PLAN_CYCLE: { retryable: false, http: 400, meaning: 'The dependencies of the plan form a cycle.' },
  PLAN_EMPTY: { retryable: false, http: 400, meaning: 'The plan holds no steps.' },
  CONFIG_INVALID: {
    retryable: false,
    http: 400,
    meaning: 'A configuration file or environment variable is wrong.',
  },
  FILE_MISSING: {
    retryable: false,
    http: 400,
    meaning: 'A file that was named does not exist or cannot be read.',
  },
  RECORD_FILE_INVALID: {
    retryable: false,
    http: 400,
    meaning:
      'A file of an archive, of heads or of an export was cut or changed, or is of another store or version.',
  },
  NOT_FOUND: { retryable: false, http: 404, meaning: 'Nothing with this id, key or name exists.' },
  AMBIGUOUS: { retryable: false, http: 400, meaning: 'A short id or key matches more than one thing.' },
  CONFLICT: { retryable: false, http: 409, meaning: 'The thing is not in a state that allows this.' },
  DEPENDENCY_CYCLE: { retryable: false, http: 400, meaning: 'A new dependency would close a cycle.' },
  // repository
  REPO_NOT_FOUND: { retryable: false, http: 400, meaning: 'The path is not inside a git repository.' },
  REPO_BARE: {
    retryable: false,
    http: 400,
    meaning: 'The repository is bare: it has no working tree to plan for.',
  },
  REPO_EMPTY: {
    retryable: false,
    http: 400,
    meaning: 'What is checked out in the repository has no commit yet.',
  },
  REPO_CHANGED: {
    retryable: false,
    http: 409,
    meaning: 'Another repository lies where the one was that Baton has cloned and that work landed in.',
  },
  REPO_INCOMPLETE: {
    retryable: false,
    http: 409,
    meaning:
      'The repository lacks files of the commit that the work starts from (a partial clone), or has objects or refs that git cannot read.',
  },
  REPO_UNWRITABLE: {
    retryable: false,
    http: 409,
    meaning:
      'The repository cannot be written: its folders belong to somebody else, are mounted for reading only, or have no room.',
  },
  REPO_DIRTY: {
    retryable: false,
    http: 409,
    meaning: 'The target branch is checked out with uncommitted changes.',
  },
  REF_INVALID: {
    retryable: false,
    http: 400,
    meaning: 'A branch or ref name is not valid or does not exist.',
  },
  TARGET_IN_USE: {
    retryable: false,
    http: 409,
    meaning:
      'The target branch is in the middle of a rebase, a merge or another operation of git that is not finished, or checked out in two worktrees, in one that is away, or where core.bare hides it.',
  },
  TARGET_MOVED: {
    retryable: false,
    http: 409,
    meaning:
      'The target branch was deleted or moved and does not hold what landed on it any more, or it holds what a copy of this database landed.',
  },
  GIT_TOO_OLD: { retryable: false, http: 500, meaning: 'git is older than 2.38.' },
  NODE_TOO_OLD: { retryable: false, http: 500, meaning: 'Node is older than 22.18.' },
  GIT_MISSING: { retryable: false, http: 500, meaning: 'git is not installed.' },
  GIT_FAILED: { retryable: true, http: 500, meaning: 'A git command failed unexpectedly.' },
  BASE_RED: {
    retryable: false,
    http: 409,
    meaning: 'A required gate is red on the base or the target, without any work.',
  },
  MERGED_RED: {
    retryable: false,
    http: 409,
    meaning: 'A pull request was merged, and the target does not pass with it.',
  },
  FORGE_UNAVAILABLE: {
    retryable: true,
    http: 503,
    meaning: 'The program gh or glab is not installed or not logged in, or its host does not answer.',
  },
  TREE_DISTURBED: {
    retryable: true,
    http: 409,
    meaning: 'A process outside of a verification changed the files under judgement, several times over.',
  },
  PATH_OUTSIDE: { retryable: false, http: 400, meaning: 'A path leads outside the workspace.' },
  // database
  DATABASE_UNREACHABLE: {
    retryable: true,
    http: 503,
    meaning: 'Postgres does not answer, or takes no connection.',
  },
  DATABASE_FULL: {
    retryable: true,
    http: 503,
    meaning: 'The disk of the Postgres server is full, or the server lacks memory or another resource.',
  },
  DATABASE_TOO_OLD: { retryable: false, http: 500, meaning: 'The Postgres server is older than 14.' },
  DATABASE_POOLED: {
    retryable: false,
    http: 500,
    meaning: 'A pooler between Baton and Postgres gives each transaction another connection.',
  },
  DATABASE_ENCODING: { retryable: false, http: 500, meaning: 'The database is not encoded as UTF-8.' },
  DATABASE_READ_ONLY: {
    retryable: true,
    http: 503,
    meaning: 'Postgres takes no writes: it is a standby, or set to read only.',
  },
  DATABASE_DENIED: {
    retryable: false,
    http: 500,
    meaning: 'Postgres denied the user a right that Baton needs.',
  },
  DATABASE_INTERRUPTED: {
    retryable: true,
    http: 503,
    meaning:
      'Postgres ended a statement early: it was cancelled, waited too long for a lock or for its turn, a time limit of the server ran out, or the server itself failed.',
  },
  DATABASE_LOGIN: {
    retryable: false,
    http: 500,
    meaning: 'Postgres refused the login, or has no such database.',
  },
  DATABASE_FOREIGN: {
    retryable: false,
    http: 500,
    meaning: 'The database holds tables of another application, or of Baton without its list of migrations.',
  },
  MIGRATION_FAILED: {
    retryable: false,
    http: 500,
    meaning: 'A migration failed, did not run, was edited after it ran, or is newer than this program.',
  },
  EMBEDDED_UNSUPPORTED: {
    retryable: false,
    http: 500,
    meaning: 'No packaged Postgres exists for this platform.',
  },
  EMBEDDED_ELSEWHERE: {
    retryable: true,
    http: 500,
    meaning: 'Another machine or container that shares the state folder runs its packaged Postgres.',
  },
  EMBEDDED_FAILED: { retryable: true, http: 500, meaning: 'The packaged Postgres could not be started.' },
  STATE_UNWRITABLE: {
    retryable: false,
    http: 500,
    meaning: 'The state folder, or the folder for temporary files, cannot be written.',
  },
  STATE_FULL: {
    retryable: true,
    http: 503,
    meaning: 'The state folder takes more room than `retention.disk` allows, so no new work starts.',
  },
  // machines and leases
  ILLEGAL_TRANSITION: { retryable: false, http: 409, meaning: 'The state machine has no such move.' },
  STALE: { retryable: true, http: 409, meaning: 'The thing changed since it was read.' },
  LEASE_LOST: {
    retryable: false,
    http: 409,
    meaning: 'The attempt belongs to another holder now; the report was kept, without effect.',
  },
  RETRY_BUDGET_EXCEEDED: { retryable: false, http: 409, meaning: 'No tries are left.' },
  TRANSITION_DENIED: {
    retryable: false,
    http: 403,
    meaning: 'Policy does not let this actor make the move.',
  },
  APPROVAL_NEEDED: { retryable: false, http: 409, meaning: 'A person must decide first.' },
  RUN_BUSY: { retryable: true, http: 409, meaning: 'Another process is carrying out this run.' },
  // agents
  AGENT_UNKNOWN: { retryable: false, http: 400, meaning: 'No agent of this name is defined or installed.' },
  AGENT_MISSING: { retryable: false, http: 500, meaning: 'The program of the agent is not installed.' },
  AGENT_NOT_LOGGED_IN: { retryable: false, http: 500, meaning: 'The agent needs a login or key.' },
  AGENT_PROTOCOL: { retryable: true, http: 500, meaning: 'The agent broke its protocol.' },
  ABORT_UNSUPPORTED: { retryable: false, http: 409, meaning: 'This agent cannot stop a single tool call.' },
  WORK_NOT_COMMITTABLE: {
    retryable: false,
    http: 409,
    meaning: 'What an agent left holds a file that git cannot store as the repository asks, or cannot read.',
  },
  WORKSPACE_FAILED: { retryable: true, http: 500, meaning: 'The worktree could not be made ready.' },
  SETUP_FAILED: { retryable: false, http: 500, meaning: 'The set-up command of the workspace failed.' },
  // money
  BUDGET_EXCEEDED: {
    retryable: false,
    http: 409,
    meaning: 'The budget is too small for the new reservation, or for what is already spent and reserved.',
  },
  MODEL_UNKNOWN: {
    retryable: false,
    http: 409,
    meaning: 'The agent does not know the model that was asked for; what it knows is named.',
  },
  PRICE_UNKNOWN: {
    retryable: false,
    http: 409,
    meaning: 'The model has no known price and a budget applies.',
  },
  // server
  UNAUTHENTICATED: { retryable: false, http: 401, meaning: 'No valid key came with the request.' },
  FORBIDDEN: { retryable: false, http: 403, meaning: 'The key lacks the scope.' },
  SIGNATURE_INVALID: {
    retryable: false,
    http: 401,
    meaning: 'The signature of the request is missing, wrong or too old.',
  },
  SECRET_MISSING: {
    retryable: false,
    http: 503,
    meaning: 'No secret is configured for this source, so every request is refused.',
  },
  SERVER_UNREACHABLE: {
    retryable: true,
    http: 503,
    meaning: 'No Baton server answers at the address.',
  },
  PORT_IN_USE: { retryable: false, http: 500, meaning: 'Another program listens on the port.' },
  RATE_LIMITED: { retryable: true, http: 429, meaning: 'Too many requests.' },
  REQUEST_TIMEOUT: { retryable: true, http: 408, meaning: 'The request took too long to arrive.' },
  PAYLOAD_TOO_LARGE: { retryable: false, http: 413, meaning: 'The request body is larger than allowed.' },
  // plugins
  PLUGIN_INVALID: {
    retryable: false,
    http: 400,
    meaning: 'The plugin does not have the required shape or options.',
  },
  PLUGIN_VETO: { retryable: false, http: 409, meaning: 'A plugin refused the action.' },
  PLUGIN_TIMEOUT: { retryable: true, http: 504, meaning: 'A plugin did not answer in time.' },
  // rest
  INTERRUPTED: {
    retryable: true,
    http: 499,
    meaning: 'The user stopped the program; the work can be resumed.',
  },
  UNSUPPORTED_PLATFORM: { retryable: false, http: 500, meaning: 'This operating system is not supported.' },
} as const satisfies Record<string, { retryable: boolean; http: number; meaning: string }>;

/** One of the codes in {@link errorCodes}. */
export type ErrorCode = keyof typeof errorCodes;
