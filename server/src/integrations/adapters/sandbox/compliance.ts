/** The sandbox compliance check: APPROVED at once, unless another result was set. */
import { sql } from 'kysely'
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import type { Compliance, ComplianceStatus } from '../../ports/registry.ts'

export function sandboxCompliance(options: { database: Database }): Compliance {
  const known: Compliance['known'] = async ({ partner_id, company_key }) => {
    const stored = await transaction(options.database, { partners: '*', read_only: true }, tx =>
      tx.maybe(sql<{ status: ComplianceStatus }>`
        select status from sandbox_compliance
        where partner_id = ${partner_id} and company_key = ${company_key}`),
    )
    return stored?.status ?? null
  }
  return {
    is_decided_in_files: false,
    known,
    check: async company => (await known(company)) ?? 'APPROVED',
  }
}

/** Sets the result of the company's later checks. */
export async function setCompanyCompliance(
  tx: Tx,
  partner_id: string,
  company_key: string,
  status: ComplianceStatus,
): Promise<void> {
  await tx.run(sql`
    insert into sandbox_compliance (partner_id, company_key, status, updated_at)
    values (${partner_id}, ${company_key}, ${status}, ${tx.now})
    on conflict (partner_id, company_key) do update set status = ${status}, updated_at = ${tx.now}`)
}
