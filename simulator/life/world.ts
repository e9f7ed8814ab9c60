/** What a simulated life has: the house as it is now, who lives there, and what was promised. */
import { type Client, HeadroomProblem } from '@headroom/sdk'
import type { Context } from '../../server/src/context.ts'
import { ProblemError } from '../../server/src/platform/kit/problem.ts'
import type { Random } from '../random.ts'

/** The service as partners reach it, and its insides for those who check it. */
export interface SimulatedHouse {
  readonly context: Context
  readonly keys: readonly string[]
  /** A client of each partner. */
  readonly clients: readonly Client[]
  /** How often each mail was handed to the mail server. */
  readonly mails: Map<string, number>
  /** Puts what was booked into the hash chain. */
  seal(): Promise<void>
}

export interface Borrower {
  readonly id: string
  readonly partner: number
  readonly identifier: string
  readonly account_number: string
  /** Pays nothing by itself until somebody presses. */
  readonly late: boolean
}

/** Something of a borrower that was acknowledged. */
export interface Owned {
  readonly id: string
  readonly partner: number
  readonly borrower_id: string
}

export interface Authorization extends Owned {
  /** Cents approved. */
  readonly amount: number
}

/** One write. Done again after a crash it must be the same write, so it keeps its keys. */
export type Write = (client: Client) => Promise<void>

export interface World {
  readonly random: Random
  /** Changes when the process crashes. */
  house: SimulatedHouse
  readonly borrowers: Borrower[]
  /** Loans that were acknowledged: they must exist, each once. */
  readonly loans: { readonly id: string; readonly partner: number; readonly salt_id: string }[]
  readonly invoices: (Owned & { readonly total: number })[]
  readonly cards: Owned[]
  readonly authorizations: Authorization[]
  /** By wallet, cents that were paid in from outside. */
  readonly wallets: Map<string, bigint>
  /** By borrower, cents that merchants took today without having been promised them. */
  readonly forced: Map<string, bigint>
  /** Borrowers whose interest was let run again today, perhaps of days gone by. */
  readonly resumed: Set<string>
  /** Incoming transfers that were sent and not acknowledged: each may exist, or not. */
  readonly unanswered: Set<Promised>
  /** By credit line, the most it may have lent: its limit, or its debt when that was lowered. */
  readonly exposures: Map<string, bigint>
  /** What of a line's repayments was taken back until the last check, by line. */
  readonly taken_back: Map<string, { readonly amount: bigint; readonly interest: bigint }>
  /** What happened, told one line each. */
  readonly story: string[]
}

/** A world in which nothing has happened yet. */
export function emptyWorld(random: Random, house: SimulatedHouse): World {
  return {
    random,
    house,
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

export interface Promised {
  readonly partner: number
  readonly name: string
  readonly write: Write
}

/** A rule that does not hold; `detail` is where it does not, or the story that led there. */
export class Violation extends Error {
  override name = 'Violation'
  readonly rule: string

  constructor(rule: string, detail: string) {
    super(`${rule}: ${detail}`)
    this.rule = rule
  }
}

/** Carries a write out. A refusal is an outcome; anything else that is no success is a fault. */
export async function carryOut(world: World, promised: Promised): Promise<void> {
  world.unanswered.add(promised)
  const client = world.house.clients[promised.partner]!
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

/** After a crash: whatever got no answer is sent again with the keys it had. */
export async function repeatUnanswered(world: World): Promise<void> {
  for (const promised of [...world.unanswered]) await carryOut(world, promised)
}
