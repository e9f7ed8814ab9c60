/** The products before the lender's people. */
import { changeProduct, readProductViews } from '../borrowers/index.ts'
import type { AdminHandlers } from '../context.ts'

export const productWork: Pick<AdminHandlers, 'listProducts' | 'changeProduct'> = {
  listProducts: async tx => ({ data: await readProductViews(tx) }),
  changeProduct: (tx, { person, params, body }) =>
    changeProduct(tx, person.operator_id, params.product_id, body),
}
