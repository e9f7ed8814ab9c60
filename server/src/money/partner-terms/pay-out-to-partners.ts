/** Pays partners the money that was collected for them. */
import { type RawBuilder, sql } from 'kysely'
import { type Paged, runIndividually } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { onOrAfterTargetDay } from '../../platform/kit/calendar.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { fundingAccount, ibanAccount } from '../../platform/kit/payment-account.ts'
import { rfReference } from '../../platform/kit/reference.ts'
import {
  instructPayments,
  isUnsuccessful,
  lockPayments,
  schedulePayments,
} from '../payments/index.ts'

const SLICE = 100

interface PaidTo {
  partner_id: string
  name: string
  iban: string
  bic: string | null
}

/** A kind of money that is collected for partners. */
export interface PartnerPayoutKind {
  /** SQL condition on a partner's company `c`: there may be money to pay out. */
  readonly mayBeDue: RawBuilder<unknown>
  /** Earlier transfers, as rows with `partner_id` and `payment_id`. */
  readonly sent: RawBuilder<unknown>
  /** The cents to pay now, and a function that links their sources to the payment. */
  readonly due: (
    tx: Tx,
    partner_id: string,
  ) => Promise<{ amount: bigint; keep: (payment_id: string) => Promise<unknown> }>
}

/**
 * Pays each partner the amount due in one transfer. A failure for one partner does not hold up the
 * others.
 */
export function payOutToPartners(today: Day, money: PartnerPayoutKind): Paged {
  return {
    what: 'partners to pay',
    read: (tx, after) =>
      tx.all(sql<{ id: string }>`
        select c.partner_id as id from partner_companies c
        where c.iban is not null and c.partner_id > ${after} and ${money.mayBeDue}
        order by 1 limit ${SLICE}`),
    work: (database, page, failures) =>
      runIndividually(database, page, failures, (tx, { id }) => payPartner(tx, id, today, money)),
  }
}

async function payPartner(
  tx: Tx,
  partner_id: string,
  today: Day,
  money: PartnerPayoutKind,
): Promise<number> {
  // Serializes runs, so that two runs cannot pay the same money.
  const to = await tx.one(sql<PaidTo>`
    select partner_id, name, iban, bic from partner_companies
    where partner_id = ${partner_id} for no key update`)
  if (await hasFailed(tx, to, money)) return 0
  const { amount, keep } = await money.due(tx, partner_id)
  // Money that was overpaid is offset against later payouts.
  if (amount <= 0n) return 0
  const [payment_id] = await schedulePayments(tx, [
    {
      partner_id,
      borrower_id: null,
      amount,
      payment_type: 'REVENUE_SHARE',
      payment_method: 'SCT',
      direction: 'OUT',
      scheduled_on: onOrAfterTargetDay(today),
      from_account: fundingAccount(tx.settings.lender),
      to_account: ibanAccount(to.iban, to.bic, to.name),
      to_references: [rfReference(tx.newId())],
    },
  ])
  await keep(payment_id!)
  await instructPayments(tx, await lockPayments(tx, [{ partner_id, id: payment_id! }]))
  return 1
}

/**
 * Whether the last transfer went to the partner's current account and failed, was canceled or was
 * returned. Nothing more is then paid until the account changes.
 */
async function hasFailed(
  tx: Tx,
  { partner_id, iban }: PaidTo,
  { sent }: PartnerPayoutKind,
): Promise<boolean> {
  const last = await tx.maybe(sql<{ failed: boolean }>`
    select p.to_account->>'account_number' = ${iban} and ${isUnsuccessful('p')} as failed
    from payments p
    where p.partner_id = ${partner_id} and p.id = (select max(payment_id::text)::uuid from ${sent}
      where partner_id = ${partner_id})`)
  return last?.failed ?? false
}
