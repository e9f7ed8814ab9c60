/**
 * Deciding KYB reviews: before signing, the outcome is stored; afterwards it applies immediately.
 */
import { beforeAll, expect, test } from 'vitest'
import { newId } from '../../../src/platform/kit/ids.ts'
import { type TestHouse, testHouse } from '../../support/house.ts'
import { borrower, loan, reaches, refusal } from './story.ts'

let house: TestHouse
beforeAll(async () => {
  house = await testHouse()
})

async function complianceOf(borrower_id: string): Promise<string> {
  return (await house.client.getBorrower({ borrower_id })).compliance_checks.status
}

test('APPROVED by default on signing', async () => {
  const { id } = await borrower(house.client, { signed: false })
  expect(await complianceOf(id)).toBe('UNKNOWN')
  await house.client.signBorrower({ borrower_id: id, signed_at: new Date().toISOString() })
  expect(await complianceOf(id)).toBe('APPROVED')
})

test('an outcome set before signing applies on signing', async () => {
  const company = await borrower(house.client, { signed: false })
  const borrower_id = company.id
  const answer = await house.client.setSandboxKyb({ borrower_id, status: 'REVIEWING' })
  expect(answer).toEqual({ borrower_id, status: 'REVIEWING' })
  expect(await complianceOf(borrower_id)).toBe('REVIEWING')
  await house.client.signBorrower({
    borrower_id,
    signed_at: new Date().toISOString(),
    wait_for_ready: true,
  })
  expect(await complianceOf(borrower_id)).toBe('REVIEWING')

  const waiting = await loan(house.client, company)
  expect(waiting.status).toBe('PENDING_VALIDATION')
  await house.client.setSandboxKyb({ borrower_id, status: 'APPROVED' })
  await reaches(house, waiting, 'TO_REPAY')
})

test('REJECTED declines pending loans', async () => {
  const company = await borrower(house.client)
  const borrower_id = company.id
  await house.client.setSandboxKyb({ borrower_id, status: 'PENDING_USER_ACTION' })
  expect(await complianceOf(borrower_id)).toBe('PENDING_USER_ACTION')
  const waiting = await loan(house.client, company)
  expect(waiting.status).toBe('PENDING_VALIDATION')
  await house.client.setSandboxKyb({ borrower_id, status: 'REJECTED' })
  const declined = await reaches(house, waiting, 'DECLINED')
  expect(declined.denial_reason).toBe('BUSINESS_COMPLIANCE_ISSUE_DETECTED')
})

test('REJECTED cancels approved loans before payout, and releases their credit', async () => {
  const company = await borrower(house.client)
  const borrower_id = company.id
  const available = async () => {
    const { data } = await house.client.listCreditLines({ borrower: [borrower_id] })
    return data[0]!.balance_available!
  }
  const before = await available()
  const gone = await loan(house.client, company, { scenario: 'SUCCESS_ONE_DAY_LATER' })
  await reaches(house, gone, 'INITIATED')
  const later = await loan(house.client, company, { starts_in: 3 })
  const scheduled = await reaches(house, later, 'SCHEDULED')
  expect(await available()).toBe(before - 100_000)
  await house.client.setSandboxKyb({ borrower_id, status: 'REJECTED' })
  await reaches(house, scheduled, 'CANCELED')
  expect(await available()).toBe(before - 50_000)
  const { data } = await house.client.listPayments({ loan_id: [scheduled.id] })
  expect(data).toMatchObject([{ payment_type: 'LOAN_PAYMENT', status: 'CANCELED' }])
  expect((await house.client.getLoan({ loan_id: gone.id })).status).toBe('INITIATED')
  expect((await house.verify()).findings).toEqual([])
})

test('unknown borrowers and those of others are 404, an unknown status is 422', async () => {
  const { id } = await borrower(house.client, { signed: false })
  for (const [client, borrower_id] of [
    [house.client, newId()],
    [house.second, id],
  ] as const) {
    const found = await refusal(client.setSandboxKyb({ borrower_id, status: 'REJECTED' }))
    expect(found.code).toBe('resource_unknown')
  }
  const wrong = house.client.setSandboxKyb({ borrower_id: id, status: 'FINE' as 'APPROVED' })
  expect((await refusal(wrong)).invalid_params).toMatchObject([{ name: 'status' }])
})
