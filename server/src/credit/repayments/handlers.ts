/** The operations on repayment terms and on links to repay by. */
import { sql } from 'kysely'
import { type Handler, type Inspected, Reply } from '../../context.ts'
import { readAs, transaction } from '../../platform/db/transaction.ts'
import { fromWire } from '../../platform/kit/money.ts'
import { faultsIn, problem } from '../../platform/kit/problem.ts'
import { viewLoans } from '../loans/index.ts'
import { checkRepayAddress } from './repay-address.ts'
import { loansReached, repayNow as repay } from './repay-now.ts'
import { REPAY_PAGE_POLICY, repayPage } from './repay-page.ts'
import { setRepaymentTerms as set, termsFaults } from './set-repayment-terms.ts'

const setRepaymentTerms: Inspected<'setRepaymentTerms'> = {
  inspect: (context, { body, caller: { partner_id } }) =>
    // It looks at pending debits, under the locks of those who change them.
    transaction(context.database, { partners: [partner_id] }, tx =>
      termsFaults(tx, partner_id, body.repayment_terms ?? []),
    ),
  handle: async (tx, { body, caller }) => {
    await set(tx, caller, body.repayment_terms)
    const data = await viewLoans(
      tx,
      body.repayment_terms.map(terms => terms.loan_id),
    )
    const count = data.length
    return { data, count, page_size: count, next_page: null, previous_page: null, total: count }
  },
}

const repayNow: Inspected<'repayNow'> = {
  inspect: (context, { body, caller: { partner_id } }) =>
    readAs(context, partner_id, tx =>
      body.amount ? faultsIn(() => loansReached(tx, partner_id, fromWire(body.amount!))) : [],
    ),
  handle: async (tx, { body, caller }) => ({ url: await repay(tx, caller, body) }),
}

interface Link {
  amount: bigint
  reference: string
  callback_url: string
  received: bigint
}

/** No key is asked for: the signature says that the address was given to somebody who may read. */
const getRepayPage: Handler<'getRepayPage'> = async (tx, { params, query }) => {
  checkRepayAddress(tx.settings, params.link_id, query)
  const link = await tx.maybe(sql<Link>`
    select k.amount, t.reference, k.callback_url, (select coalesce(sum(p.amount), 0)::bigint
        from payments p where p.partner_id = k.partner_id and p.direction = 'IN'
          and p.status = 'PAID' and p.terms_id = k.terms_id) as received
    from repay_links k join repayment_terms t on t.id = k.terms_id where k.id = ${params.link_id}`)
  if (!link) throw problem('resource_unknown')
  const { name, collection_iban: iban, collection_bic: bic } = tx.settings.lender
  const page = repayPage({ payee: name, iban, bic, ...link })
  return new Reply(Buffer.from(page), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': REPAY_PAGE_POLICY,
    },
  })
}

export const repaymentHandlers = { setRepaymentTerms, repayNow, getRepayPage }
