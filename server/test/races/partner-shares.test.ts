/** No share is paid for money collected by a debit meanwhile, because the debit may be returned. */
import { expect, test } from 'vitest'
import { generateBills, payPartnerShares, sendBills } from '../../src/credit/bills/index.ts'
import type { BankNews } from '../../src/integrations/ports/bank.ts'
import { instructDuePayments, receiveBankNews } from '../../src/money/payments/index.ts'
import { runPaged } from '../../src/platform/db/slices.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { setClock } from '../support/app.ts'
import { billsOf, loanOf, onAccount } from '../support/money.ts'
import { agree } from '../support/partner-terms.ts'
import { readyBorrower } from '../support/story.ts'
import { createPauseTest, idleApp, request, runAllJobs } from './pauses.ts'

const PAID_OUT = '2027-01-22'
const BILLED = day('2027-02-01')
const DEBITED = day('2027-02-03')

const app = await idleApp(PAID_OUT)
const { client } = app
const { database } = app.context
const everywhere = createPauseTest(app)

async function tell(news: Pick<BankNews, 'kind' | 'payment_id' | 'amount' | 'raw'>) {
  const known = { bank_reference: crypto.randomUUID(), value_on: DEBITED, reason_code: null }
  await transaction(database, { partners: '*', actor: 'service' }, async tx =>
    receiveBankNews(tx, [await onAccount(tx, { ...news, ...known })]),
  )
  await runAllJobs(app)
}

/** A bill of 100 cents of interest and 20 of mark-up, of which a transfer has paid 100. */
async function billPaidInPart() {
  await setClock(app, PAID_OUT)
  const borrower = await readyBorrower(app)
  const input = { amount: 20_000, today: PAID_OUT, pay_in: 0, days: 40 }
  const { id } = await request(app, borrower, input)
  await runAllJobs(app)
  const loan = await loanOf(app, id)
  await setClock(app, BILLED)
  await generateBills(database, BILLED)
  await runPaged(database, sendBills(BILLED))
  await runAllJobs(app)
  const [bill] = await billsOf(app, borrower)
  expect(bill).toMatchObject({ to_pay_amount: 120 })
  const raw = {
    to_iban: loan.repayment_to.account_number,
    from_iban: loan.loan_to.account_number,
    from_name: 'Payer',
    reference: bill!.payment.to_references[0]!,
  }
  await tell({ kind: 'TRANSFER_IN', payment_id: null, amount: 100n, raw })
  await runPaged(database, instructDuePayments(BILLED)[0]!)
  await runAllJobs(app)
  const [{ payment: debit } = expect.fail()] = await billsOf(app, borrower)
  expect(debit).toMatchObject({ payment_method: 'DIRECT_DEBIT', amount: 20 })
  await setClock(app, DEBITED)
  return { settle: () => tell({ kind: 'SETTLED', payment_id: debit.id, amount: 20n, raw: {} }) }
}

test('no share is paid for money that a debit collects meanwhile', async () => {
  await agree(app, { fees_mode: 'PASSED_ON', mark_up_ppm: 100 })
  await everywhere(async () => {
    const { settle } = await billPaidInPart()
    return {
      run: () => runPaged(database, payPartnerShares(DEBITED)),
      rivals: [settle],
      check: async at => {
        const { data } = await client.listPayments({ payment_type: ['REVENUE_SHARE'] })
        expect(data, at).toEqual([])
      },
    }
  })
})
