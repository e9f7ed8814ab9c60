/** Runs tasks in a separate thread, which starts when needed and ends when idle. */
import { parentPort, Worker } from 'node:worker_threads'

interface Waiting<Result> {
  readonly resolve: (result: Result) => void
  readonly reject: (error: Error) => void
}

interface Outcome<Result> {
  readonly id: number
  readonly result?: Result
  readonly failure?: string
}

/** An idle thread ends after this time to release its memory; starting one takes up to a second. */
const IDLE_MS = 60_000

/**
 * Returns a function that runs tasks in one thread, which executes `file`; the file must call
 * `serveTasks`. Tasks and results are copied. A task that fails rejects with its stack. An uncaught
 * error in the thread rejects all its tasks, and the next task starts a new thread.
 */
export function createThread<Task, Result>(file: URL): (task: Task) => Promise<Result> {
  const waiting = new Map<number, Waiting<Result>>()
  let thread: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let last = 0

  function start(): Worker {
    const started = new Worker(file)
    started.on('message', ({ id, result, failure }: Outcome<Result>) => {
      const { resolve, reject } = waiting.get(id)!
      waiting.delete(id)
      if (waiting.size === 0) {
        started.unref()
        idle = setTimeout(end, IDLE_MS).unref()
      }
      if (failure === undefined) resolve(result as Result)
      else reject(new Error(failure))
    })
    started.on('error', error => {
      thread = null
      for (const { reject } of waiting.values()) reject(error as Error)
      waiting.clear()
    })
    return started
  }

  function end(): void {
    thread?.terminate()
    thread = null
  }

  return task => {
    clearTimeout(idle)
    thread ??= start()
    const working = thread
    const id = ++last
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      // The process may exit while the thread is idle, but not while it works.
      working.ref()
      working.postMessage({ id, task })
    })
  }
}

/** Called in the thread: runs each task as it arrives and posts its result. */
export function serveTasks<Task, Result>(work: (task: Task) => Promise<Result>): void {
  parentPort?.on('message', async ({ id, task }: { id: number; task: Task }) => {
    try {
      parentPort?.postMessage({ id, result: await work(task) })
    } catch (error) {
      parentPort?.postMessage({ id, failure: String((error as Error).stack ?? error) })
    }
  })
}
