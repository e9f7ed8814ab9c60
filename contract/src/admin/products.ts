/** Products and the terms that the lender's administrators set. */
import { z } from 'zod'
import { LoanType } from '../enums.ts'
import { Id, Moment, PositiveCents, text } from '../shared.ts'
import { adminTable } from './define.ts'

const Days = z.int().min(0).max(3650)
const DaysList = z.array(z.int().min(1).max(3650)).min(1).max(20)

/** The terms that an administrator can change; the interest rate is not one of them. */
const settable = {
  offered: z.boolean(),
  /** In cents; 0 means no subscription. */
  monthly_fee: z.int().min(0).max(100_000_000),
  /** The maximum loan amount, in cents. */
  amount_max: PositiveCents,
  duration_days_min: z.int().min(1).max(120),
  duration_days_max: z.int().min(1).max(120),
  company_age_months_min: z.int().min(0).max(1200),
  late_grace_days: Days,
  reminder_days: DaysList,
  case_days: z.int().min(1).max(3650),
  bill_grace_days: Days,
}

export const ProductChange = z
  .strictObject(settable)
  .partial()
  .refine(change => Object.keys(change).length > 0, 'names nothing to change')
export type ProductChange = z.infer<typeof ProductChange>

export const Product = z
  .object({
    id: Id,
    name: z.string(),
    product_type: LoanType,
    ...settable,
    changed: z.object({ at: Moment, by: z.string(), reason: z.string() }).nullable(),
  })
  .meta({ id: 'LoanProduct' })
export type Product = z.infer<typeof Product>

export const productWork = adminTable({
  listProducts: {
    method: 'GET',
    path: '/admin/products',
    summary: 'The products, and who changed them last',
    requires: 'viewer',
    success: 200,
    answer: z.object({ data: z.array(Product) }),
    problems: [],
  },
  changeProduct: {
    method: 'PATCH',
    path: '/admin/product/{product_id}',
    summary: 'Change what a product offers and when it is late',
    description:
      'It counts from now on: for loans that are asked for, and for what runs where the rules ' +
      'look at the product. A monthly fee applies to subscriptions activated from now on.',
    requires: 'admin',
    success: 200,
    params: z.object({ product_id: Id }),
    body: z.strictObject({ change: ProductChange, reason: text(500) }),
    answer: Product,
    problems: ['resource_unknown'],
  },
})
