import type { Store } from '../api/store.ts';
import { query, queryOne, type Db } from '../db/query.ts';
import { listen } from '../db/notify.ts';
import type { FeedEvent } from '../model/event.ts';
import { expandChange, type FeedChange } from './expand-change.ts';
