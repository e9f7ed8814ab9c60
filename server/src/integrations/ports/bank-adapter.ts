/**
 * How a bank is selected: HEADROOM_BANK names an adapter. An adapter is a folder below `adapters/`
 * that exports one `BankAdapter`, and a line in `adapters/index.ts`.
 */
import type { z } from 'zod'
import type { Database, Tx } from '../../platform/db/transaction.ts'
import type { Bank, BankInbox, PaymentOrder } from './bank.ts'

/** What an adapter may use. An adapter stores its state in its own tables or folders. */
export interface BankAdapterContext {
  readonly database: Database
  readonly inbox: BankInbox
  /**
   * Whether an IBAN, in canonical form, is an account of the lender, including the virtual accounts
   * opened for single loans.
   */
  readonly isOurIban: (tx: Tx, iban: string) => Promise<boolean>
  /**
   * The ids of those orders that must not leave now, because a kill switch or the state of the
   * borrower holds them. For adapters that keep orders before they hand them over. No kill switch
   * is activated until the transaction ends.
   */
  readonly heldOrders: (tx: Tx, orders: readonly OrderKey[]) => Promise<ReadonlySet<string>>
}

export type OrderKey = Pick<PaymentOrder, 'payment_id' | 'partner_id'>

export type Environment = Readonly<Record<string, string | undefined>>

export interface BankAdapter {
  readonly name: string
  /** Whether a live deployment may use it; false for a simulated bank. */
  readonly live: boolean
  /** The environment variables that the adapter reads. */
  readonly settings: readonly string[]
  /** Those of them that are secret, which `NAME_FILE` can give as the path of a file. */
  readonly secrets: readonly string[]
  /** The faults in the settings, each beginning with the variable's name. */
  faults(environment: Environment): string[]
  /** Opens the bank with valid settings. An adapter's dependencies are best loaded only here. */
  open(environment: Environment, bankContext: BankAdapterContext): Bank | Promise<Bank>
}

/** Builds an adapter from a settings schema, whose keys are environment variables. */
export function bankAdapter<S extends z.ZodObject>(adapter: {
  readonly name: string
  readonly live: boolean
  readonly settings: S
  readonly secrets?: readonly (keyof S['shape'] & string)[]
  readonly open: (settings: z.output<S>, bankContext: BankAdapterContext) => Bank | Promise<Bank>
}): BankAdapter {
  const { name, live, settings, secrets = [], open } = adapter
  return {
    name,
    live,
    secrets,
    settings: Object.keys(settings.shape),
    faults: environment => {
      const { error } = settings.safeParse(environment)
      return (error?.issues ?? []).map(issue => {
        const setting = issue.path.join('.')
        return environment[setting] ? `${setting}: ${issue.message}` : `${setting} is needed`
      })
    },
    open: (environment, bankContext) => open(settings.parse(environment), bankContext),
  }
}
