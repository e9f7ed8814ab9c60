/** Handlers of the operations on repayment terms and pay-by-link pages. */
import { sql } from 'kysely'
import { type CheckedHandler, type Handler, Reply } from '../../context.ts'
import { ofEachPartner } from '../../platform/db/of-partner.ts'
import { fromWire } from '../../platform/kit/money.ts'
import { findingsIn, problem } from '../../platform/kit/problem.ts'
import { type LoanRow, viewLoans } from '../loans/index.ts'
import { checkRepayAddress } from './repay-address.ts'
import { loansCovering, repayNow as repay } from './repay-now.ts'
import { REPAY_PAGE_POLICY, repayPage } from './repay-page.ts'
import { type CheckedTerms, checkTerms, setRepaymentTerms as set } from './set-repayment-terms.ts'

const setRepaymentTerms: CheckedHandler<'setRepaymentTerms', CheckedTerms> = {
  check: (tx, { body, caller }) => checkTerms(tx, caller.partner_id, body.repayment_terms ?? []),
  handle: async (tx, { body, caller, meaning }) => {
    await set(tx, caller.partner_id, body.repayment_terms, meaning)
    const data = await viewLoans(
      tx,
      body.repayment_terms.map(({ loan_id: id }) => ({ partner_id: caller.partner_id, id })),
    )
    const count = data.length
    return { data, count, page_size: count, next_page: null, previous_page: null, total: count }
  },
}

const repayNow: CheckedHandler<'repayNow', readonly LoanRow[]> = {
  check: (tx, { body: { amount }, caller }) =>
    amount
      ? findingsIn(() => loansCovering(tx, caller.partner_id, fromWire(amount)))
      : { faults: [] },
  handle: async (tx, { body, caller, meaning }) => ({
    url: await repay(tx, caller.partner_id, body, meaning),
  }),
}

interface Link {
  amount: bigint
  reference: string
  callback_url: string
  received: bigint
}

/** Needs no API key: the signature proves that we issued the URL. */
const getRepayPage: Handler<'getRepayPage'> = async (tx, { params, query }) => {
  checkRepayAddress(tx.settings, params.link_id, query)
  const link = await tx.maybe(sql<Link>`
    select k.amount, t.reference, k.callback_url, (select coalesce(sum(p.amount), 0)::bigint
        from payments p where p.partner_id = k.partner_id and p.direction = 'IN'
          and p.status = 'PAID' and p.terms_id = k.terms_id) as received
    from repay_links k join repayment_terms t on t.partner_id = k.partner_id and t.id = k.terms_id
    where ${ofEachPartner('k')} and k.id = ${params.link_id}`)
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
