/** A payment and a piece of bank news as they are stored. */
import type { Selectable } from 'kysely'
import type { DB } from '../db/schema.ts'

export type PaymentRow = Omit<Selectable<DB['payments']>, 'from_account' | 'to_account'> & {
  from_account: PaymentAccount | null
  to_account: PaymentAccount | null
}
export type BankNewsRow = Selectable<DB['bank_news']>

/** An account as it stands in a payment: the record's light account and its holder's name. */
export type PaymentAccount = {
  account_number: string
  account_number_type: 'account_number' | 'iban' | 'internal_id'
  bank_identifier: string
  bank_identifier_type: 'bic' | 'name' | 'routing_number' | 'undefined'
  name?: string
}
