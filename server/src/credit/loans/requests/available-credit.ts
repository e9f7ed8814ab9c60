/**
 * Available credit: what borrowers can draw now under the rules for loan requests. A borrower that
 * is blocked, overdue or under review has none, however much of its line is unused.
 */
import type { DenialCode } from '@headroom/contract'
import { sql } from 'kysely'
import { complianceOn } from '../../../companies/borrowers/index.ts'
import { ofPartner, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { maxAmount, minAmount } from '../../../platform/kit/money.ts'
import {
  type BorrowerFacts,
  COMPANY_FACTS,
  type CurrentFacts,
  DUNNED_LOAN,
  decisionInputsOf,
  type ProductRow,
  partnerFacts,
  readBorrowerFacts,
  readProducts,
} from './decision-inputs.ts'
import { drawingRefusal } from './rules.ts'

/** The loan types that borrowers can request against their credit line. */
const DRAWN_BY = ['WALLET_FINANCING', 'INVOICE_BASED_FINANCING']

export interface AvailableCredit {
  readonly amount: bigint
  /** Principal paid out and not repaid, in cents. */
  readonly outstanding: bigint
  /** Why nothing can be drawn; null if credit can be drawn, or if the line is simply used up. */
  readonly refused_as: DenialCode | 'KYB_REVIEW' | null
}

/**
 * The credit a borrower can draw now, in one or several loans; null if there is no such borrower.
 */
export async function availableCreditOf(tx: Tx, borrower: RowKey): Promise<AvailableCredit | null> {
  const products = await readProducts(tx)
  const facts = (await readBorrowerFacts(tx, [borrower])).get(borrower.id)
  if (!facts) return null
  const outstanding = facts.outstanding ?? 0n
  const refused_as = refusalOf(tx.today, facts, products)
  const { line, partner_available } = decisionInputsOf(tx.today, facts, undefined, tx.today)
  if (refused_as || !line || line.available <= 0n) return { amount: 0n, outstanding, refused_as }
  if (partner_available <= 0n) {
    return { amount: 0n, outstanding, refused_as: 'EXCEEDED_PARTNER_CREDIT_LINE' }
  }
  return { amount: minAmount(line.available, partner_available), outstanding, refused_as: null }
}

/**
 * The credit that all borrowers of a partner, or of every partner, could draw together on a day, in
 * cents by partner id: the sum over borrowers, limited by what is left under the partner's ceiling.
 */
export async function availableCredit(
  tx: Tx,
  partner_id: string | null,
  on: Day,
): Promise<Map<string, bigint>> {
  const products = await readProducts(tx)
  const groups = await readGroups(tx, partner_id, on, products)
  const partners = await readPartners(tx, partner_id, on)
  const sums = new Map<string, bigint>()
  for (const group of groups) {
    const facts = { ...group, ...partners.get(group.partner_id)! }
    if (refusalOf(on, facts, products)) continue
    sums.set(group.partner_id, (sums.get(group.partner_id) ?? 0n) + group.pool_amount!)
  }
  return new Map(
    [...partners.values()].map(({ partner_id: id, exposure, exposure_max }) => {
      const left = exposure_max - exposure
      return [id, minAmount(sums.get(id) ?? 0n, maxAmount(left, 0n))]
    }),
  )
}

/** Why the borrower cannot draw with any product; null if it can with at least one. */
function refusalOf(today: Day, facts: CurrentFacts, products: Map<string, ProductRow>) {
  const refusals = DRAWN_BY.map(type =>
    drawingRefusal(decisionInputsOf(today, facts, products.get(type), today)),
  )
  return refusals.includes(null) ? null : refusals[0]!
}

type PartnerFacts = Pick<
  BorrowerFacts,
  'partner_id' | 'exposure' | 'exposure_max' | 'fees' | 'partner_due' | 'partner_stopped'
>
type GroupFacts = Omit<CurrentFacts, keyof PartnerFacts> & Pick<BorrowerFacts, 'partner_id'>

async function readPartners(
  tx: Tx,
  partner_id: string | null,
  on: Day,
): Promise<Map<string, PartnerFacts>> {
  const rows = await tx.all(sql<PartnerFacts>`
    select p.id as partner_id, ${partnerFacts(on)}
    from partners p where ${partner_id === null ? sql`true` : sql`p.id = ${partner_id}`}`)
  return new Map(rows.map(row => [row.partner_id, row]))
}

/**
 * Combines borrowers that the rules treat alike into groups, each with its total unused credit. A
 * partner has few groups, however many borrowers it has, although most borrowers with overdue loans
 * are groups of one.
 */
async function readGroups(
  tx: Tx,
  partner_id: string | null,
  on: Day,
  products: Map<string, ProductRow>,
): Promise<GroupFacts[]> {
  const agesMatter = [...products.values()].some(product => product.company_age_months_min > 0)
  return tx.all(sql<GroupFacts>`
    with overdue as materialized (
      select n.borrower_id, json_agg(${DUNNED_LOAN})::text as loans
      from loans n
      where n.status = 'TO_REPAY' and ${ofPartner(partner_id, 'n')}
        and n.due_on < ${on}
      group by 1
    ), line as (
      select l.partner_id, l.borrower_id, l.pool_amount - l.outstanding - l.reserved as left_over,
        -- Only whether the line has expired matters, so later last days are treated alike.
        least(l.ends_on, ${on}) as ends_on
      from credit_lines l
      where l.pool_amount > l.outstanding + l.reserved and ${ofPartner(partner_id, 'l')}
    ), facts as (
      select l.*, b.status, b.signed_at, ${complianceOn('c', on)} as compliance,
        m.payment_method as method,
        b.country, coalesce(substring(b.identifier from '^[A-Z]+'), '') as identifier,
        ${COMPANY_FACTS}, o.loans
      from line l
      join borrowers b on b.partner_id = l.partner_id and b.id = l.borrower_id
      join compliance_checks c on c.partner_id = b.partner_id and c.borrower_id = b.id
      left join repayment_methods m on m.partner_id = b.partner_id and m.borrower_id = b.id
        and m.is_main and m.status = 'READY'
      left join overdue o on o.borrower_id = b.id
    )
    select partner_id, status, min(signed_at) as signed_at, compliance, method, country, identifier,
      is_known, is_active, min(insolvent_since) as insolvent_since,
      min(creation_date) as creation_date, ends_on,
      loans::json as overdue, sum(left_over)::bigint as pool_amount,
      0::bigint as outstanding, 0::bigint as reserved
    from facts
    group by partner_id, status, signed_at is null, compliance, method, country, identifier,
      is_known, is_active, insolvent_since is null, ends_on, loans
      ${agesMatter ? sql`, creation_date` : sql``}`)
}
