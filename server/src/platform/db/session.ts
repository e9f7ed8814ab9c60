/** A transaction's access to its connection: statements are always sent in code order. */
import type pg from 'pg'
import { assert } from '../kit/assert.ts'
import { answered } from './answer-watch.ts'

/**
 * Awaited before statements are sent, with their texts and an object identifying the transaction.
 * Unset in production; tests use it to pause a transaction before any statement.
 */
export type BeforeStatement = (texts: readonly string[], transaction: object) => Promise<void>

/**
 * Takes one request at a time and refuses a second while the first is unanswered. A lock and the
 * read that depends on it are therefore either awaited one after the other or sent as one list, and
 * a pause between two calls cannot swap them.
 */
export class Session {
  readonly #client: pg.PoolClient
  readonly #before: BeforeStatement | undefined
  readonly #patience: { readonly query_timeout?: number }
  readonly #unread: Promise<unknown>[] = []
  /** Resolves once all earlier writes are answered. Null unless `before` delays them. */
  #sent: Promise<unknown> | null = null
  #asking = false
  #over = false

  /** `answer_ms` limits the wait for an answer; null means the pool's limit. */
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
   * Sends statements in list order in one round trip and returns their results. Throws the first
   * failure; the server refuses everything after it.
   */
  async ask(statements: readonly pg.QueryConfig[]): Promise<pg.QueryResult[]> {
    this.#refuseOverlap()
    this.#asking = true
    try {
      await this.#wait(statements.map(({ text }) => text))
      // Sent within one tick, so no other statement gets in between.
      const sent = Promise.allSettled(statements.map(s => this.#query(s)))
      return await answered(this.#client, sent.then(valuesOf))
    } finally {
      this.#asking = false
    }
  }

  /**
   * Sends a write immediately; `settle` reads its outcome. If `before` is set, the write is sent
   * after it resolves, and later statements after the write.
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

  /** Keeps the order of statements even when `before` delays them. */
  async #wait(texts: readonly string[]): Promise<void> {
    if (!this.#before) return
    const earlier = this.#sent
    if (earlier) await earlier
    await this.#before(texts, this)
  }

  /** Call before the commit. Throws if any write from `send` failed. */
  async settle(): Promise<void> {
    this.#refuseOverlap()
    await this.#wait(['commit'])
    await answered(this.#client, Promise.all(this.#unread))
    this.end()
  }

  /** Refuses all further statements, since the connection may already serve another transaction. */
  end(): void {
    this.#over = true
  }

  /** The error of the first write from `send` that failed, if any. */
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

function valuesOf<T>(outcomes: readonly PromiseSettledResult<T>[]): T[] {
  return outcomes.map(outcome => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}
