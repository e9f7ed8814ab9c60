/** Back office: products. */
import { changeFaults, changeProduct, readProductViews } from '../../companies/borrowers/index.ts'
import type { AdminHandlers } from '../../context.ts'

export const productWork: Pick<AdminHandlers, 'listProducts' | 'changeProduct'> = {
  listProducts: async tx => ({ data: await readProductViews(tx) }),
  changeProduct: {
    check: async (tx, { params: { product_id }, body: { change = {} } }) => ({
      faults: product_id ? await changeFaults(tx, product_id, change) : [],
    }),
    handle: (tx, { params, body }) => changeProduct(tx, params.product_id, body),
  },
}
