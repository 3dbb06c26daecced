export { dropSettledCandidates } from './landing/candidate-refs.ts';
export { createWorker, type Worker, type WorkerOptions } from './worker.ts';
export { endOf } from './open/base-look.ts';
export { proveBase, type BaseProof, type ProveBaseOptions } from './open/prove-base.ts';
export { defaultTiming, type Timing } from './context/context.ts';
export { keepRules, keepState } from './task/keep-within.ts';
export { projectState, type ProjectState } from './process/project-state.ts';
export {
  chosenReviewer,
  isAuthor,
  reviewerTask,
  type Author,
  type ChosenReviewer,
} from './review/choose-reviewer.ts';
export { reviewerOf, reviewQuestions, type Question } from './review/review-questions.ts';
