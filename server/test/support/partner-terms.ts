/** Sets the fee and billing terms of a test server's partner. */
import {
  findPartnerCompany,
  setPartnerCompany,
  setPartnerProduct,
} from '../../src/money/partner-terms/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import type { TestApp } from './app.ts'

export const PARTNER_COMPANY = {
  identifier: '732829320',
  emails: ['bills@partner.example'],
  iban: 'FR7630006000011234567890189',
}

type Terms = Partial<Omit<Parameters<typeof setPartnerProduct>[1], 'partner_id'>> & {
  sends_bills?: boolean
}

/** Sets the company and the terms of `app.partner_id`, by default for wallet financing. */
export async function agree(
  app: TestApp,
  terms: Terms,
  iban = PARTNER_COMPANY.iban,
): Promise<void> {
  const { database } = app.context
  const { sends_bills = false, ...product } = terms
  const { partner_id } = app
  const company = { partner_id, sends_bills, ...PARTNER_COMPANY, iban }
  const found = await findPartnerCompany(app.context, company)
  await transaction(database, { partners: '*', actor: 'command line' }, async tx => {
    await setPartnerCompany(tx, found)
    await setPartnerProduct(tx, {
      partner_id,
      product_type: 'WALLET_FINANCING',
      mark_up_ppm: 0,
      repayment_handled_by: 'SERVICE' as const,
      fees_mode: 'CHARGED' as const,
      ...product,
    })
  })
}

/** The same server, with the second partner's client, ID and key. */
export function asSecondPartner(app: TestApp): TestApp {
  const { second: client, second_partner_id: partner_id, second_key: key } = app
  return { ...app, client, partner_id, key }
}
