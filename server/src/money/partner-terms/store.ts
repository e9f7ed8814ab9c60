/** The only SQL that writes the terms agreed with partners. */
import { type Insertable, sql } from 'kysely'
import { insertInto } from '../../platform/db/insert.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { feesPayerOf } from './rules.ts'

export async function putPartnerCompany(
  tx: Tx,
  company: Insertable<DB['partner_companies']>,
): Promise<void> {
  await tx.run(sql`
    delete from partner_companies where partner_id = ${company.partner_id}`)
  await tx.run(insertInto('partner_companies', [company]))
}

export async function putPartnerProduct(
  tx: Tx,
  agreed: Omit<Insertable<DB['partner_products']>, 'fees_payer'>,
): Promise<void> {
  await tx.run(sql`
    delete from partner_products
    where partner_id = ${agreed.partner_id} and product_id = ${agreed.product_id}`)
  await tx.run(insertInto('partner_products', [{ ...agreed, fees_payer: feesPayerOf(agreed) }]))
}
