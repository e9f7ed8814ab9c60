/** Referrers are paid their share of the interest once they have uploaded an invoice for it. */
import { NewReferrer } from '@headroom/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createReferrer, deleteShare, shareRevenue } from '../../src/partners/referrers/index.ts'
import { lenderInterest, nextShare } from '../../src/partners/referrers/rules.ts'
import { runPaged } from '../../src/platform/db/slices.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { asOtherPartners, type TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { lend, returnDebit, runSql } from '../support/money.ts'
import { agree } from '../support/partner-terms.ts'
import { faultsOf, refusal } from '../support/refusal.ts'

const story = calendar('2027-01-11')
const PDF = Buffer.from('%PDF-1.7\nan invoice').toString('base64')
const INVOICE = { document_name: 'invoice.pdf', document_binary_base64: PDF }

function referrerOf(
  { context, partner_id }: TestApp,
  code: string,
  emails: string[] = [],
  account_number = 'FR7630006000011234567890189',
) {
  const input = NewReferrer.parse({
    partner_id,
    name: `Broker ${code}`,
    identifier: '404833048',
    referral_codes: [code],
    revenue_share_rate: 10,
    notification_emails: emails,
    account_number,
  })
  return transaction(context.database, { partners: '*', actor: 'service' }, tx =>
    createReferrer(tx, input),
  )
}

/** A referred borrower with a loan of €1,000 from 11 January. */
async function referred(app: TestApp, code: string, how: 'onboarding' | 'metadata') {
  const made = await app.client.generateSandboxBusiness({ is_borrower: true })
  const { identifier, identifier_type } = made
  if (how === 'onboarding') {
    const business = { identifier, identifier_type }
    await app.client.createOnboarding({ preferred_language: 'fr', business, referral: code })
    // A later session without a code does not cancel the referral of the first.
    await app.client.createOnboarding({ preferred_language: 'fr', business })
  }
  const metadata = how === 'metadata' ? { referral_code: code } : {}
  const created = await app.client.createBorrower({ ...made, metadata })
  const borrower_id = created.id
  const { now } = await app.client.getSandboxClock()
  const borrower = await app.client.signBorrower({ borrower_id, signed_at: now })
  const ready = { ...borrower, account_number: made.account_number }
  await lend(app, ready, { amount: 100_000, days: 10 })
  return ready
}

const sharesOf = async (app: TestApp, referrer_id: string) =>
  (await app.client.getReferrer({ referrer_id })).revenue_shares

story('a share is mailed, invoiced and paid', async ({ app, until }) => {
  const referrer_id = await referrerOf(app, 'SPRING', ['broker@example.com'])
  await referred(app, 'SPRING', 'onboarding')
  await until('2027-02-01')
  expect(await sharesOf(app, referrer_id)).toEqual([])
  await until('2027-03-01')
  // Interest on €1,000 for ten days, €5.00, was paid on 3 February.
  const [share] = await sharesOf(app, referrer_id)
  expect(share?.status).toBe('SENT_BY_EMAIL')
  const mails = await app.client.listSandboxMailbox({ to: 'broker@example.com' })
  expect(mails.data).toMatchObject([{ subject: expect.stringContaining('28 février 2027') }])
  expect(mails.data[0]!.text).toMatch(/0,50\s€/)
  const about = { referrer_id, revenue_share_id: share!.id }
  const invoiced = await app.client.uploadRevenueShareInvoice({ ...about, ...INVOICE })
  expect(invoiced).toMatchObject({
    status: 'SENT_BY_EMAIL',
    amount: 50,
    start_date: '2027-02-01T00:00:00Z',
    end_date: '2027-02-28T00:00:00Z',
    email_sent_to: ['broker@example.com'],
    revenue_shared_with_business: { identifier: '404833048', name: 'Broker SPRING' },
    payment: {
      payment_type: 'REVENUE_SHARE',
      status: 'SCHEDULED',
      amount: 50,
      scheduled_at: '2027-03-02T00:00:00Z',
    },
  })
  const paper = await fetch(invoiced.document_url!)
  expect(await paper.text()).toContain('an invoice')
  const twice = app.client.uploadRevenueShareInvoice({ ...about, ...INVOICE })
  expect((await refusal(twice)).code).toBe('state_conflict')
  await until('2027-03-03')
  expect(await sharesOf(app, referrer_id)).toEqual([{ id: share!.id, status: 'PAID' }])
  // The payment is returned, so the share is owed again and needs another invoice.
  await returnDebit(app, invoiced.payment!, { reason_code: 'AC04' })
  expect(await sharesOf(app, referrer_id)).toEqual([{ id: share!.id, status: 'SENT_BY_EMAIL' }])
  await app.client.uploadRevenueShareInvoice({ ...about, ...INVOICE })
  await until('2027-03-05')
  expect(await sharesOf(app, referrer_id)).toEqual([{ id: share!.id, status: 'PAID' }])
})

story(
  'a code may be in the metadata; a deleted share is computed again',
  async ({ app, until }) => {
    const { database } = app.context
    const referrer_id = await referrerOf(app, 'WINTER')
    await referred(app, 'WINTER', 'metadata')
    await until('2027-03-01')
    const [share] = await sharesOf(app, referrer_id)
    expect(share?.status).toBe('CREATED')
    expect(await runPaged(database, shareRevenue('2027-03-01' as never))).toBe(0)
    const actor = 'operator'
    const remove = () =>
      transaction(database, { partners: '*', actor: 'service' }, tx =>
        deleteShare(tx.as(actor), share!.id, 'reckoned too early'),
      )
    await remove()
    expect((await refusal(remove())).code).toBe('state_conflict')
    const about = { referrer_id, revenue_share_id: share!.id }
    const late = app.client.uploadRevenueShareInvoice({ ...about, ...INVOICE })
    expect((await refusal(late)).code).toBe('state_conflict')
    await until('2027-04-01')
    const shares = await sharesOf(app, referrer_id)
    expect(shares.map(one => one.status)).toEqual(['CREATED', 'DELETED'])
  },
)

story('a failed payment leaves the share to be invoiced again', async ({ app, until }) => {
  const { iban: account_number } = await app.client.generateSandboxIban({ scenario: 'FAIL' })
  const referrer_id = await referrerOf(app, 'FAILING', [], account_number)
  await referred(app, 'FAILING', 'metadata')
  await until('2027-03-01')
  const [share] = await sharesOf(app, referrer_id)
  const about = { referrer_id, revenue_share_id: share!.id }
  const first = await app.client.uploadRevenueShareInvoice({ ...about, ...INVOICE })
  await until('2027-03-03')
  const { data } = await app.client.listPayments({ id: [first.payment!.id] })
  expect(data[0]).toMatchObject({ status: 'FAILED' })
  expect(await sharesOf(app, referrer_id)).toEqual([{ id: share!.id, status: 'CREATED' }])
  const again = await app.client.uploadRevenueShareInvoice({ ...about, ...INVOICE })
  expect(again.payment!.id).not.toBe(first.payment!.id)
  // A share cannot be deleted while its payment is in progress.
  const taken = transaction(app.context.database, { partners: '*', actor: 'service' }, tx =>
    deleteShare(tx.as('operator'), share!.id, 'reckoned wrongly'),
  )
  expect((await refusal(taken)).code).toBe('state_conflict')
  await until('2027-03-05')
  const failed = await app.client.listPayments({ status: ['FAILED'] })
  const own = failed.data.filter(p => p.to_account_details?.account_number === account_number)
  expect(own.map(p => p.payment_type)).toEqual(['REVENUE_SHARE', 'REVENUE_SHARE'])
})

story('another partner cannot see it', async ({ app, until }) => {
  const referrer_id = await referrerOf(app, 'AUTUMN')
  await referred(app, 'AUTUMN', 'metadata')
  await until('2027-03-01')
  const [share] = await sharesOf(app, referrer_id)
  const foreign = app.second.getReferrer({ referrer_id })
  expect((await refusal(foreign)).code).toBe('resource_unknown')
  const about = { referrer_id, revenue_share_id: share!.id }
  const upload = app.second.uploadRevenueShareInvoice({ ...about, ...INVOICE })
  expect((await refusal(upload)).code).toBe('resource_unknown')
  const word = { document_name: 'a.pdf', document_binary_base64: 'UEs=' }
  const faults = await faultsOf(app.client.uploadRevenueShareInvoice({ ...about, ...word }))
  expect(faults).toEqual({ document_binary_base64: 'is not a PDF' })
})

story('verify finds a wrong share', async ({ app, until }) => {
  const referrer_id = await referrerOf(app, 'SUMMER')
  await referred(app, 'SUMMER', 'metadata')
  await until('2027-03-02')
  const change = (cents: number) =>
    transaction(app.context.database, { partners: '*', actor: 'service' }, tx =>
      tx.run(sql`update revenue_shares set amount = amount + ${cents}
        where referrer_id = ${referrer_id}`),
    )
  await change(1)
  const { findings } = await app.verify()
  expect(findings.map(finding => finding.check)).toContain('revenue_share_payable')
  await change(-1)
})

story('on the lender’s own interest, once no bank can return it', async tale => {
  const { until } = tale
  const app = await asOtherPartners(tale.app)
  await agree(app, { fees_mode: 'PASSED_ON', mark_up_ppm: 250 })
  const referrer_id = await referrerOf(app, 'MARKED', ['marked@example.com'])
  const { id } = await referred(app, 'MARKED', 'metadata')
  await until('2027-02-20')
  // The debit paid 500 of interest and 250 of mark-up. It can be returned until 5 March.
  const of_borrower = 'loan_id in (select id from loans where borrower_id = $1) and interest = 750'
  await runSql(
    app,
    `update loan_movements set revocable_until = '2027-03-05' where ${of_borrower}`,
    [id],
  )
  await until('2027-03-02')
  expect(await sharesOf(app, referrer_id)).toEqual([])
  await until('2027-04-01')
  const [share] = await sharesOf(app, referrer_id)
  const about = { referrer_id, revenue_share_id: share!.id }
  const invoiced = await app.client.uploadRevenueShareInvoice({ ...about, ...INVOICE })
  expect(invoiced.amount).toBe(50)
})

test('the lender’s part of interest is what the mark-up leaves, per set of loan terms', () => {
  const at = (interest: bigint, mark_up_ppm: number) => ({ interest, rate_ppm: 500, mark_up_ppm })
  expect(lenderInterest([])).toBe(0n)
  expect(lenderInterest([at(1_000n, 0)])).toBe(1_000n)
  expect(lenderInterest([at(750n, 250), at(-75n, 250), at(33n, 0)])).toBe(483n)
})

describe("a month's share", () => {
  test.each([
    [500n, 100_000, 0n, 50n],
    [505n, 100_000, 50n, 0n],
    [515n, 100_000, 50n, 2n],
    [300n, 100_000, 50n, 0n],
    [0n, 100_000, 0n, 0n],
  ])('of %s cents at %s ppm after %s is %s', (interest, ppm, shared, expected) => {
    expect(nextShare(interest, ppm, shared)).toBe(expected)
  })
})
