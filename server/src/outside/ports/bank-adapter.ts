/**
 * How a bank is chosen. An adapter is a folder below `adapters/` that exports one `BankAdapter`,
 * and a line in `adapters/index.ts`; HEADROOM_BANK names it.
 */
import type { z } from 'zod'
import type { Database, Tx } from '../../platform/db/transaction.ts'
import type { Bank, BankInbox } from './bank.ts'

/** What an adapter works with. What it keeps is in tables or folders of its own. */
export interface BankSurroundings {
  readonly database: Database
  readonly inbox: BankInbox
  /** Whether an IBAN, in its canonical form, is an account of the lender's or of a loan. */
  readonly isOurIban: (tx: Tx, iban: string) => Promise<boolean>
}

export type Environment = Readonly<Record<string, string | undefined>>

export interface BankAdapter {
  readonly name: string
  /** The environment variables that it reads. */
  readonly settings: readonly string[]
  /** What is wrong with them: `HEADROOM_BANK_FOLDER is needed`. */
  faults(environment: Environment): string[]
  /** Opens the bank by settings without faults. What it needs is loaded here, and not before. */
  open(environment: Environment, surroundings: BankSurroundings): Bank | Promise<Bank>
}

/** An adapter by the schema of its settings, whose keys are environment variables. */
export function bankAdapter<S extends z.ZodObject>(adapter: {
  readonly name: string
  readonly settings: S
  readonly open: (settings: z.output<S>, surroundings: BankSurroundings) => Bank | Promise<Bank>
}): BankAdapter {
  const { name, settings, open } = adapter
  return {
    name,
    settings: Object.keys(settings.shape),
    faults: environment => {
      const { error } = settings.safeParse(environment)
      return (error?.issues ?? []).map(issue => {
        const setting = issue.path.join('.')
        return environment[setting] ? `${setting}: ${issue.message}` : `${setting} is needed`
      })
    },
    open: (environment, surroundings) => open(settings.parse(environment), surroundings),
  }
}
