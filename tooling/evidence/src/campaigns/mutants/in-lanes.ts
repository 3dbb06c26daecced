/** Does jobs side by side, each lane taking the next one when it is free; results in the order of the jobs. Null for those that `isOver` left undone. */
export async function inLanes<Lane, Job, Result>(
  lanes: readonly Lane[],
  jobs: readonly Job[],
  options: { work: (job: Job, lane: Lane) => Promise<Result>; isOver: () => boolean },
): Promise<(Result | null)[]> {
  const results = jobs.map((): Result | null => null);
  const queue = jobs.entries();
  await Promise.all(
    lanes.map(async (lane) => {
      for (const [at, job] of queue) {
        if (options.isOver()) return;
        results[at] = await options.work(job, lane);
      }
    }),
  );
  return results;
}
