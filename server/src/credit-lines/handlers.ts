/** Serves the operations on credit lines and on the products that draw on them. */
import { type RawBuilder, sql } from 'kysely'
import { borrowerBefore, companyKeys, findBorrower, prepareTerms } from '../borrowers/index.ts'
import type { Handler, Prepared } from '../context.ts'
import { newestFirst, readPage } from '../db/page.ts'
import { isUuid } from '../kit/ids.ts'
import { invalid, problem } from '../kit/problem.ts'
import { explainLine } from './explain.ts'
import { listFinancialProducts } from './financial-products.ts'
import { creditLineAt } from './history.ts'
import { creditLineView, type LineRow, selectLines } from './queries.ts'
import { readSegment } from './segment.ts'
import { readTenantLine } from './tenant-line.ts'

const getCreditLine: Handler<'getCreditLine'> = async (tx, { params, query, caller }) => {
  const at = query.at ? momentOf(query.at) : null
  if (at && at < tx.now) {
    const past = await creditLineAt(tx, caller.partner_id, params.credit_line_id, at)
    if (!past) throw problem('resource_unknown', 'There was no such line at that moment.')
    return past
  }
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

/** A moment without an offset is UTC, as all our date-times. */
function momentOf(text: string): Date {
  const moment = new Date(/(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`)
  if (Number.isNaN(moment.getTime()) || moment.getTime() < 0) {
    throw invalid({ name: 'at', reason: 'is no moment since 1970' })
  }
  return moment
}

const getTenantCreditLine: Handler<'getTenantCreditLine'> = (tx, { caller }) =>
  readTenantLine(tx, caller.partner_id)

const explainCreditLine: Handler<'explainCreditLine'> = async (tx, { params, caller }) => {
  const told = await explainLine(tx, caller.partner_id, params.credit_line_id)
  if (!told) throw problem('resource_unknown')
  return told
}

const getBusinessSegment: Handler<'getBusinessSegment'> = (tx, { params, caller }) =>
  readSegment(tx, caller.partner_id, params.business_id)

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

export const creditLineHandlers = {
  listCreditLines,
  getCreditLine,
  getTenantCreditLine,
  explainCreditLine,
  getBusinessSegment,
  listBorrowerFinancialProducts,
}
