/** A minimal adapter: a bank that stores its orders in memory and settles each on its day. */
import { z } from 'zod'
import {
  accountOf,
  type Bank,
  type BankNews,
  type PaymentOrder,
} from '../../../src/integrations/ports/bank.ts'
import {
  type BankAdapterContext,
  bankAdapter,
} from '../../../src/integrations/ports/bank-adapter.ts'
import { writeOrder } from '../../../src/integrations/ports/order-text.ts'
import type { Settings } from '../../../src/platform/db/settings.ts'
import { type Day, max, parisDay } from '../../../src/platform/kit/dates.ts'
import { ibanOf } from '../../../src/platform/kit/iban.ts'

function adapterOf(name: string) {
  return bankAdapter({
    name,
    live: true,
    settings: z.object({
      MEMORY_BANK_CODE: z.string().regex(/^[0-9]{8}$/, 'a German bank code has eight digits'),
    }),
    secrets: ['MEMORY_BANK_CODE'],
    open: ({ MEMORY_BANK_CODE }, { inbox, database }) =>
      memoryBank(MEMORY_BANK_CODE, inbox, database.settings),
  })
}

export const memory = adapterOf('memory')
/** Another bank, to which a lender may move. */
export const second = adapterOf('second')

export interface MemoryBank extends Bank {
  /** The orders by payment ID, in the order of submission. */
  readonly orders: ReadonlyMap<string, PaymentOrder>
}

function memoryBank(
  code: string,
  inbox: BankAdapterContext['inbox'],
  { bank_accounts }: Settings,
): MemoryBank {
  const orders = new Map<string, PaymentOrder>()
  const settled = new Set<string>()
  return {
    orders,
    submit: async order => {
      const known = orders.get(order.payment_id)
      if (known && writeOrder(known) !== writeOrder(order)) return { state: 'conflict' }
      orders.set(order.payment_id, order)
      return { state: 'accepted' }
    },
    recall: async payment_id => (settled.has(payment_id) ? 'too_late' : 'unknown'),
    payoutDay: (_iban, requested, now) => max(requested, parisDay(now)),
    verifyPayee: async () => 'match',
    ownAccount: number => ibanOf('DE', code + String(number).padStart(10, '0'))!,
    openWallet: async () => ({ state: 'refused', reason: 'keeps no wallets' }),
    walletBalances: async () => new Map(),
    statement_days_max: null,
    tick: async today => {
      const due = [...orders.values()].filter(
        order => order.requested_on <= today && !settled.has(order.payment_id),
      )
      if (due.length > 0) {
        const news = due.map(order =>
          settlement(order, bank_accounts[accountOf(order)].iban, today),
        )
        await inbox.news(news)
      }
      for (const { payment_id } of due) settled.add(payment_id)
      return due.length
    },
  }
}

function settlement(
  { payment_id, amount, direction }: PaymentOrder,
  account_iban: string,
  value_on: Day,
): BankNews {
  return {
    bank_reference: `settled ${payment_id}`,
    kind: 'SETTLED',
    account_iban,
    payment_id,
    amount,
    direction,
    booked_on: value_on,
    value_on,
    reason_code: null,
    raw: {},
  }
}
