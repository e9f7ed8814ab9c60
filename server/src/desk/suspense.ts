/** Money in suspense before the lender's people. */
import type { SuspenseItem } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { AdminHandlers } from '../context.ts'
import { newestFirst, type Page, type PageRequest, readPage } from '../db/page.ts'
import type { Tx } from '../db/transaction.ts'
import { type Day, wireDay } from '../kit/dates.ts'
import { toWire } from '../kit/money.ts'
import {
  approveSuspenseLoss,
  proposeSuspenseLoss,
  rejectSuspenseLoss,
  sendBackSuspense,
} from '../payments/index.ts'
import type { Transfer } from '../ports/bank.ts'
import { dismissSuspense, matchSuspense, unmatchSuspense } from '../repayments/index.ts'
import { findTargets } from './payment-targets.ts'

interface Row {
  id: string
  status: string
  amount: bigint
  cash: bigint
  reason: string
  raw: Partial<Transfer>
  value_on: Day
  matched_payment_id: string | null
  created_at: Date
}

async function readSuspense(
  tx: Tx,
  { status, ...request }: PageRequest & { status?: string | undefined },
): Promise<Page<SuspenseItem>> {
  const of = status === undefined ? sql`true` : sql`s.status = ${status}`
  const select = (where: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql<Row>`
    select s.id, s.status, s.amount, s.cash, s.reason, n.raw, n.value_on, s.matched_payment_id,
      s.created_at, ${key}
    from suspense_items s join bank_news n on n.id = s.bank_news_id where ${of} and ${where}`
  const page = await readPage(tx, request, newestFirst(sql`s.id`), select)
  return { ...page, data: page.data.map(viewOf) }
}

function viewOf({ id, status, amount, cash, reason, raw, ...row }: Row): SuspenseItem {
  return {
    ...{ id, status, reason, amount: toWire(amount), cash: toWire(cash) },
    from_name: raw.from_name ?? null,
    from_iban: raw.from_iban ?? null,
    to_iban: raw.to_iban ?? null,
    reference: raw.reference ?? null,
    value_on: wireDay(row.value_on),
    matched_payment_id: row.matched_payment_id,
    created_at: row.created_at.toISOString(),
  }
}

type Served =
  | 'listSuspense'
  | 'matchSuspense'
  | 'unmatchSuspense'
  | 'sendBackSuspense'
  | 'dismissSuspense'
  | 'findTargets'
  | 'loseSuspense'
  | 'approveLoss'
  | 'rejectLoss'

export const suspenseWork: Pick<AdminHandlers, Served> = {
  listSuspense: (tx, { query, path }) => readSuspense(tx, { ...query, path }),

  findTargets: async (tx, { query }) => ({ data: await findTargets(tx, query.query) }),

  matchSuspense: async (tx, { person, params, body }) => {
    await matchSuspense(tx, person.operator_id, params.suspense_id, body.target)
    return null
  },

  unmatchSuspense: async (tx, { person, params }) => {
    await unmatchSuspense(tx, person.operator_id, params.suspense_id)
    return null
  },

  sendBackSuspense: async (tx, { person, params }) => {
    await sendBackSuspense(tx, person.operator_id, params.suspense_id)
    return null
  },

  dismissSuspense: async (tx, { person, params }) => {
    await dismissSuspense(tx, person.operator_id, params.suspense_id)
    return null
  },
  loseSuspense: async (tx, { person, params, body }) => {
    await proposeSuspenseLoss(tx, person.operator_id, params.suspense_id, body.reason)
    return null
  },

  approveLoss: async (tx, { person, params }) => {
    await approveSuspenseLoss(tx, person.operator_id, params.suspense_id)
    return null
  },

  rejectLoss: async (tx, { person, params, body }) => {
    await rejectSuspenseLoss(tx, person.operator_id, params.suspense_id, body.reason)
    return null
  },
}
