import { syncBuiltinESMExports } from 'node:module';

import { watchFiles } from './crash-points-fs.ts';
import { openCrashGate } from './crash-points-gate.ts';
import { watchDatabase } from './crash-points-pg.ts';
import { watchProcesses } from './crash-points-spawn.ts';
import { readCrashOrder } from './crash-points.ts';
import { crashGateKey } from './effect-point.ts';

// For `node --import`: see `crashPointArguments`. Everything is wrapped before the program's first line runs.
const order = readCrashOrder(import.meta.url);
const gate = openCrashGate(order);
watchDatabase(gate, order.catalogue);
watchFiles(gate, order.catalogue);
watchProcesses(gate, order.catalogue);
syncBuiltinESMExports();
(globalThis as Record<symbol, unknown>)[crashGateKey] = gate;
