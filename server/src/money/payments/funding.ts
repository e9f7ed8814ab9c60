/** The cash that funds payouts: deposits, and how much may be paid out. */
import { type RawBuilder, sql } from 'kysely'
import { SANDBOX_CAPITAL, type Transfer } from '../../integrations/ports/bank.ts'
import { clearAlert, isOpen, raiseAlerts } from '../../platform/alerts/index.ts'
import { lockExclusive } from '../../platform/db/locks.ts'
import { LENDER } from '../../platform/db/of-partner.ts'
import { accountsInUse, isCapitalIban } from '../../platform/db/own-accounts.ts'
import { bankAccountsOf, lendersUntilNow } from '../../platform/db/settings.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { LENDER_ID } from '../../platform/kit/ids.ts'
import { euros } from '../../platform/kit/money.ts'
import { cashPostings, lenderBalance, post } from '../../platform/ledger/index.ts'
import { cashOfNews } from './bank-accounts.ts'
import { setOutcome } from './store.ts'
import type { BankNewsRow, PaymentRow } from './types.ts'

interface Funds {
  available: bigint
  opened: boolean
  /** Whether a payout waits for cash. */
  alerted: boolean
}

/**
 * The cash on the lender's collection and funding accounts, which its bank pools, in cents. Cash
 * between them counts once it arrives. What has arrived before its departure is reported is still
 * on the other account in the books, and is left out.
 */
export function fundingCash(tx: Tx): RawBuilder<bigint> {
  return sql<bigint>`(${lenderBalance(['bank_cash'], idsInUse(tx))}
    + least(${lenderBalance(['cash_in_transit'])}, 0))`
}

function idsInUse({ settings }: Tx): string[] {
  return accountsInUse(settings).map(one => one.id)
}

/** Cents received on these bank accounts that are somebody's, who is not known yet. */
export function heldInSuspense(bank_account_ids: readonly string[]): RawBuilder<bigint> {
  return sql<bigint>`coalesce((select sum(s.cash) from suspense_items s
    join bank_news n on n.id = s.bank_news_id
    where s.status in ('OPEN', 'RETURNING', 'LOSS_PROPOSED') and s.cash > 0
      and n.bank_account_id = any(${bank_account_ids}::uuid[])), 0)`
}

/**
 * The lender's cash less money that cannot be lent: unmatched payments on the same accounts,
 * payments already instructed, and planned refunds and shares, which are paid even if cash is
 * short.
 */
async function readFunds(tx: Tx): Promise<Funds> {
  return tx.one(sql<Funds>`
    select (${fundingCash(tx)} - ${heldInSuspense(idsInUse(tx))} - coalesce((
        select sum(amount) from payments
        where direction = 'OUT' and status in ('INSTRUCTED', 'IN_TRANSIT')), 0) - coalesce((
        select sum(amount) from payments where direction = 'OUT' and status = 'SCHEDULED'
          and payment_type in ('REFUND', 'REVENUE_SHARE')), 0) - coalesce((
        select sum(amount) from processor_payments where status = 'INSTRUCTED'), 0))::bigint
        as available,
      exists (select from ledger_accounts
        where partner_id = ${LENDER} and code = 'lender_capital') as opened,
      ${isOpen('funding_short')} as alerted`)
}

/**
 * Returns the planned payouts that the cash covers, in order. Raises an alert for each of the
 * others, which stay SCHEDULED. Lock nothing after this call, because concurrent payouts wait for
 * the lock on the funds.
 */
export async function withinFunding(tx: Tx, payouts: readonly PaymentRow[]): Promise<PaymentRow[]> {
  if (payouts.length === 0) return []
  const { available, alerted } = await lockFunds(tx)
  let left = available
  const funded: PaymentRow[] = []
  const short: { subject_id: string; detail: string }[] = []
  for (const payout of payouts) {
    if (payout.amount <= left) {
      left -= payout.amount
      funded.push(payout)
    } else {
      const detail = `${euros(payout.amount)} are to leave, ${euros(left)} are there`
      short.push({ subject_id: payout.id, detail })
    }
  }
  await raiseAlerts(tx, 'funding_short', short)
  if (alerted) await clearAlert(tx, 'funding_short', ...funded.map(payout => payout.id))
  return funded
}

/**
 * Cents available for a payment other than a payout. Concurrent calls and payouts wait until this
 * transaction ends.
 */
export async function availableCash(tx: Tx): Promise<bigint> {
  return (await lockFunds(tx)).available
}

async function lockFunds(tx: Tx): Promise<Funds> {
  await lockExclusive(tx, 'funds')
  const funds = await readFunds(tx)
  if (funds.opened || tx.settings.mode !== 'sandbox') return funds
  // The simulated bank receives a sandbox's capital with the first order of a payment.
  return { ...funds, available: funds.available + SANDBOX_CAPITAL }
}

/**
 * Whether a transfer goes to the funding account, or to an earlier one, from one of the lender's
 * own accounts.
 */
export function isFunding(tx: Tx, { from_iban, to_iban }: Transfer): boolean {
  return (
    lendersUntilNow(tx.settings).some(one => bankAccountsOf(one).FUNDING.iban === to_iban) &&
    isCapitalIban(tx.settings, from_iban)
  )
}

export async function receiveFunding(tx: Tx, news: BankNewsRow): Promise<void> {
  const postings = cashPostings(cashOfNews(news), 'lender_capital', news.amount)
  const { value_on } = news
  await post(tx, [{ kind: 'funding_received', partner_id: LENDER_ID, value_on, postings }])
  await setOutcome(tx, news.id, 'funding')
}
