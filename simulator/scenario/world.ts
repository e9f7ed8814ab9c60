/**
 * The state of a simulated life: the current process, its borrowers and the acknowledged writes.
 */
import { type Client, HeadroomProblem } from '@headroom/sdk'
import type { Context } from '../../server/src/context.ts'
import { ProblemError } from '../../server/src/platform/kit/problem.ts'
import type { Random } from '../random.ts'

/** The service as partners reach it, and its internals for checks and operators' actions. */
export interface SimulatedApp {
  readonly context: Context
  readonly keys: readonly string[]
  /** One client per partner. */
  readonly clients: readonly Client[]
  /** How often each mail was handed to the mail server. */
  readonly mails: Map<string, number>
  /** Seals booked entries into the hash chain. */
  seal(): Promise<void>
}

export interface Borrower {
  readonly id: string
  readonly partner: number
  readonly identifier: string
  readonly account_number: string
  /** Whether `payIn` skips the borrower, so that it pays late. */
  readonly late: boolean
}

/** An acknowledged resource of a borrower. */
export interface Owned {
  readonly id: string
  readonly partner: number
  readonly borrower_id: string
}

export interface Authorization extends Owned {
  /** Cents approved. */
  readonly amount: number
}

/** One write. It keeps its idempotency keys, so that a repeat after a crash is the same write. */
export type Write = (client: Client) => Promise<void>

export interface World {
  readonly random: Random
  /** The current process; a new one after each crash. */
  app: SimulatedApp
  readonly borrowers: Borrower[]
  /** Acknowledged loans, each of which must exist exactly once. */
  readonly loans: { readonly id: string; readonly partner: number; readonly salt_id: string }[]
  readonly invoices: (Owned & { readonly total: number })[]
  readonly cards: Owned[]
  readonly authorizations: Authorization[]
  /** Cents deposited from outside, by wallet. */
  readonly wallets: Map<string, bigint>
  /** Cents cleared today that may exceed what was authorized, by borrower. */
  readonly forced: Map<string, bigint>
  /** Borrowers whose interest was resumed today, possibly for past days. */
  readonly resumed: Set<string>
  /** Writes without a response; those left by a crash are sent again. */
  readonly unanswered: Set<PendingWrite>
  /**
   * The most that may be owed or reserved at the next check, by credit line. That is the limit or,
   * if higher, debt and reservations plus amounts that may still be returned or paid again.
   */
  readonly exposures: Map<string, bigint>
  /** The repayments returned and the interest paid as of the last check, by credit line. */
  readonly taken_back: Map<string, { readonly amount: bigint; readonly interest: bigint }>
  /** The events of the life, one line each. */
  readonly story: string[]
}

export function emptyWorld(random: Random, app: SimulatedApp): World {
  return {
    random,
    app,
    borrowers: [],
    loans: [],
    invoices: [],
    cards: [],
    authorizations: [],
    wallets: new Map(),
    forced: new Map(),
    unanswered: new Set(),
    exposures: new Map(),
    taken_back: new Map(),
    resumed: new Set(),
    story: [],
  }
}

export interface PendingWrite {
  readonly partner: number
  readonly name: string
  readonly write: Write
}

/** A broken rule; `detail` holds the rows that break it, or the story that led to it. */
export class Violation extends Error {
  override name = 'Violation'
  readonly rule: string

  constructor(rule: string, detail: string) {
    super(`${rule}: ${detail}`)
    this.rule = rule
  }
}

/** Executes a write. A refusal is a valid outcome; any other failure is a fault. */
export async function executeWrite(world: World, promised: PendingWrite): Promise<void> {
  world.unanswered.add(promised)
  const client = world.app.clients[promised.partner]!
  let outcome = 'done'
  try {
    await promised.write(client)
  } catch (error) {
    const refused = error instanceof HeadroomProblem || error instanceof ProblemError
    if (!refused) throw error
    if (error.status >= 500)
      throw new Violation('a request failed', `${promised.name} answered ${error.code}`)
    outcome = error.code
  }
  world.unanswered.delete(promised)
  world.story.push(`${promised.name}: ${outcome}`)
}

/** Sends the writes that a crash left unanswered again, with their original keys. */
export async function retryUnanswered(world: World): Promise<void> {
  for (const promised of [...world.unanswered]) await executeWrite(world, promised)
}
