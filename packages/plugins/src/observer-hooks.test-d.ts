import { definePlugin } from './plugin.ts';
import type { AgentEvent } from '@baton/contracts';
import type { FeedItem, Move } from './feed-item.ts';
import type { ObserverPayloads } from './observer-hooks.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;

holds<Equal<ObserverPayloads['task:closed'], Move>>();
holds<Equal<ObserverPayloads['task:waitingForSubtasks'], Move>>();
holds<Equal<ObserverPayloads['turn:compactCompleted'], Move>>();
holds<Equal<ObserverPayloads['event:any'], FeedItem>>();
holds<Equal<ObserverPayloads['stream:toolCompleted']['event'], AgentEvent>>();

definePlugin({
  name: 'types',
  version: '1.0.0',
  setup(api) {
    // @ts-expect-error no task reaches such a state
    api.observe('task:finished', () => {});
    // @ts-expect-error an interceptor must say what its failure means
    api.intercept('task:claimed', {}, () => {});
    // @ts-expect-error a claimed task can be refused, not changed
    api.intercept('task:claimed', { onError: 'allow' }, () => ({ change: { runId: 'x' } }));
    api.intercept('cost:beforeRoute', { onError: 'allow' }, () => ({ change: { model: 'm' } }));
  },
});
