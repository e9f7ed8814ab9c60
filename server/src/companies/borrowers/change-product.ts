/** Changes products for lender operators and records each change with its reason. */
import type { Product, ProductChange } from '@headroom/contract'
import { sql } from 'kysely'
import { publishFact } from '../../facts.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { fromWire, toWire } from '../../platform/kit/money.ts'
import { type InvalidParam, invalid, problem } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import type { ProductRow } from './products.ts'
import { insertProductChange, setProduct } from './store.ts'

const WALLET_DAYS_MAX = 45

type ReadProduct = ProductRow & {
  changed: { at: string; by: string; reason: string } | null
}

/** All products, or only the one with this id, each with its latest change. */
export async function readProductViews(tx: Tx, id: string | null = null): Promise<Product[]> {
  const rows = await tx.all(sql<ReadProduct>`
    select p.*, (select jsonb_build_object('at', c.changed_at, 'by',
        coalesce(o.email, c.changed_by), 'reason', c.reason)
      from product_changes c left join operators o on o.id::text = c.changed_by
      where c.product_id = p.id order by c.id desc limit 1) as changed
    from products p where ${id}::uuid is null or p.id = ${id} order by p.id`)
  return rows.map(viewProduct)
}

function viewProduct(row: ReadProduct): Product {
  const { id, name, product_type, offered, monthly_fee, amount_max, changed } = row
  const { duration_days_min, duration_days_max, company_age_months_min } = row
  const { late_grace_days, reminder_days, case_days, bill_grace_days } = row
  return {
    id,
    name,
    offered,
    product_type: product_type as Product['product_type'],
    monthly_fee: toWire(monthly_fee),
    amount_max: toWire(amount_max),
    duration_days_min,
    duration_days_max,
    company_age_months_min,
    late_grace_days,
    reminder_days,
    case_days,
    bill_grace_days,
    changed: changed && { ...changed, at: new Date(changed.at).toISOString() },
  }
}

/**
 * Changes a product, records the change and returns the product. Throws `resource_unknown`, or
 * `request_invalid` with every fault of the changed settings.
 */
export async function changeProduct(
  tx: Tx,
  product_id: string,
  { change, reason }: { change: ProductChange; reason: string },
): Promise<Product> {
  await tx.run(sql`select from products where id = ${product_id} for no key update`)
  const [before] = await readProductViews(tx, product_id)
  if (!before) throw problem('resource_unknown', 'There is no such product.')
  const faults = productFaults({ ...before, ...change })
  if (faults.length > 0) throw invalid(faults)
  const { monthly_fee, amount_max, ...rest } = change
  await setProduct(tx, product_id, {
    ...rest,
    ...(monthly_fee !== undefined && { monthly_fee: fromWire(monthly_fee) }),
    ...(amount_max !== undefined && { amount_max: fromWire(amount_max) }),
  } as Partial<ProductRow>)
  const was = Object.fromEntries(Object.keys(change).map(name => [name, before[name as 'id']]))
  await insertProductChange(tx, {
    id: tx.newId(),
    product_id,
    changed_at: tx.now,
    changed_by: tx.actor,
    reason,
    before: JSON.stringify(was),
    after: JSON.stringify(change),
  })
  await publishFact(tx, 'product_changed', { product_id })
  return (await readProductViews(tx, product_id))[0]!
}

/** Faults of a product's settings after a change. Malformed values of the change are ignored. */
export async function changeFaults(
  tx: Tx,
  product_id: string,
  change: WellFormed<ProductChange>,
): Promise<InvalidParam[]> {
  const [before] = await readProductViews(tx, product_id)
  const given = Object.entries(change).filter(([, value]) => isWhole(value))
  return before ? productFaults({ ...before, ...Object.fromEntries(given) }) : []
}

const isWhole = (value: unknown) =>
  value !== undefined && !(Array.isArray(value) && value.includes(undefined))

function productFaults(product: Product): InvalidParam[] {
  const { duration_days_min, duration_days_max, reminder_days } = product
  const faults: InvalidParam[] = []
  const fault = (name: string, reason: string) => faults.push({ name: `change.${name}`, reason })
  if (duration_days_max < duration_days_min) {
    fault('duration_days_max', 'is below duration_days_min')
  }
  if (product.product_type === 'WALLET_FINANCING' && duration_days_max > WALLET_DAYS_MAX) {
    fault('duration_days_max', `is more than ${WALLET_DAYS_MAX} days of wallet financing`)
  }
  if (product.case_days <= product.late_grace_days) {
    fault('case_days', 'is not after late_grace_days')
  }
  if (reminder_days.some((day, i) => i > 0 && day <= reminder_days[i - 1]!)) {
    fault('reminder_days', 'do not ascend')
  }
  return faults
}
