/** One transaction's use of its connection: statements leave in the order of the code, always. */
import type pg from 'pg'
import { assert } from '../kit/assert.ts'

/**
 * Awaited before statements are sent, with their texts and an object that stands for their
 * transaction. Production sets none; tests set one to hold a transaction up at any statement.
 */
export type BeforeStatement = (texts: readonly string[], transaction: object) => Promise<void>

/**
 * Takes one request at a time and refuses a second while the first is unanswered. A lock and the
 * read behind it are therefore either awaited one after the other or passed as one list: no pause
 * between two calls can swap them.
 */
export class Session {
  readonly #client: pg.PoolClient
  readonly #before: BeforeStatement | undefined
  readonly #patience: { readonly query_timeout?: number }
  readonly #unread: Promise<unknown>[] = []
  /** Ends once all that was sent has left: at once, but where something is awaited before. */
  #sent: Promise<unknown> | null = null
  #asking = false
  #over = false

  /** `answer_ms` is how long an answer is waited for; without it the pool says that. */
  constructor(
    client: pg.PoolClient,
    before: BeforeStatement | undefined,
    answer_ms: number | null = null,
  ) {
    this.#client = client
    this.#before = before
    this.#patience = answer_ms === null ? {} : { query_timeout: answer_ms }
  }

  /**
   * Sends statements in the order of the list, in one round trip, and returns their results.
   * Throws the first failure: the server refuses everything after it.
   */
  async ask(statements: readonly pg.QueryConfig[]): Promise<pg.QueryResult[]> {
    this.#refuseOverlap()
    this.#asking = true
    try {
      await this.#wait(statements.map(({ text }) => text))
      // One turn of the process: nothing runs between the first and the last.
      const answers = await Promise.allSettled(statements.map(s => this.#query(s)))
      return answers.map(answer => {
        if (answer.status === 'rejected') throw answer.reason
        return answer.value
      })
    } finally {
      this.#asking = false
    }
  }

  /**
   * Sends a write at once; its outcome is read by `settle`. Where something is awaited before each
   * statement the write leaves after that, and whatever follows after the write.
   */
  send(statement: pg.QueryConfig): void {
    this.#refuseOverlap()
    const done = this.#before
      ? this.#wait([statement.text]).then(() => this.#sendLate(statement))
      : this.#query(statement)
    done.catch(() => {})
    if (this.#before) this.#sent = done.catch(() => {})
    this.#unread.push(done)
  }

  #sendLate(statement: pg.QueryConfig): Promise<unknown> {
    assert(!this.#over, 'a write that was held up has missed its transaction')
    return this.#query(statement)
  }

  /** What was sent earlier leaves earlier, also where it was held up. */
  async #wait(texts: readonly string[]): Promise<void> {
    if (!this.#before) return
    const earlier = this.#sent
    if (earlier) await earlier
    await this.#before(texts, this)
  }

  /** Call before the commit: throws if a write that was sent has failed. */
  async settle(): Promise<void> {
    this.#refuseOverlap()
    await this.#wait(['commit'])
    await Promise.all(this.#unread)
    this.end()
  }

  /** From now on every statement is refused: the connection may already serve someone else. */
  end(): void {
    this.#over = true
  }

  /** Which of the writes that were sent failed first, if one did. */
  async firstFailure(): Promise<unknown> {
    const outcomes = await Promise.allSettled(this.#unread)
    return outcomes.find(outcome => outcome.status === 'rejected')?.reason
  }

  #query(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    return this.#client.query({ ...statement, ...this.#patience })
  }

  #refuseOverlap(): void {
    assert(!this.#over, 'a transaction that is over takes no statement')
    assert(!this.#asking, 'a transaction takes one statement at a time: await it, or use inOrder')
  }
}
