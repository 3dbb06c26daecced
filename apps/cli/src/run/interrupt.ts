/** What the signals of a terminal or a service manager do while a run goes on. */
export interface InterruptHandlers {
  /** The first signal: end in good order. */
  onFirst: () => void;
  /** The second: end at once. */
  onSecond: () => void;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Handles Ctrl-C (and its kin) until the returned function is called. A third signal ends the process then and there. */
export function handleInterrupts({ onFirst, onSecond }: InterruptHandlers): () => void {
  let received = 0;
  const handle = (): void => {
    received += 1;
    if (received === 1) onFirst();
    else if (received === 2) onSecond();
    else process.exit(130);
  };
  for (const signal of signals) process.on(signal, handle);
  return () => {
    for (const signal of signals) process.off(signal, handle);
  };
}
