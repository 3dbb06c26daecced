import type { Plan } from '@baton/contracts';

import { inYaml, shellSyntax } from './plain-issue.ts';

const shells = /(^|\/)(ba|da|z|k)?sh$/;

/** What is wrong with an argument list that was meant for a shell; null: nothing. Pure. */
export function shellLine(argv: readonly string[]): { message: string; fix: string } | null {
  const [program = '', ...rest] = argv;
  const joined = rest.find((argument) => argument === '&&' || argument === '||');
  if (joined !== undefined && !shells.test(program) && program !== 'env')
    return wrong(argv.join(' '), `"${joined}" would be an argument of ${program}`);
  if (!/\s/.test(program) || (program.startsWith('/') && !shellSyntax.test(program))) return null;
  const line = argv.join(' ');
  if (shellSyntax.test(line)) return wrong(line, `"${program}" would be the name of one program`);
  const words = program.split(/\s+/).filter((word) => word !== '');
  return {
    message: `"${program}" would be the name of one program: program and arguments are strings of their own.`,
    fix: `Write [${[...words, ...rest].map(inYaml).join(', ')}].`,
  };
}

function wrong(line: string, why: string): { message: string; fix: string } {
  return {
    message: `There is no shell: ${why}.`,
    fix: `Name a shell where you want one: [sh, -c, ${inYaml(line)}].`,
  };
}

/** The argument lists of a plan besides those of its agents: of gates, set-up and signals, each with its place. */
export function commandsOf(plan: Plan): { at: string; argv: readonly string[] }[] {
  const gates = plan.gates.map(({ command }, at) => ({ at: `gates.${at}.command`, argv: command }));
  const setup = plan.workspace?.setup;
  const signals = plan.stages.flatMap(({ steps }, stage) =>
    steps.flatMap((step, at) =>
      step.signals.flatMap((signal, index) =>
        signal.type === 'command_succeeds'
          ? [{ at: `stages.${stage}.steps.${at}.signals.${index}.command`, argv: signal.command }]
          : [],
      ),
    ),
  );
  return [...gates, ...(setup === undefined ? [] : [{ at: 'workspace.setup', argv: setup }]), ...signals];
}

/** The argument lists of the agents that a plan defines itself, each with its place. */
export function agentCommandsOf(plan: Plan): { at: string; argv: readonly string[] }[] {
  const steps = plan.stages.flatMap((stage, at) =>
    stage.steps.map((step, index) => ({ at: `stages.${at}.steps.${index}.agent`, agent: step.agent })),
  );
  const named = Object.entries(plan.agents).map(([name, agent]) => ({ at: `agents.${name}`, agent }));
  return [...named, { at: 'agent', agent: plan.agent }, ...steps].flatMap(({ at, agent }) => {
    if (agent === undefined || typeof agent === 'string') return [];
    if ('in_process' in agent)
      return Object.entries(agent.checks ?? {}).map(([name, argv]) => ({ at: `${at}.checks.${name}`, argv }));
    return [{ at, argv: 'acp' in agent ? agent.acp : agent.command }];
  });
}
