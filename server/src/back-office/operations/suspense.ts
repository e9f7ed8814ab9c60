/** Back office: unmatched payments. */
import type { Status, SuspenseItem } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { AdminHandlers } from '../../context.ts'
import { dismissSuspense, matchSuspense, unmatchSuspense } from '../../credit/repayments/index.ts'
import type { Transfer } from '../../integrations/ports/bank.ts'
import {
  approveSuspenseLoss,
  proposeSuspenseLoss,
  rejectSuspenseLoss,
  SUSPENSE_RETURN_ON,
  sendBackSuspense,
} from '../../money/payments/index.ts'
import { ofEachPartner } from '../../platform/db/of-partner.ts'
import {
  filteredRows,
  newestFirst,
  type Order,
  type Page,
  type PageRequest,
  readPage,
  viewPage,
} from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Day, wireDay } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import { problem } from '../../platform/kit/problem.ts'
import { findTargets, suggestTargets } from './payment-targets.ts'

interface Row {
  id: string
  status: Status<'suspense'>
  amount: bigint
  cash: bigint
  reason: string
  raw: Partial<Transfer>
  value_on: Day
  goes_back_on: Day | null
  matched_payment_id: string | null
  pays: SuspenseItem['pays']
  loss_reason: string | null
  loss_proposed_by: string | null
  created_at: Date
}

type SuspenseQuery = PageRequest & { readonly status?: readonly string[] | undefined }

/** Operators start with the item that has waited longest. */
const OLDEST_FIRST: Order = { ...newestFirst(sql`s.id`), direction: 'asc' }

/** The debt that a matched item's payment `y` was made for. */
const PAYS = sql`(
  select json_build_object('id', t.id, 'kind', t.kind, 'partner_id', y.partner_id,
    'payer', coalesce(b.name, b.identifier, p.name), 'case_id', t.case_id)
  from (select i.id, 'installment' as kind, q.case_id from plan_installments i
      join installment_plans q on q.partner_id = i.partner_id and q.id = i.plan_id
      where i.partner_id = y.partner_id and i.id = y.installment_id
    union all select y.bill_id, 'bill', null where y.bill_id is not null
    union all select y.loan_id, 'loan', null where y.loan_id is not null
    union all select f.fee_id, 'fee', null from fee_payments f
      where f.partner_id = y.partner_id and f.payment_id = y.id) t
  join partners p on p.id = y.partner_id
  left join borrowers b on b.partner_id = y.partner_id and b.id = y.borrower_id limit 1)`

async function readSuspense(
  tx: Tx,
  { status, ...request }: SuspenseQuery,
): Promise<Page<SuspenseItem>> {
  const { rows } = filteredRows('suspense_items', null, [['status', status, 'text']])
  const select = (
    where: RawBuilder<unknown>,
    key: RawBuilder<unknown>,
    in_order: RawBuilder<unknown>,
  ) => sql<Row>`
    select s.id, s.status, s.amount, s.cash, s.reason, n.raw, n.value_on, s.matched_payment_id,
      s.created_at, s.loss_reason, o.email as loss_proposed_by, ${PAYS} as pays,
      ${SUSPENSE_RETURN_ON} as goes_back_on, ${key}
    from ${rows(in_order)} s join bank_news n on n.id = s.bank_news_id
    left join payments y on ${ofEachPartner('y')} and y.id = s.matched_payment_id
    left join operators o on o.id = s.loss_proposed_by where ${where}`
  const page = await readPage(tx, request, OLDEST_FIRST, select)
  return viewPage(page, viewOf)
}

/** An item and what the bank said about its sender. Throws `resource_unknown`. */
async function readReceived(tx: Tx, id: string) {
  const item = await tx.maybe(sql<Pick<Row, 'id' | 'status' | 'amount' | 'cash' | 'raw'>>`
    select s.id, s.status, s.amount, s.cash, n.raw
    from suspense_items s join bank_news n on n.id = s.bank_news_id where s.id = ${id}`)
  if (!item) throw problem('resource_unknown', `There is no suspense item ${id}.`)
  const { raw, ...known } = item
  return {
    ...known,
    from_iban: raw.from_iban ?? null,
    from_name: raw.from_name ?? null,
    reference: raw.reference ?? null,
  }
}

function viewOf({ id, status, reason, raw, matched_payment_id, pays, ...row }: Row): SuspenseItem {
  const { amount, cash, value_on, goes_back_on, loss_reason, loss_proposed_by, created_at } = row
  return {
    id,
    status,
    reason,
    matched_payment_id,
    pays,
    loss_reason,
    loss_proposed_by,
    amount: toWire(amount),
    cash: toWire(cash),
    from_name: raw.from_name ?? null,
    from_iban: raw.from_iban ?? null,
    to_iban: raw.to_iban ?? null,
    reference: raw.reference ?? null,
    value_on: wireDay(value_on),
    goes_back_at: goes_back_on && wireDay(goes_back_on),
    created_at: created_at.toISOString(),
  }
}

type Served =
  | 'listSuspense'
  | 'matchSuspense'
  | 'unmatchSuspense'
  | 'sendBackSuspense'
  | 'dismissSuspense'
  | 'findTargets'
  | 'suggestTargets'
  | 'loseSuspense'
  | 'approveLoss'
  | 'rejectLoss'

export const suspenseWork: Pick<AdminHandlers, Served> = {
  listSuspense: (tx, { query, path }) => readSuspense(tx, { ...query, path }),

  findTargets: async (tx, { query }) => ({ data: await findTargets(tx, query.query) }),

  suggestTargets: async (tx, { params }) => {
    const item = await readReceived(tx, params.suspense_id)
    const is_waiting = item.status === 'OPEN' && item.cash > 0n
    return { data: is_waiting ? await suggestTargets(tx, item) : [] }
  },

  matchSuspense: async (tx, { params, body }) => {
    await matchSuspense(tx, params.suspense_id, body.target)
    return null
  },

  unmatchSuspense: async (tx, { params }) => {
    await unmatchSuspense(tx, params.suspense_id)
    return null
  },

  sendBackSuspense: async (tx, { params }) => {
    await sendBackSuspense(tx, params.suspense_id)
    return null
  },

  dismissSuspense: async (tx, { params }) => {
    await dismissSuspense(tx, params.suspense_id)
    return null
  },
  loseSuspense: async (tx, { params, body }) => {
    await proposeSuspenseLoss(tx, params.suspense_id, body.reason)
    return null
  },

  approveLoss: async (tx, { params }) => {
    await approveSuspenseLoss(tx, params.suspense_id)
    return null
  },

  rejectLoss: async (tx, { params, body }) => {
    await rejectSuspenseLoss(tx, params.suspense_id, body.reason)
    return null
  },
}
