/** The partner's own credit line: its ceiling, and the amounts its borrowers use and owe. */
import type { TenantCreditLine } from '@headroom/contract'
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import { parisDay, wireDay } from '../../platform/kit/dates.ts'
import { accrue, maxAmount, roundHalfEven, toWire } from '../../platform/kit/money.ts'
import { balanceAvailable, dailyRates, lenderAccounts, UNDECIDED } from './queries.ts'

interface Tenant {
  created_at: Date
  exposure_max: bigint
  outstanding: bigint
  reserved: bigint
  undecided: bigint
  rate_ppm: number
  mark_up_ppm: number
}

/**
 * A loan's billed and paid interest, and the inputs of its exact interest and mark-up to date: the
 * rates and `cent_days`, the principal in cents times days.
 */
interface Accrued {
  cent_days: bigint
  rate_ppm: number
  mark_up_ppm: number
  interest_billed: bigint
  interest_paid: bigint
}

/**
 * `amount_to_repay` is outstanding principal plus billed, unpaid interest; `coming_up_monthly_fees`
 * is interest accrued to date that the next bills will charge.
 */
export async function readTenantLine(tx: Tx, partner_id: string): Promise<TenantCreditLine> {
  const tenant = await readTenant(tx, partner_id)
  const loans = await readAccrued(tx, partner_id)
  const owed = loans.reduce(
    (sum, l) => sum + maxAmount(l.interest_billed - l.interest_paid, 0n),
    0n,
  )
  const comingUp = loans.reduce((sum, loan) => sum + coming(loan), 0n)
  return {
    id: partner_id,
    contract_number: null,
    loan_contract_type: 'CREDIT_OPERATION',
    distribution: 'PARTNER',
    currency: 'EUR',
    pool_amount: toWire(tenant.exposure_max),
    balance_available: toWire(balanceAvailable({ ...tenant, pool_amount: tenant.exposure_max })),
    balance_pending: toWire(tenant.reserved - tenant.undecided),
    balance_pending_validation: toWire(tenant.undecided),
    amount_to_repay: toWire(tenant.outstanding + owed),
    coming_up_monthly_fees: toWire(comingUp),
    start_date: wireDay(parisDay(tenant.created_at)),
    end_date: null,
    signed_at: null,
    ...dailyRates(tenant),
    vat: 0,
    fees_payer: null,
    default_borrower: null,
    default_borrower_strategy: null,
    default_guarantor: null,
    default_repayment_from: null,
    default_repayment_method: 'DIRECT_DEBIT',
    ...lenderAccounts(tx.settings),
  }
}

function accrued({ cent_days, rate_ppm, mark_up_ppm }: Accrued): bigint {
  const to = (ppm: number) => roundHalfEven(accrue(cent_days, ppm, 1))
  return to(rate_ppm) + to(mark_up_ppm)
}

function coming(loan: Accrued): bigint {
  const { interest_billed: billed, interest_paid: paid } = loan
  return maxAmount(accrued(loan) - maxAmount(billed, paid), 0n)
}

function readTenant(tx: Tx, partner_id: string): Promise<Tenant> {
  return tx.one(sql<Tenant>`
    select p.created_at, p.exposure_max, pr.rate_ppm, t.mark_up_ppm,
      (select coalesce(sum(l.outstanding), 0)::bigint from credit_lines l
        where l.partner_id = p.id) as outstanding,
      (select coalesce(sum(l.reserved), 0)::bigint from credit_lines l
        where l.partner_id = p.id) as reserved,
      (select coalesce(sum(n.reserved), 0)::bigint from loans n where n.partner_id = p.id
        and n.status in ${UNDECIDED}) as undecided
    from partners p join products pr on pr.product_type = 'WALLET_FINANCING'
    join product_terms t on t.partner_id = p.id and t.product_id = pr.id
    where p.id = ${partner_id}`)
}

/** Loans with interest to bill or collect. `cent_days` is a sum over the steps of the principal. */
function readAccrued(tx: Tx, partner_id: string): Promise<Accrued[]> {
  return tx.all(sql<Accrued>`
    select l.rate_ppm, l.mark_up_ppm, l.interest_billed, l.interest_paid,
      coalesce(sum(s.principal * (s.until - s.from_on)), 0)::bigint as cent_days
    from loans l
    left join lateral (select principal, from_on,
        greatest(from_on, lead(from_on, 1, ${tx.today}::date) over (order by from_on)) as until
      from loan_principal_steps where partner_id = l.partner_id and loan_id = l.id) s
      on s.from_on < ${tx.today}
    where l.partner_id = ${partner_id} and l.paid_out_on is not null and l.written_off_on is null
      and (l.status in ('TO_REPAY', 'TO_REPAY_FEES') or l.unbilled)
    group by l.partner_id, l.id`)
}
