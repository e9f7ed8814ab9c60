/** Serves the operations on credit lines and on the products that draw on them. */
import { type RawBuilder, sql } from 'kysely'
import { borrowerBefore, companyKeys, findBorrower, prepareTerms } from '../borrowers/index.ts'
import type { Handler, Prepared } from '../context.ts'
import { newestFirst, readPage } from '../db/page.ts'
import { isUuid } from '../kit/ids.ts'
import { problem } from '../kit/problem.ts'
import { listFinancialProducts } from './financial-products.ts'
import { creditLineView, type LineRow, selectLines } from './queries.ts'

const getCreditLine: Handler<'getCreditLine'> = async (tx, { params, caller }) => {
  const line = await tx.maybe(sql<LineRow>`
    ${selectLines(sql``)}
    where l.id = ${params.credit_line_id} and l.partner_id = ${caller.partner_id}`)
  if (!line) throw problem('resource_unknown')
  return creditLineView(tx.settings, line)
}

const listCreditLines: Handler<'listCreditLines'> = async (tx, { query, caller, path }) => {
  const ids = query.id ? sql`l.id = any(${query.id}::uuid[])` : sql`true`
  const borrowers = query.borrower ? ofBorrowers(query.borrower) : sql`true`
  const page = await readPage(
    tx,
    { path, page_size: query.page_size, cursor: query.cursor },
    newestFirst(sql.ref('l.id')),
    (where, key) => sql<LineRow>`${selectLines(sql`, ${key}`)}
      where l.partner_id = ${caller.partner_id} and ${ids} and ${borrowers} and ${where}`,
  )
  return { ...page, data: page.data.map(line => creditLineView(tx.settings, line)) }
}

/** Borrowers are named by id or by any number of the company. */
function ofBorrowers(names: readonly string[]): RawBuilder<unknown> {
  const ids = names.filter(isUuid)
  const keys = names.flatMap(companyKeys)
  return sql`(b.id = any(${ids}::uuid[]) or b.company_key = any(${keys}::text[])
    or b.identifier = any(${names}::text[]))`
}

const listBorrowerFinancialProducts: Prepared<'listBorrowerFinancialProducts', void> = {
  // A new version of the terms may be in force since the borrower was created.
  prepare: async (context, { params, caller }) => {
    const borrower = await borrowerBefore(context, caller.partner_id, params.borrower_id)
    await prepareTerms(context, borrower.country)
  },
  handle: async (tx, { params, query, caller, path }) => {
    const borrower = await findBorrower(tx, caller.partner_id, params.borrower_id)
    if (!borrower) throw problem('resource_unknown')
    return listFinancialProducts(tx, borrower, path, query)
  },
}

export const creditLineHandlers = { listCreditLines, getCreditLine, listBorrowerFinancialProducts }
