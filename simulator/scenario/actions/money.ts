/** Incoming money, and agreements on repayment. */
import type { Client } from '@headroom/sdk'
import { addDays } from '../../../server/src/platform/kit/dates.ts'
import type { PendingWrite, World, Write } from '../world.ts'
import { type Action, key, type Loan, lookUp, partnerOf, pickOne, someLoan, today } from './pick.ts'

/**
 * A transfer with or without a loan's reference, of the exact amount or not, valued today or
 * earlier.
 */
export const payIn: Action = async world => {
  const { random, app, borrowers } = world
  const loan = await someLoan(world)
  if (!loan || borrowers.find(one => one.id === loan.borrower.id)?.late) return null
  const partner = partnerOf(world, loan)
  const client = app.clients[partner]!
  const references = loan.repayment_to_references
  const names = [random.pick(references), ...(await billReferences(client, loan))]
  const named = names.filter((_, index) => index === 0 || random.next() < 0.3).join(' ')
  const owed = loan.amount - loan.repaid_nominal_amount + (loan.fees_ongoing ?? 0)
  const amounts = [owed, loan.amount, random.int(1, 5_000), random.int(1, loan.amount)]
  const amount = Math.max(1, random.pick(amounts))
  const back = random.next() < 0.3 ? random.int(1, 25) : random.int(0, 2)
  // Sometimes the payer uses the account that the payout came from.
  const { funding_iban } = app.context.database.settings.lender
  const body = {
    to_iban: random.next() < 0.05 ? funding_iban : loan.repayment_to.account_number,
    amount,
    from_iban: random.next() < 0.9 ? loan.loan_to.account_number : null,
    from_name: 'Payer',
    reference: random.next() < 0.9 ? named : null,
    value_date: addDays(await today(client), -back),
  }
  return transfer(partner, `pay in ${amount} valued ${body.value_date}`, body)
}

export function transfer(
  partner: number,
  name: string,
  body: Parameters<Client['createSandboxIncomingTransfer']>[0],
): PendingWrite {
  const once = key()
  const write: Write = async client => {
    await client.createSandboxIncomingTransfer(body, once)
  }
  return { partner, name, write }
}

async function billReferences(client: Client, loan: Loan): Promise<string[]> {
  const { data } = await client.listBills({ business_id: [loan.borrower.id!] })
  return data.flatMap(bill => bill.payment.to_references.slice(0, 1))
}

interface Debt {
  to_iban: string
  reference: string
  amount: number
}

/** A borrower that pays late or is blocked pays the principal and the bills that it owes. */
export const payArrears: Action = async world => {
  const { borrowers, app } = world
  const blocked = await lookUp<{ id: string }>(
    world,
    `select id from borrowers where status = 'BLOCKED' order by id`,
  )
  const wanted = borrowers.filter(one => one.late || blocked.some(({ id }) => id === one.id))
  const borrower = pickOne(world, wanted)
  if (!borrower) return null
  const debts = await debtsOf(app.clients[borrower.partner]!, borrower)
  if (debts.length === 0) return null
  const keys = debts.map(() => key())
  const write: Write = async client => {
    for (const [n, debt] of debts.entries()) {
      await client.createSandboxIncomingTransfer(debt, keys[n])
    }
  }
  return { partner: borrower.partner, name: `pay ${debts.length} debts in full`, write }
}

async function debtsOf(
  client: Client,
  { id, identifier }: { id: string; identifier: string },
): Promise<Debt[]> {
  const { data: loans } = await client.listLoans({ borrower: [identifier], status: ['TO_REPAY'] })
  const { data: bills } = await client.listBills({ business_id: [id], status: ['TO_PAY'] })
  const principal = loans.map(loan => ({
    to_iban: loan.repayment_to.account_number,
    reference: loan.repayment_to_references[0]!,
    amount: loan.amount - loan.repaid_nominal_amount,
  }))
  const interest = bills.map(bill => ({
    to_iban: bill.payment.to_account_details!.account_number,
    reference: bill.payment.to_references[0]!,
    amount: bill.to_pay_amount,
  }))
  return [...principal, ...interest].filter(debt => debt.amount > 0)
}

/** A partner pays its own bill: all of it, a part, or more. */
export const payPartnerBill: Action = async world => {
  const { random, app } = world
  const bills = await lookUp<{ reference: string; left: bigint; partner: number }>(
    world,
    `select b.reference, b.amount - b.amount_prepaid - b.amount_paid as left,
       (select count(*) from partners p where p.id < b.partner_id)::int as partner
     from bills b where b.borrower_id is null and b.status = 'TO_PAY' order by b.id`,
  )
  const bill = pickOne(world, bills)
  if (!bill) return null
  const left = Number(bill.left)
  const amount = Math.max(1, random.pick([left, left, left, left - 1, left + 1]))
  const to_iban = app.context.database.settings.lender.collection_iban
  const input = { to_iban, amount, from_name: 'Partner', reference: bill.reference }
  return transfer(bill.partner, `a partner pays ${amount} of a bill of ${left}`, input)
}

export const topUp: Action = async world => {
  const { random, wallets } = world
  const to_iban = pickOne(world, [...wallets.keys()])
  if (!to_iban) return null
  const [owner] = await lookUp<{ partner: number }>(
    world,
    `select (select count(*) from partners p where p.id < w.partner_id)::int as partner
     from wallets w where w.account_number = '${to_iban}'`,
  )
  if (!owner) return null
  const amount = random.int(1, 8_000_00)
  const { write, ...rest } = transfer(owner.partner, `top a wallet up by ${amount}`, {
    to_iban,
    amount,
  })
  const counted: Write = async client => {
    await write(client)
    wallets.set(to_iban, wallets.get(to_iban)! + BigInt(amount))
  }
  return { ...rest, write: counted }
}

/**
 * The lender adds cash, but not before the first payout, because an earlier deposit would replace
 * the initial capital.
 */
export const fund: Action = async world => {
  const { random, app } = world
  const [begun] = await lookUp(world, `select 1 from ledger_entries where kind = 'payout' limit 1`)
  if (!begun) return null
  const amount = random.int(1_000_00, 60_000_00)
  const to_iban = app.context.database.settings.lender.funding_iban
  return transfer(0, `the lender funds ${amount}`, { to_iban, amount, from_name: 'Lender' })
}

/**
 * Agrees on new due dates and repayment methods for one to three loans of a partner: all or none.
 */
export const agreeOnTerms: Action = async world => {
  const { random, app } = world
  const first = await someLoan(world, ['TO_REPAY', 'SCHEDULED'])
  if (!first) return null
  const partner = partnerOf(world, first)
  const client = app.clients[partner]!
  const own = world.loans.filter(loan => loan.partner === partner && loan.id !== first.id)
  const others = own.filter(() => random.next() < 2 / own.length).slice(0, 2)
  const on = await today(client)
  const input = ({ id }: { id: string }) => ({
    loan_id: id,
    repayment_date: addDays(on, random.int(1, 25)),
    repayment_method: random.pick(['SCT', 'SCT', 'DIRECT_DEBIT', 'P2P'] as const),
  })
  const repayment_terms = [first, ...others].map(input)
  const once = key()
  const write: Write = async one => {
    await one.setRepaymentTerms({ repayment_terms }, once)
  }
  return { partner, name: `agree on terms of ${repayment_terms.length} loans`, write }
}

/** A partner starts a repayment with `repayNow`, and usually transfers the money. */
export const repayNow: Action = async world => {
  const { random, app } = world
  const partner = random.int(0, app.clients.length - 1)
  const amount = random.int(1, 30_000_00)
  const keys = [key(), key()] as const
  const pays = random.next() < 0.7
  const write: Write = async client => {
    await client.repayNow({ amount, base_callback_url: 'https://partner.example/' }, keys[0])
    const reference = pays ? await newestTerms(world) : null
    const to_iban = world.app.context.database.settings.lender.collection_iban
    if (reference) {
      await client.createSandboxIncomingTransfer({ to_iban, amount, reference }, keys[1])
    }
  }
  return { partner, name: `repay ${amount} now`, write }
}

async function newestTerms(world: World): Promise<string | null> {
  const [terms] = await lookUp<{ reference: string }>(
    world,
    'select reference from repayment_terms order by id desc limit 1',
  )
  return terms?.reference ?? null
}
