/** The row types of payments and bank news. */
import type { Selectable } from 'kysely'
import type { DB } from '../../platform/db/schema.ts'
import type { PaymentAccount } from '../../platform/kit/payment-account.ts'

export type PaymentRow = Omit<Selectable<DB['payments']>, 'from_account' | 'to_account'> & {
  from_account: PaymentAccount | null
  to_account: PaymentAccount | null
}
export type BankNewsRow = Selectable<DB['bank_news']>
