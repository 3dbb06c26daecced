/** Why a try ended without its work being taken. */
export type Failure =
  | 'rejected'
  | 'conflict'
  | 'base_rejected'
  | 'head_lost'
  | 'agent_failed'
  | 'crashed'
  | 'timeout'
  | 'spawn_failed'
  | 'setup_failed'
  | 'setup_failed_counted'
  | 'rate_limited'
  | 'released'
  | 'lease_lost';
