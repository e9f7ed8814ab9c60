/** What the desk does about products: looks at them and sets what they offer. */
import { ProductChange } from '@headroom/contract'
import { changeProduct, readProductViews } from '../../companies/borrowers/index.ts'
import type { Action } from './desk-action.ts'

export const PRODUCT_ACTIONS: Record<string, Action> = {
  products: {
    usage: 'products',
    words: 0,
    asks: 'viewer',
    run: async tx => (await readProductViews(tx)).map(product => JSON.stringify(product)),
  },
  'set-product': {
    usage: "set-product PRODUCT_TYPE FIELD VALUE 'REASON'",
    words: 4,
    asks: 'admin',
    run: async (tx, actor, [type, field, value, reason]) => {
      const product = (await readProductViews(tx)).find(one => one.product_type === type)
      if (!product) throw new Error(`${type} is no product`)
      const read = ProductChange.safeParse({ [field!]: JSON.parse(value!) })
      if (!read.success) throw new Error(`${field}: ${read.error.issues[0]!.message}`)
      const wish = { change: read.data, reason: reason! }
      return [JSON.stringify(await changeProduct(tx, actor, product.id, wish))]
    },
  },
}
