/** A deployment's settings, as every transaction sees them. */
import { ImpossibleError } from '../kit/assert.ts'
import type { Day } from '../kit/dates.ts'
import { compactIban } from '../kit/iban.ts'
import { bankAccountId } from '../kit/ids.ts'
import { perObject } from '../kit/per-object.ts'

export interface Lender {
  readonly name: string
  /** E.g. 'SAS'; null if it is not shown. */
  readonly legal_form: string | null
  readonly registration: string
  readonly address: {
    readonly street: string
    readonly postal_code: string
    readonly town: string
    /** ISO 3166-1 alpha-2. */
    readonly country: string
  }
  /** The contact for questions about documents and personal data. */
  readonly email: string
  readonly creditor_identifier: string
  /** The account that receives borrowers' transfers. */
  readonly collection_iban: string
  readonly collection_bic: string
  /** The account that payouts are sent from. */
  readonly funding_iban: string
  readonly funding_bic: string
  /** The lender's own accounts at other banks. Only transfers from these count as capital. */
  readonly capital_ibans: readonly string[]
  /** The people who sign contracts for the lender; documents name them. */
  readonly signatories: readonly { readonly name: string; readonly title: string }[]
}

/** The names of the adapters that a deployment uses, by purpose. */
export interface AdapterNames {
  readonly bank: string
  readonly cards: string
  readonly mail: string
  readonly registry: string
  readonly screening: string
}

/** A version of the lender's file, in force from a day on until the next one is. */
export interface LenderVersion {
  readonly in_force_from: Day
  readonly lender: Lender
  readonly adapters: AdapterNames
}

/** One of the lender's bank accounts. The IBAN is in canonical form. */
export interface OwnAccount {
  readonly id: string
  readonly iban: string
}

export interface Settings {
  readonly mode: 'sandbox' | 'live'
  readonly base_url: string
  /** 32 random bytes in hexadecimal, for signatures and for the encryption of stored secrets. */
  readonly secret: string
  /**
   * The lender. In a transaction, the lender in force on its business day; in a live deployment's
   * `Database`, the lender in force when the process started.
   */
  readonly lender: Lender
  /** Of the versions that `lender` comes from. Only in transactions of a live deployment. */
  readonly lender_revision?: bigint
  /** The lender's earlier versions, whose accounts still receive money. As `lender_revision`. */
  readonly former_lenders?: readonly Lender[]
  /** The lender's bank accounts by role. */
  readonly bank_accounts: Readonly<Record<'COLLECTION' | 'FUNDING', OwnAccount>>
  readonly allow_private_webhooks: boolean
}

/**
 * The bank accounts of a lender by role. One account can have both roles. Kept for each version,
 * because every transaction of a live deployment asks.
 */
export const bankAccountsOf = perObject(
  ({ collection_iban, funding_iban }: Lender): Settings['bank_accounts'] => {
    const account = (iban: string) => {
      const compact = compactIban(iban)
      return { id: bankAccountId(compact), iban: compact }
    }
    return { COLLECTION: account(collection_iban), FUNDING: account(funding_iban) }
  },
)

/** The lender and its earlier versions. */
export function lendersUntilNow({ lender, former_lenders = [] }: Settings): readonly Lender[] {
  return [lender, ...former_lenders]
}

/** What a deployment's settings are before its lender is known. */
export type LenderlessSettings = Omit<Settings, 'lender' | 'bank_accounts'>

export function withLender(settings: LenderlessSettings, lender: Lender): Settings {
  return { ...settings, lender, bank_accounts: bankAccountsOf(lender) }
}

/** Settings before the lender is known. Reading the lender or its accounts is an error then. */
export function withoutLender(settings: LenderlessSettings): Settings {
  const unknown = (): never => {
    throw new ImpossibleError('the lender is read before it is known')
  }
  return {
    ...settings,
    get lender(): Lender {
      return unknown()
    },
    get bank_accounts(): Settings['bank_accounts'] {
      return unknown()
    },
  }
}
