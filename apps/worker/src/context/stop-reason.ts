/** Why an agent at work is asked to stop, or (`veto`, by a plugin) never started. `abort`: by the abort chain. */
export type StopReason = 'cancel' | 'lease_lost' | 'shutdown' | 'budget' | 'max_cost' | 'veto' | 'abort';
