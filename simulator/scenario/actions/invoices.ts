/**
 * Actions on invoices: they are declared and financed in parts, and buyers pay without a reference.
 */
import { addDays } from '../../../server/src/platform/kit/dates.ts'
import type { Write } from '../world.ts'
import { request } from './loans.ts'
import { type Action, key, lookUp, partnerOf, pickOne, someBorrower, today } from './pick.ts'

const PDF = Buffer.from('%PDF-1.4 simulated').toString('base64')
const BUYERS = ['404833048', '732829320', '552100554'] as const

export const bringInvoice: Action = async world => {
  const { random, app, invoices } = world
  const borrower = someBorrower(world)
  if (!borrower) return null
  const { partner, id: borrower_id } = borrower
  const issued_at = addDays(await today(app.clients[partner]!), -random.int(0, 20))
  const total = random.int(100_00, 15_000_00)
  const body = {
    seller: { identifier: borrower.identifier },
    buyer: { identifier: random.pick(BUYERS), identifier_type: 'siren' as const },
    invoice_number: `F-${random.int(1, 1_000_000)}`,
    currency: 'EUR' as const,
    issued_at,
    due_at: addDays(issued_at, random.int(25, 60)),
    net_amount: total,
    tax_amount: 0,
    total_amount: total,
    document: PDF,
  }
  const once = key()
  const write: Write = async client => {
    const { id } = await client.createInvoice(body, once)
    if (!invoices.some(one => one.id === id)) invoices.push({ id, partner, borrower_id, total })
  }
  return { partner, name: `bring an invoice of ${total}`, write }
}

/** Requests a loan on all or part of an invoice, possibly on more than is still unfinanced. */
export const lendOnInvoice: Action = async world => {
  const { random, app, borrowers } = world
  const invoice = pickOne(world, world.invoices)
  if (!invoice) return null
  const borrower = borrowers.find(one => one.id === invoice.borrower_id)
  if (!borrower) return null
  const from = await today(app.clients[borrower.partner]!)
  const amount = random.next() < 0.3 ? invoice.total : random.int(1, invoice.total)
  const { account_number } = borrower
  return request(world, borrower, `borrow ${amount} on an invoice`, {
    loan_type: 'INVOICE_BASED_FINANCING',
    amount,
    invoice_ids: [invoice.id],
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number },
    to_account: { account_number },
    to_pay_at: from,
    to_repay_at: addDays(from, random.int(2, 70)),
  })
}

/** The buyer pays to the account of a loan on its invoice, without a reference. */
export const buyerPays: Action = async world => {
  const { random, app } = world
  const ids = await lookUp<{ id: string }>(
    world,
    `select id from loans where loan_type = 'INVOICE_BASED_FINANCING' and status = 'TO_REPAY'
     order by id`,
  )
  const known = ids.filter(({ id }) => world.loans.some(loan => loan.id === id))
  const one = pickOne(world, known)
  if (!one) return null
  const partner = partnerOf(world, one)
  const loan = await app.clients[partner]!.getLoan({ loan_id: one.id })
  const left = loan.amount - loan.repaid_nominal_amount
  const amount = random.pick([left, left, left + random.int(1, 500_00), random.int(1, left)])
  const body = {
    to_iban: loan.repayment_to.account_number,
    amount,
    from_name: 'Buyer',
    from_iban: loan.loan_to.account_number,
    reference: 'Invoice, thank you',
  }
  const once = key()
  const write: Write = async client => {
    await client.createSandboxIncomingTransfer(body, once)
  }
  return { partner, name: `a buyer pays ${amount}`, write }
}
