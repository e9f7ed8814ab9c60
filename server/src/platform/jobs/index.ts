/**
 * Work that follows a commit. `enqueue` puts a job into the running transaction, so it exists
 * exactly when the change that asked for it does; the worker takes it in a transaction of its
 * own, so its effect and its completion are one commit; `drain` waits until nothing is left.
 */
export type { JobName } from './catalogue.ts'
export { createPresence, nobodyWorks, type Presence } from './presence.ts'
export {
  enqueue,
  flushJobs,
  type JobHandlers,
  JobQueue,
  type QueueBacklog,
  readBacklog,
} from './queue.ts'
