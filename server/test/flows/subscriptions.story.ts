/** Monthly fees are booked on the 1st, debited on the third banking day, and owed until paid. */
import { expect } from 'vitest'
import { changeProduct, readProductViews } from '../../src/companies/borrowers/index.ts'
import { generateIban } from '../../src/integrations/adapters/sandbox/generators.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import { readPdf } from '../documents/samples.ts'
import { calendar } from '../support/calendar.ts'
import { feesOf, subscriptionOf, withFee } from '../support/fees.ts'
import { returnDebit } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { refusal } from '../support/refusal.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

story('a product without a fee has no subscription', async ({ app }) => {
  const borrower = await readyBorrower(app, 'SCT', 'FRA')
  const { data } = await app.client.listBorrowerFinancialProducts({ borrower_id: borrower.id })
  for (const { financial_product } of data) {
    const { monthly_fee_cents, subscription_id } = financial_product.configuration.subscription
    if (monthly_fee_cents === 0) expect(subscription_id).toBeNull()
  }
  const unknown = app.client.activateSubscription({ subscription_id: newId() })
  expect(await refusal(unknown)).toMatchObject({ status: 404, code: 'resource_unknown' })
})

story('a fee set later also applies to existing borrowers', async ({ app }) => {
  const actor = await createOperatorId(app)
  const set = (monthly_fee: number) =>
    asOperator(app, async tx => {
      const products = await readProductViews(tx)
      const { id } = products.find(one => one.product_type === 'INVOICE_BASED_FINANCING')!
      await changeProduct(tx.as(actor), id, {
        change: { monthly_fee },
        reason: 'Prices of May.',
      })
    })
  const borrower = await readyBorrower(app)
  const ofInvoices = async () => {
    const { data } = await app.client.listBorrowerFinancialProducts({ borrower_id: borrower.id })
    const own = data.find(one => one.financial_product.product_type === 'INVOICE_BASED_FINANCING')
    return own!.financial_product.configuration.subscription.subscription_id
  }
  expect(await ofInvoices()).toBeNull()
  await set(500)
  const subscription_id = await ofInvoices()
  expect(subscription_id).not.toBeNull()
  const active = await app.client.activateSubscription({ subscription_id: subscription_id! })
  expect(active).toMatchObject({ borrower_id: borrower.id, status: 'ACTIVE' })
  await set(700)
  expect(await ofInvoices()).toBe(subscription_id)
})

story('an activated fee is debited from the next month on', async ({ app, until }) => {
  await withFee(app)
  const borrower = await readyBorrower(app)
  const { monthly_fee_cents, subscription_id } = await subscriptionOf(app, borrower.id)
  expect(monthly_fee_cents).toBe(990)
  const id = subscription_id!
  const foreign = app.second.activateSubscription({ subscription_id: id })
  expect((await refusal(foreign)).code).toBe('resource_unknown')
  const active = await app.client.activateSubscription({ subscription_id: id })
  expect(active).toEqual({
    id,
    borrower_id: borrower.id,
    status: 'ACTIVE',
    monthly_fee_cents: 990,
    activated_at: '2027-01-11T00:00:00Z',
  })
  expect(await app.client.activateSubscription({ subscription_id: id })).toEqual(active)
  await until('2027-01-31')
  expect(await feesOf(app, id)).toEqual([])
  await until('2027-02-03')
  const [fee] = await feesOf(app, id)
  expect(fee).toMatchObject({
    status: 'PAID',
    amount: 990,
    payment_method: 'DIRECT_DEBIT',
    scheduled_at: '2027-02-03T00:00:00Z',
    related_to: { subscriptions: [{ subscription_id: id, amount_cents: 990 }] },
  })
  await returnDebit(app, fee!)
  // A new price applies only to fees activated after it.
  await withFee(app, 500_000)
  expect((await subscriptionOf(app, borrower.id)).monthly_fee_cents).toBe(990)
  expect(await app.client.activateSubscription({ subscription_id: id })).toEqual(active)
  const later = await readyBorrower(app)
  expect((await subscriptionOf(app, later.id)).monthly_fee_cents).toBe(500_000)
  await until('2027-03-03')
  const fees = await feesOf(app, id)
  expect(fees.map(one => one.status)).toEqual(['PAID', 'PAID'])
  expect(fees.map(one => one.amount)).toEqual([990, 990])
  expect(fees.map(one => one.scheduled_at)).toContain('2027-03-03T00:00:00Z')
  // The statement shows both fees. The returned one is still owed.
  const period = { from: '2027-02-02', to: '2027-03-31' }
  const result = await app.client.getBorrowerStatement({ borrower_id: borrower.id, ...period })
  expect([result.opening_balance, result.closing_balance]).toEqual([990, 990])
  expect(result.movements.map(m => [m.kind, m.loan_reference, m.fee, m.balance])).toEqual([
    ['subscription_fee_paid', 'FEE 2027-02', -990, 0],
    ['subscription_fee_returned', 'FEE 2027-02', 990, 990],
    ['subscription_fee', 'FEE 2027-03', 990, 1_980],
    ['subscription_fee_paid', 'FEE 2027-03', -990, 990],
  ])
  const address = `/borrower/${borrower.id}/statement?from=2027-01-01&to=2027-03-31&format=pdf`
  const headers = { authorization: `Bearer ${app.key}` }
  const pdf = await fetch(`${app.base_url}${address}`, { headers })
  const { text } = await readPdf(Buffer.from(await pdf.arrayBuffer()))
  expect(text).toContain('Abonnement')
})

story('a fee cannot be activated without a direct debit', async ({ app }) => {
  await withFee(app)
  const borrower = await readyBorrower(app, 'SCT')
  const { subscription_id } = await subscriptionOf(app, borrower.id)
  const call = app.client.activateSubscription({ subscription_id: subscription_id! })
  expect(await refusal(call)).toMatchObject({ status: 400, code: 'direct_debit_missing' })
})

story('a fee is debited by the default method, and again if its debit was canceled', async tale => {
  const { app, until } = tale
  await withFee(app)
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT', 'FRA')
  const { subscription_id } = await subscriptionOf(app, borrower.id)
  const id = subscription_id!
  await app.client.activateSubscription({ subscription_id: id })
  const another = (seed: number) =>
    app.client.addRepaymentMethod({
      borrower_id: borrower.id,
      payment_method: 'DIRECT_DEBIT',
      is_default_repayment_method: true,
      apply_to_all_active_loans: true,
      from_account: {
        account_number: generateIban('FRA', 'SUCCESS', seed),
        bank_identifier: 'BNPAFRPP',
      },
      representative: { birth_date: '1980-05-03', nationality: 'FR', country_of_residence: 'FR' },
      business_email: 'fees@garnier.example',
    })
  type Method = Awaited<ReturnType<typeof another>>
  const accountOf = ({ account_to_debit }: Method) => ({
    account_number: account_to_debit!.account_number,
  })
  await until('2027-04-15')
  const other = await another(4_721)
  await until('2027-05-01')
  const scheduled = async () => {
    const found = (await feesOf(app, id)).find(one => one.status === 'SCHEDULED')!
    return [found.id, found.scheduled_at!.slice(0, 10), found.from_account_details!.account_number]
  }
  const [may] = await scheduled()
  const frozen = [may, '2027-05-05', accountOf(other).account_number]
  // 1 May is a Saturday. The debit of the 5th is three banking days ahead, so it is frozen.
  expect(await scheduled()).toEqual(frozen)
  const third = await another(4_722)
  expect(await scheduled()).toEqual(frozen)
  await until('2027-05-03')
  const { data: mails } = await app.client.listSandboxMailbox({ to: 'fees@garnier.example' })
  expect(mails.map(mail => mail.subject.slice(0, 28))).toContain('Votre abonnement FEE 2027-05')
  await until('2027-06-30')
  const paid = (await feesOf(app, id))[0]!
  expect(paid).toMatchObject({ status: 'PAID', scheduled_at: '2027-06-03T00:00:00Z' })
  expect(paid.from_account_details).toMatchObject(accountOf(third))
  // The mandate ends while a debit of the next fee is planned.
  await until('2027-07-01')
  const { data } = await app.client.listSandboxBankInstructions({ page_size: 500 })
  const { id: instruction_id } = data.find(one => one.payment_id === paid.id)!
  await app.client.refundSandboxInstruction({ instruction_id, reason_code: 'MD01' })
  await app.drain()
  expect((await feesOf(app, id)).filter(one => one.status === 'SCHEDULED')).toEqual([])
  // The previous mandate is the default again, and is debited on the earliest possible date.
  await until('2027-07-06')
  const last = (await feesOf(app, id))[0]!
  expect(last).toMatchObject({ status: 'PAID', scheduled_at: '2027-07-06T00:00:00Z' })
  expect(last.from_account_details).toMatchObject({ account_number: borrower.account_number })
})

story(
  'a fee that moves from a wallet to a mandate is debited three banking days ahead',
  async tale => {
    const { app, until } = tale
    const { client } = app
    await withFee(app)
    const borrower = await readyBorrower(app, 'SCT', 'FRA')
    const method = (payment_method: 'P2P' | 'DIRECT_DEBIT', more = {}) =>
      client.addRepaymentMethod({
        borrower_id: borrower.id,
        payment_method,
        is_default_repayment_method: true,
        apply_to_all_active_loans: false,
        ...more,
      })
    await client.openWallet({ borrower_id: borrower.id })
    await method('P2P')
    const { subscription_id } = await subscriptionOf(app, borrower.id)
    await client.activateSubscription({ subscription_id: subscription_id! })
    // It is Tuesday, and the wallet would be debited tomorrow.
    await until('2027-03-02')
    const scheduled = async () =>
      (await feesOf(app, subscription_id!))
        .filter(one => one.status === 'SCHEDULED')
        .map(one => [one.payment_method, one.scheduled_at!.slice(0, 10)])
    expect(await scheduled()).toEqual([['P2P', '2027-03-03']])
    await method('DIRECT_DEBIT', {
      from_account: {
        account_number: generateIban('FRA', 'SUCCESS', 4_741),
        bank_identifier: 'BNPAFRPP',
      },
      representative: { birth_date: '1980-05-03', nationality: 'FR', country_of_residence: 'FR' },
      business_email: 'wallet-fees@garnier.example',
    })
    expect(await scheduled()).toEqual([['DIRECT_DEBIT', '2027-03-05']])
  },
)
