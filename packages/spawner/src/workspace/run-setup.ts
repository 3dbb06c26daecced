import { BatonError, commandText, type Exec, type WorkspaceSetup } from '@baton/contracts';

const tailBytes = 4_000;

/**
 * Runs the set-up command of a workspace to its end.
 *
 * @param argv The command as it is started; the errors name `setup.setup`.
 * @throws SETUP_FAILED with the end of the command's output
 */
export async function runSetupCommand(
  argv: readonly string[],
  options: { setup: WorkspaceSetup; exec: Exec; env: Readonly<Record<string, string>>; cwd: string },
): Promise<void> {
  const [program = '', ...args] = argv;
  const { setup } = options;
  const timeoutMs = setup.setup_timeout;
  const { exec, env, cwd } = options;
  const result = await exec([program, ...args], { cwd, env, timeoutMs });
  if (result.exitCode === 0) return;
  const output = `${result.stdout}\n${result.stderr}`.trim().slice(-tailBytes);
  const how =
    result.spawnError !== undefined
      ? `cannot be started (${result.spawnError})`
      : result.timedOut
        ? `took longer than ${Math.round(timeoutMs / 1000)} s`
        : `ended with ${result.exitCode ?? result.signal}`;
  throw new BatonError(
    'SETUP_FAILED',
    `The set-up command "${commandText(setup.setup ?? [])}" ${how}.${output === '' ? '' : `\n${output}`}`,
    {
      fix: 'Run it in a fresh clone of the repository to see it fail, then correct `workspace.setup` or the repository.',
      details: { exitCode: result.exitCode, timedOut: result.timedOut, output },
    },
  );
}
