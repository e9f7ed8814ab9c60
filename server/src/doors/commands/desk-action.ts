/** What the desk's actions have in common: how each is called, who may, and what it prints. */
import type { Context } from '../../context.ts'
import type { Standing } from '../../credit/loans/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'

export interface Action {
  readonly usage: string
  /** How many words it takes. */
  readonly words: number
  /** The role it takes at least: left out, that of a reviewer, who decides what waits. */
  readonly asks?: 'viewer' | 'admin'
  /** What the register says of companies, asked before the work begins. */
  readonly learn?: (context: Context, words: string[]) => Promise<readonly Standing[]>
  /** Answers the lines to print; `actor` is the operator's id. */
  readonly run: (tx: Tx, actor: string, words: string[], context: Context) => Promise<string[]>
}

/** Nothing to print. */
export async function done(work: Promise<unknown>): Promise<string[]> {
  await work
  return []
}
