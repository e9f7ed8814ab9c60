/**
 * Jobs: work to do after a commit. `enqueue` adds a job to the running transaction, so the job
 * exists if and only if the change that needs it does. A worker runs an inside job in one
 * transaction with its completion; an outside job may run more than once. A job stores when it was
 * caused, so that `drain` need not wait for later work.
 */
export type { JobData, JobName } from './catalogue.ts'
export { causeOfWork, withCause } from './cause.ts'
export { createPresence, noWorkerRuns, type Presence } from './presence.ts'
export {
  enqueue,
  flushJobs,
  isQueued,
  type JobHandlers,
  JobQueue,
  type QueueBacklog,
  readBacklog,
  upgradeOlderJobs,
} from './queue.ts'
