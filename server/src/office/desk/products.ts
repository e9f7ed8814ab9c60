/** The products before the lender's people. */
import { changeProduct, inspectProduct, readProductViews } from '../../companies/borrowers/index.ts'
import type { AdminHandlers } from '../../context.ts'
import { transaction } from '../../platform/db/transaction.ts'

export const productWork: Pick<AdminHandlers, 'listProducts' | 'changeProduct'> = {
  listProducts: async tx => ({ data: await readProductViews(tx) }),
  changeProduct: {
    inspect: async ({ database }, { params, body }) => {
      const { product_id } = params ?? {}
      if (!product_id) return []
      return transaction(database, { partners: '*', read_only: true }, tx =>
        inspectProduct(tx, product_id, body?.change ?? {}),
      )
    },
    handle: (tx, { person, params, body }) =>
      changeProduct(tx, person.operator_id, params.product_id, body),
  },
}
