/** Steps of stories about money: lending, incoming transfers, returns, and reading the outcome. */
import type { Answer } from '@headroom/contract'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { BankNews } from '../../src/integrations/ports/bank.ts'
import { receiveBankNews } from '../../src/money/payments/index.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import type { TestApp } from './app.ts'
import { plusDays, type ReadyBorrower, requestLoan, today } from './story.ts'

export type Loan = Answer<'getLoan'>
export type Payment = Answer<'listPayments'>['data'][number]
export type Bill = Answer<'listBills'>['data'][number]

/** Requests a wallet loan, by default for 30 days, and pays it out today. */
export async function lend(
  app: TestApp,
  borrower: ReadyBorrower,
  input: { amount: number; days?: number },
): Promise<Loan> {
  const { id } = await requestLoan(app, borrower, input)
  await app.drain()
  return loanOf(app, id)
}

/** Pays out a loan repaid in installments, each given in cents and days from today. */
export async function lendInParts(
  app: TestApp,
  borrower: ReadyBorrower,
  parts: readonly (readonly [amount: number, days: number])[],
): Promise<Loan> {
  const day = await today(app)
  const installments = parts.map(([amount, days]) => ({ amount, date: plusDays(day, days) }))
  const { id } = await app.client.createLoan({
    loan_type: 'WALLET_FINANCING',
    amount: parts.reduce((sum, [amount]) => sum + amount, 0),
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_pay_at: day,
    to_repay_at: installments.at(-1)!.date,
    installment_plan_type: 'INSTALLMENTS',
    installments,
    auto_validate: true,
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
  })
  await app.drain()
  return loanOf(app, id)
}

export async function loanOf({ client }: TestApp, loan_id: string): Promise<Loan> {
  return client.getLoan({ loan_id })
}

/** Books a transfer that repays a loan, by default from the loan's payee with its reference. */
export async function payIn(
  app: TestApp,
  transfer: {
    amount: number
    to: Loan
    reference?: string | null
    value_date?: string
    from_iban?: string | null
  },
): Promise<void> {
  const { to, amount, value_date, from_iban = to.loan_to.account_number } = transfer
  await app.client.createSandboxIncomingTransfer({
    to_iban: to.repayment_to.account_number,
    amount,
    from_iban,
    from_name: 'Payer',
    reference: transfer.reference === undefined ? referenceOf(to) : transfer.reference,
    value_date: value_date ?? null,
  })
  await app.drain()
}

export function referenceOf(loan: Loan): string {
  return loan.repayment_to_references[0]!
}

/** A loan's payments, oldest first. */
export async function paymentsOf({ client }: TestApp, loan: { id: string }): Promise<Payment[]> {
  const { data } = await client.listPayments({ loan_id: [loan.id] })
  return data.reverse()
}

/** A loan's payments of one type, oldest first. */
export async function paymentsOfType(
  app: TestApp,
  loan: { id: string },
  type: Payment['payment_type'],
): Promise<Payment[]> {
  const payments = await paymentsOf(app, loan)
  return payments.filter(payment => payment.payment_type === type)
}

/** The first direct debit of a loan's principal. */
export async function debitOf(app: TestApp, loan: { id: string }): Promise<Payment> {
  const payments = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  return payments.find(payment => payment.payment_method === 'DIRECT_DEBIT')!
}

/** Checks that a loan's log adds up to the repaid amounts that the API shows. */
export async function expectLogAddsUp(app: TestApp, loan: { id: string }): Promise<void> {
  const { data: log } = await app.client.listEvents({ loan_id: [loan.id] })
  const sum = (event_type: (typeof log)[number]['event_type']) =>
    log
      .filter(entry => entry.event_type === event_type)
      .map(({ event_payload: of }) => (of.principal_amount ?? 0) + (of.fees_amount ?? 0))
      .reduce((total, cents) => total + cents, 0)
  const { repaid_nominal_amount, paid_interests_amount } = await loanOf(app, loan.id)
  expect({
    repaid_nominal_amount:
      sum('LOAN_REPAYMENT_NOMINAL_PAID') - sum('LOAN_REPAYMENT_NOMINAL_CHARGED_BACK'),
    paid_interests_amount:
      sum('LOAN_REPAYMENT_FEES_PAID') - sum('LOAN_REPAYMENT_FEES_CHARGED_BACK'),
  }).toEqual({ repaid_nominal_amount, paid_interests_amount })
}

/** The bills of a borrower, oldest first. */
export async function billsOf({ client }: TestApp, borrower: { id: string }): Promise<Bill[]> {
  const { data } = await client.listBills({ business_id: [borrower.id] })
  return data.reverse()
}

/** The sandbox bank's instruction for a payment. */
export async function instructionOf({ client }: TestApp, payment: { id: string }) {
  const { data } = await client.listSandboxBankInstructions({})
  const found = data.find(one => one.payment_id === payment.id)
  if (!found) throw new Error(`the bank was told nothing of payment ${payment.id}`)
  return found
}

/** Makes the bank return a settled payment, and books the return. */
export async function returnDebit(
  app: TestApp,
  payment: { id: string },
  details: { reason_code?: string; value_date?: string } = {},
): Promise<void> {
  const { id } = await instructionOf(app, payment)
  await app.client.returnSandboxInstruction({ instruction_id: id, ...details })
  await app.drain()
}

/** Makes the bank refund a settled debit to its debtor, and books the refund. */
export async function refundDebit(app: TestApp, payment: { id: string }): Promise<void> {
  const { id } = await instructionOf(app, payment)
  await app.client.refundSandboxInstruction({ instruction_id: id, reason_code: 'MD06' })
  await app.drain()
}

export async function lineOf({ client }: TestApp, borrower: { id: string }) {
  const { data } = await client.listCreditLines({ borrower: [borrower.id] })
  return data[0]!
}

/** Reasons why unmatched payments of this amount are in suspense, oldest first. */
export async function suspenseReasons({ context }: TestApp, amount: number): Promise<string[]> {
  const { rows } = await context.database.pool.query(
    `select reason from suspense_items where amount = $1 and status = 'OPEN' order by id`,
    [amount],
  )
  return rows.map(row => row.reason)
}

type Reported = Omit<BankNews, 'account_iban' | 'direction' | 'booked_on'>

/** Adds to news what the bank would say: the account, and which way cash moved there, today. */
export async function onAccount(tx: Tx, news: Reported): Promise<BankNews> {
  const { COLLECTION, FUNDING } = tx.settings.bank_accounts
  const of = await tx.maybe(sql<{ direction: 'IN' | 'OUT' }>`
    select direction from payments where id = ${news.payment_id}`)
  const ordered = news.payment_id === null ? 'IN' : (of?.direction ?? 'OUT')
  const moves = !['IN_TRANSIT', 'REJECTED', 'CANCELED'].includes(news.kind)
  const forth = ['SETTLED', 'TRANSFER_IN'].includes(news.kind)
  const direction = forth === (ordered === 'IN') ? ('IN' as const) : ('OUT' as const)
  return {
    ...news,
    account_iban: (ordered === 'IN' ? COLLECTION : FUNDING).iban,
    direction: moves ? direction : null,
    booked_on: tx.today,
  }
}

/** Books bank news that the sandbox bank would refuse to produce. */
export async function receiveNews(
  app: TestApp,
  news: Pick<BankNews, 'kind' | 'payment_id' | 'amount' | 'value_on' | 'reason_code'>,
): Promise<void> {
  const bank_reference = crypto.randomUUID()
  await transaction(app.context.database, { partners: '*', actor: 'service' }, async tx =>
    receiveBankNews(tx, [await onAccount(tx, { ...news, bank_reference, raw: {} })]),
  )
  await app.drain()
}

/**
 * The number of rows per table, to check that nothing was written. Leaves out the tables that
 * sealing the ledger changes. Throws if a worker runs in the background.
 */
export async function rowCounts(app: TestApp): Promise<Record<string, number>> {
  if (app.works) throw new Error('a house that works by itself writes at any moment')
  return transaction(app.context.database, { partners: '*', read_only: true }, async tx => {
    const { rows: tables } = await tx.raw(
      `select table_name as name from information_schema.tables
        where table_schema = 'public' and table_type = 'BASE TABLE'
          and table_name not in ('ledger_seals', 'ledger_unsealed', 'ledger_sealed_balances',
            'ledger_turnovers', 'ledger_cash_days')
        order by 1`,
    )
    const counts = tables.map(({ name }) => `(select count(*)::int from "${name}") as "${name}"`)
    return (await tx.raw(`select ${counts.join(', ')}`)).rows[0]
  })
}

/** Makes a change that no operation offers; throws if it affects no row. */
export async function runSql(
  { context }: TestApp,
  statement: string,
  values: unknown[],
): Promise<void> {
  const { rowCount } = await transaction(
    context.database,
    { partners: '*', actor: 'service' },
    tx => tx.raw(statement, values),
  )
  if (rowCount === 0) throw new Error(`nothing was touched by ${statement}`)
}

/**
 * Moves the due date of a loan without installments, bypassing the rules. `on` is an SQL
 * expression.
 */
export function repayOn(app: TestApp, loan_id: string, on: string): Promise<void> {
  const days = ['to_repay_on', 'falls_due_on', 'due_on'].map(name => `${name} = ${on}`)
  return runSql(app, `update loans set ${days.join()} where id = $1`, [loan_id])
}

/** A loan's nonzero ledger balances in cents, by account code. */
export async function booksOf({ context }: TestApp, loan: Loan): Promise<Record<string, number>> {
  const rows = await transaction(context.database, { partners: '*', read_only: true }, tx =>
    tx.all(sql<{ code: string; amount: bigint }>`
      select a.code, b.amount from ledger_accounts a join ledger_balances b on b.account_id = a.id
      where a.owner_id = ${loan.id} and b.amount <> 0 order by a.code`),
  )
  return Object.fromEntries(rows.map(row => [row.code, Number(row.amount)]))
}

/** Cents of credit notes still payable to a payer, according to the ledger. */
export async function creditOf({ context }: TestApp, payer_id: string): Promise<number> {
  const { amount } = await transaction(context.database, { partners: '*', actor: 'service' }, tx =>
    tx.one(sql<{ amount: bigint }>`
      select coalesce(-sum(p.amount), 0)::bigint as amount from ledger_postings p
      join ledger_accounts a on a.id = p.account_id
      where a.code = 'credit_notes_payable' and a.owner_id = ${payer_id}`),
  )
  return Number(amount)
}
