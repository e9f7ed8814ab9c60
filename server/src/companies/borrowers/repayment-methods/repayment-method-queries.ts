/** Reads repayment methods and builds their API views. */
import type { RepaymentMethod } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { documentAddress } from '../../../integrations/documents/index.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import { newestFirst, type Page, readPage, viewPage } from '../../../platform/db/page.ts'
import type { Settings } from '../../../platform/db/settings.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { collectionAccount, lightAccount } from '../../../platform/kit/payment-account.ts'
import type { MandateRow, MethodRow } from '../store.ts'

type ViewRow = MethodRow & {
  mandate: Omit<MandateRow, 'signed_at'> | null
  mandate_signed_at: Date | null
  holder_identifier: string
  holder_identifier_type: string
}

function selectMethods(more: RawBuilder<unknown>): RawBuilder<ViewRow> {
  return sql<ViewRow>`
    select m.*, case when d.id is not null then to_jsonb(d) end as mandate,
      d.signed_at as mandate_signed_at, b.identifier as holder_identifier,
      b.identifier_type as holder_identifier_type ${more}
    from repayment_methods m
    join borrowers b on b.partner_id = m.partner_id and b.id = m.borrower_id
    left join mandates d on d.partner_id = m.partner_id and d.id = m.mandate_id`
}

/** The borrower's methods, newest first, including deactivated ones. */
export async function listRepaymentMethods(
  tx: Tx,
  borrower: { id: string; partner_id: string },
  path: string,
  query: { page_size: number; cursor?: string | undefined },
): Promise<Page<RepaymentMethod>> {
  const page = await readPage(
    tx,
    { path, ...query },
    newestFirst(sql.ref('m.id')),
    (where, key) => sql<ViewRow>`${selectMethods(sql`, ${key}`)}
      where m.borrower_id = ${borrower.id} and m.partner_id = ${borrower.partner_id} and ${where}`,
  )
  return viewPage(page, row => methodView(tx.settings, row))
}

export async function readMethodView(tx: Tx, { partner_id, id }: RowKey): Promise<RepaymentMethod> {
  const row = await tx.one(sql<ViewRow>`${selectMethods(sql``)}
    where m.partner_id = ${partner_id} and m.id = ${id}`)
  return methodView(tx.settings, row)
}

function methodView(settings: Settings, row: ViewRow): RepaymentMethod {
  const debit = row.payment_method !== 'SCT'
  return {
    id: row.id,
    name: row.name,
    payment_method: row.payment_method as RepaymentMethod['payment_method'],
    status: row.status,
    is_main: row.is_main,
    account_to_debit:
      debit && row.from_account
        ? {
            ...row.from_account,
            account_holder: {
              identifier: row.holder_identifier,
              identifier_type: row.holder_identifier_type as 'siren',
            },
          }
        : null,
    account_to_credit: debit
      ? null
      : { account_holder: null, ...lightAccount(collectionAccount(settings.lender)) },
    missing: [],
    mandate: row.mandate && {
      reference: row.mandate.reference,
      creditor_identifier: row.mandate.creditor_identifier,
      scheme: row.mandate.scheme as 'CORE',
      status: row.mandate.status,
      signed_at: row.mandate_signed_at?.toISOString() ?? null,
      document_url: row.mandate.document_id && documentAddress(settings, row.mandate.document_id),
    },
  }
}
