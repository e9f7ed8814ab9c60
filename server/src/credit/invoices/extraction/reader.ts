/**
 * A process that reads untrusted documents, with its own memory, time and priority. In a thread, a
 * document could end the service: when a thread's heap is full, V8 may abort the whole process.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Answer, PdfAnswer, READY } from './pdf-process.ts'

export type PdfResult = PdfAnswer | { fault: 'too_long' }

/** The time a document may take, excluding the start of its process. */
export interface Effort {
  /** CPU time, so that a busy machine does not refuse a document that an idle one would read. */
  readonly cpu_ms: number
  /** Real time, in checks of one second each. */
  readonly looks: number
}

const POLL_MS = 1_000
const START_CPU_MS_MAX = 8_000
/** A process that uses no CPU time during this many checks counts as hung. */
const IDLE_POLLS_MAX = 20
const READS_MAX = 100
/** A process with more resident memory is not reused. */
const IDLE_BYTES_MAX = 160 * 1024 * 1024

const PROGRAM = new URL('./pdf-process.ts', import.meta.url)
const FLAGS = ['--max-old-space-size=256', '--max-semi-space-size=16']
/**
 * Limits that the kernel enforces: no core dump, 1.5 GB of data, and 15 minutes of CPU time in case
 * the service dies while the process is busy.
 */
const LIMITS = 'ulimit -c 0; ulimit -d 1500000; ulimit -t 900; exec nice -n 5 "$0" "$@"'

/** Written out, because importing the value would run `pdf-process.ts` in this process. */
const ready: typeof READY = 'ready'

export class Reader {
  readonly #child: ChildProcess
  #is_ready = false
  /** CPU time of the process before its current document, in milliseconds. */
  #spent_ms: Promise<number> = Promise.resolve(0)
  #reads = 0
  #may_stay = false

  constructor(onEnd: () => void) {
    this.#child = fork(PROGRAM, {
      // No other variables: the process must not receive the service's settings and secrets.
      env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
      execPath: '/bin/sh',
      execArgv: ['-c', LIMITS, process.execPath, ...FLAGS],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    })
    // `read` has its own listeners. The exit of an idle process is not an error.
    this.#child.on('error', () => {}).on('exit', onEnd)
    this.#child.on('message', sent => {
      if (sent !== ready) return
      this.#is_ready = true
      this.#spent_ms = cpuMs(this.#child.pid)
    })
  }

  /**
   * Whether the process may read another document: it read the last one without fault, and its
   * memory and number of documents are within bounds.
   */
  get may_stay(): boolean {
    return this.#may_stay
  }

  /**
   * Reads a document; call it for one at a time. If the process ends while reading, the document
   * was too large. Rejects if the process never became ready, which is not the document's fault.
   * Also rejects when `over` aborts, with its reason; the process is then still reading, and the
   * caller must end it.
   */
  read(bytes: Uint8Array, effort: Effort, over: AbortSignal): Promise<PdfResult> {
    const child = this.#child
    this.#may_stay = false
    if (this.#is_ready) this.#spent_ms = cpuMs(child.pid)
    return new Promise((resolve, reject) => {
      const settle = (settled: () => void) => {
        clearInterval(watch)
        child.off('message', answer).off('error', fail).off('exit', exit)
        over.removeEventListener('abort', leave)
        settled()
      }
      const answer = (sent: unknown) => {
        if (sent === ready) return
        const { read, held } = sent as Answer
        this.#reads++
        this.#may_stay = 'extracted' in read && held < IDLE_BYTES_MAX && this.#reads < READS_MAX
        settle(() => resolve(read))
      }
      const giveUp = (fault: 'too_much' | 'too_long', reason: unknown) => {
        const error = new Error(`the process that reads PDFs did not start: ${reason}`)
        settle(() => (this.#is_ready ? resolve({ fault }) : reject(error)))
      }
      const exit = (code: number | null, signal: string | null) =>
        giveUp('too_much', signal ?? code)
      // Sending to a process that has exited fails before its exit is reported.
      const fail = (error: Error) => giveUp('too_much', error.message)
      const leave = () => settle(() => reject(over.reason))
      const takesTooLong = this.#workingTime(effort)
      const watch = setInterval(async () => {
        if (await takesTooLong()) giveUp('too_long', 'it was not ready in time')
      }, POLL_MS)
      child.on('message', answer).on('error', fail).on('exit', exit)
      over.addEventListener('abort', leave)
      child.ref()
      child.channel?.ref()
      child.send(bytes)
    })
  }

  /** Marks the process as idle, so that it does not keep the service from exiting. */
  rest(): void {
    this.#child.unref()
    this.#child.channel?.unref()
  }

  end(): void {
    this.#child.kill('SIGKILL')
  }

  /**
   * Returns a check of whether the process has worked on its document for too long or seems to
   * hang.
   */
  #workingTime({ cpu_ms, looks }: Effort): () => Promise<boolean> {
    let latest_ms = -1
    let idle_looks = 0
    let looks_left = looks
    return async () => {
      const used_ms = await cpuMs(this.#child.pid)
      idle_looks = used_ms > latest_ms ? 0 : idle_looks + 1
      latest_ms = used_ms
      if (this.#is_ready) looks_left -= 1
      const cpu_ms_max = this.#is_ready ? cpu_ms : START_CPU_MS_MAX
      const has_worked = used_ms - (await this.#spent_ms) > cpu_ms_max
      return has_worked || looks_left <= 0 || idle_looks >= IDLE_POLLS_MAX
    }
  }
}

const TICK_MS = 10

/**
 * CPU time used so far, in milliseconds. Always 0 without `/proc`, so that a process counts as hung
 * after `IDLE_POLLS_MAX` checks.
 */
async function cpuMs(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  // After the process name, which may contain spaces, fields 12 and 13 are user and system time.
  const [user = 0, system = 0] = stat.split(') ').at(-1)!.split(' ').slice(11, 13).map(Number)
  return (user + system) * TICK_MS
}
