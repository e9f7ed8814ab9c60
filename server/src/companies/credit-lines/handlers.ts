/** Handlers of the operations on credit lines and the products that draw on them. */
import { sql } from 'kysely'
import type { Handler, PreparedHandler } from '../../context.ts'
import { filteredRows, newestFirst, readPage, viewPage } from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { endOfDay, isPlainDate, readWireDay, readWireMoment } from '../../platform/kit/dates.ts'
import { invalid, problem } from '../../platform/kit/problem.ts'
import {
  findBorrower,
  findBorrowerIds,
  prepareTerms,
  readBorrowerOutsideTransaction,
} from '../borrowers/index.ts'
import { explainLine } from './explain.ts'
import { listFinancialProducts } from './financial-products.ts'
import { creditLineAt } from './history.ts'
import { creditLineView, type LineRow, selectLines } from './queries.ts'
import { readSegment } from './segment.ts'
import { readTenantLine } from './tenant-line.ts'

const getCreditLine: Handler<'getCreditLine'> = async (tx, { params, query, caller }) => {
  const at = query.at ? readAt(query.at, tx) : null
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
  const { partner_id } = caller
  const borrowers = query.borrower && (await findBorrowerIds(tx, partner_id, query.borrower))
  const { rows } = filteredRows('credit_lines', partner_id, [['borrower_id', borrowers, 'uuid']])
  const page = await readPage(
    tx,
    { path, page_size: query.page_size, cursor: query.cursor },
    newestFirst(sql.ref('l.id')),
    (where, key, in_order) => sql<LineRow>`${selectLines(sql`, ${key}`, rows(in_order))}
      where l.partner_id = ${partner_id} and ${ids} and ${where}`,
  )
  return viewPage(page, line => creditLineView(tx.settings, line))
}

/**
 * Reads the moment for which a line is requested. A plain date means the end of that day in Paris,
 * and today means now. Throws `request_invalid` if it lies in the future or before 1970.
 */
function readAt(text: string, { now, today }: Tx): Date {
  const on = isPlainDate(text) ? readWireDay(text) : null
  if (on === today) return now
  const moment = on && on < today ? endOfDay(on) : readWireMoment(text)
  if (!moment || moment.getTime() < 0) {
    throw invalid({ name: 'at', reason: 'is no moment since 1970' })
  }
  if (moment <= now) return moment
  throw invalid({ name: 'at', reason: `has not come: it is ${now.toISOString()}` })
}

const getTenantCreditLine: Handler<'getTenantCreditLine'> = (tx, { caller }) =>
  readTenantLine(tx, caller.partner_id)

const explainCreditLine: Handler<'explainCreditLine'> = async (tx, { params, caller }) => {
  const explanation = await explainLine(tx, caller.partner_id, params.credit_line_id)
  if (!explanation) throw problem('resource_unknown')
  return explanation
}

const getBusinessSegment: Handler<'getBusinessSegment'> = (tx, { params, caller }) =>
  readSegment(tx, caller.partner_id, params.business_id)

const listBorrowerFinancialProducts: PreparedHandler<'listBorrowerFinancialProducts', void> = {
  // A new version of the terms may have come into force since the borrower was created.
  prepare: async (context, { params, caller }) => {
    const borrower = await readBorrowerOutsideTransaction(
      context,
      caller.partner_id,
      params.borrower_id,
    )
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
