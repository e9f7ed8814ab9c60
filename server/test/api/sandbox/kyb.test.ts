/** Deciding KYB reviews before or after the borrower signs, and the effects on its loans. */
import { beforeAll, expect, test } from 'vitest'
import { newId } from '../../../src/platform/kit/ids.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { borrower, loan, reaches, refusal } from './story.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})

async function complianceOf(borrower_id: string): Promise<string> {
  return (await app.client.getBorrower({ borrower_id })).compliance_checks.status
}

test('APPROVED by default on signing', async () => {
  const { id } = await borrower(app.client, { signed: false })
  expect(await complianceOf(id)).toBe('UNKNOWN')
  await app.client.signBorrower({ borrower_id: id, signed_at: new Date().toISOString() })
  expect(await complianceOf(id)).toBe('APPROVED')
})

test('an outcome set before signing applies on signing', async () => {
  const company = await borrower(app.client, { signed: false })
  const borrower_id = company.id
  const answer = await app.client.setSandboxKyb({ borrower_id, status: 'REVIEWING' })
  expect(answer).toEqual({ borrower_id, status: 'REVIEWING' })
  expect(await complianceOf(borrower_id)).toBe('REVIEWING')
  await app.client.signBorrower({
    borrower_id,
    signed_at: new Date().toISOString(),
    wait_for_ready: true,
  })
  expect(await complianceOf(borrower_id)).toBe('REVIEWING')

  const waiting = await loan(app.client, company)
  expect(waiting.status).toBe('PENDING_VALIDATION')
  await app.client.setSandboxKyb({ borrower_id, status: 'APPROVED' })
  await reaches(app, waiting, 'TO_REPAY')
})

test('REJECTED declines pending loans', async () => {
  const company = await borrower(app.client)
  const borrower_id = company.id
  await app.client.setSandboxKyb({ borrower_id, status: 'PENDING_USER_ACTION' })
  expect(await complianceOf(borrower_id)).toBe('PENDING_USER_ACTION')
  const waiting = await loan(app.client, company)
  expect(waiting.status).toBe('PENDING_VALIDATION')
  await app.client.setSandboxKyb({ borrower_id, status: 'REJECTED' })
  const declined = await reaches(app, waiting, 'DECLINED')
  expect(declined.denial_reason).toBe('BUSINESS_COMPLIANCE_ISSUE_DETECTED')
})

test('REJECTED cancels approved loans before payout, and releases their credit', async () => {
  const company = await borrower(app.client)
  const borrower_id = company.id
  const available = async () => {
    const { data } = await app.client.listCreditLines({ borrower: [borrower_id] })
    return data[0]!.balance_available!
  }
  const before = await available()
  const gone = await loan(app.client, company, { scenario: 'SUCCESS_ONE_DAY_LATER' })
  await reaches(app, gone, 'INITIATED')
  const later = await loan(app.client, company, { starts_in: 3 })
  const scheduled = await reaches(app, later, 'SCHEDULED')
  expect(await available()).toBe(before - 100_000)
  await app.client.setSandboxKyb({ borrower_id, status: 'REJECTED' })
  await reaches(app, scheduled, 'CANCELED')
  expect(await available()).toBe(before - 50_000)
  const { data } = await app.client.listPayments({ loan_id: [scheduled.id] })
  expect(data).toMatchObject([{ payment_type: 'LOAN_PAYMENT', status: 'CANCELED' }])
  expect((await app.client.getLoan({ loan_id: gone.id })).status).toBe('INITIATED')
  expect((await app.verify()).findings).toEqual([])
})

test("unknown borrowers and other partners' are 404, an unknown status is 422", async () => {
  const { id } = await borrower(app.client, { signed: false })
  for (const [client, borrower_id] of [
    [app.client, newId()],
    [app.second, id],
  ] as const) {
    const found = await refusal(client.setSandboxKyb({ borrower_id, status: 'REJECTED' }))
    expect(found.code).toBe('resource_unknown')
  }
  const wrong = app.client.setSandboxKyb({ borrower_id: id, status: 'FINE' as 'APPROVED' })
  expect((await refusal(wrong)).invalid_params).toMatchObject([{ name: 'status' }])
})
