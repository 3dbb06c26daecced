import { stepper, watchPrograms } from './holder-steps.ts';
import type { HolderOrder, HolderWord } from './holder-order.ts';

// One holder of lanes in a process of its own: a worker that lands what is done, told over the channel when a blow is to fall.
watchPrograms();
const { openHolder } = await import('./holder.ts');
const order = JSON.parse(process.argv[2] ?? '{}') as HolderOrder;
const holder = await openHolder(order, { stepper, held: () => null });
process.on('message', (word: HolderWord) => {
  if ('arm' in word) stepper.arm(word.arm);
  process.send?.('armed');
});
process.once('disconnect', () => void holder.close().then(() => process.exit(0)));
process.send?.('ready');
