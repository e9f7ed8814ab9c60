/** Eligibility of a company in each role, with its denial reasons. */
import { describe, expect, test } from 'vitest'
import { isPublicBody } from '../../src/countries/index.ts'
import {
  type CompanyFacts,
  denialReasons,
  quoteDenialReasons,
} from '../../src/partners/eligibility/rules.ts'

const good: CompanyFacts = {
  served: true,
  is_awaited: false,
  company: {
    is_active: true,
    is_public_body: false,
    is_insolvent: false,
    too_young: { to_borrow: false, to_sell: false },
  },
  compliance: 'APPROVED',
  borrower: null,
}

describe('a company', () => {
  test.each(['borrower', 'beneficiary', 'buyer', 'seller'] as const)('is eligible as %s', role => {
    expect(denialReasons(role, good)).toEqual([])
    for (const compliance of ['UNKNOWN', 'REVIEWING', 'PENDING_USER_ACTION', null] as const) {
      expect(denialReasons(role, { ...good, compliance })).toEqual([])
    }
  })

  test.each([
    ['borrower', 'BUSINESS_UNKNOWN'],
    ['beneficiary', 'BUSINESS_UNKNOWN'],
    ['buyer', 'BUSINESS_UNKNOWN_BUYER'],
    ['seller', 'BUSINESS_UNKNOWN_SELLER'],
  ] as const)('missing from the registry is refused as %s', (role, code) => {
    expect(denialReasons(role, { ...good, company: null })).toEqual([code])
  })

  test('in another country is refused for that reason only', () => {
    const foreign = { ...good, served: false, company: null }
    expect(denialReasons('borrower', foreign)).toEqual(['COUNTRY_NOT_ELIGIBLE_BORROWER'])
    expect(denialReasons('buyer', foreign)).toEqual(['COUNTRY_NOT_ELIGIBLE_COUNTERPARTY'])
  })

  test('has every reason listed', () => {
    const too_young = { to_borrow: true, to_sell: true }
    const company = { is_active: false, is_public_body: true, is_insolvent: true, too_young }
    const borrower = { status: 'BLOCKED', status_reason: null, line_expired: true } as const
    const known: CompanyFacts = { ...good, company, compliance: 'REJECTED', borrower }
    expect(denialReasons('borrower', known)).toEqual([
      'BUSINESS_RADIATED',
      'INSOLVENCY_PROCEDURE_EXISTS_BORROWER',
      'BUSINESS_AGE_BELOW_THRESHOLD',
      'LEGAL_FORM_NOT_ELIGIBLE_BORROWER',
      'BUSINESS_COMPLIANCE_ISSUE_DETECTED',
      'BORROWER_STATUS',
    ])
    expect(denialReasons('buyer', known)).toEqual([
      'REMOVED_FROM_COMMERCIAL_REGISTER_BUYER',
      'COUNTERPARTY_INSOLVENCY_PROCEDURE_EXISTS',
      'BUSINESS_COMPLIANCE_ISSUE_DETECTED',
    ])
  })

  test('that is a borrower is refused for its borrower status', () => {
    const late = { status: 'BLOCKED', line_expired: false } as const
    const borrower = { ...late, status_reason: 'LATE_REPAYMENT_BORROWER' as const }
    expect(denialReasons('borrower', { ...good, borrower })).toEqual(['LATE_REPAYMENT_BORROWER'])
    const expired = { status: 'READY', status_reason: null, line_expired: true } as const
    expect(denialReasons('seller', { ...good, borrower: expired })).toEqual(['OUTDATED_DATA'])
  })
})

test('a quote has limits', () => {
  const limits = { amount_max: 100n, days_max: 120 }
  expect(quoteDenialReasons({ amount: 100n, days: 120 }, limits)).toEqual([])
  expect(quoteDenialReasons({ amount: null, days: null }, limits)).toEqual([])
  expect(quoteDenialReasons({ amount: 101n, days: 121 }, limits)).toEqual([
    'MAX_AMOUNT_EXCEEDED',
    'EXCESSIVE_DURATION_LOAN_REQUEST',
  ])
})

test.each([
  ['P2807900B', 'ES', true],
  ['ESQ2826000H', 'ES', true],
  ['B64717838', 'ES', false],
  ['404833048', 'FR', false],
])('%s of %s is a public body: %s', (identifier, country, expected) => {
  expect(isPublicBody({ identifier, country })).toBe(expected)
})
