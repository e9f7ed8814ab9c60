/** Opens a batch of data about a company. */
import type { CreateDataBatchBody, DataBatch } from '@headroom/contract'
import type { z } from 'zod'
import { initialStatus, move, recordCreation } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type InvalidParam, problem } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import { companyOf } from './rules.ts'
import { type BatchRow, deleteUploads, insertBatch, lockOngoing } from './store.ts'
import { readTimestamp, timestampFaults } from './timestamps.ts'

type Body = z.output<typeof CreateDataBatchBody>

export function batchFaults({ business_identifier, content }: WellFormed<Body>): InvalidParam[] {
  const { identifier, identifier_type } = business_identifier ?? {}
  const company = identifier && identifier_type && companyOf({ identifier, identifier_type })
  const faults = company && 'fault' in company ? [company.fault] : []
  return [
    ...faults.map(fault => ({ ...fault, name: `business_identifier.${fault.name}` })),
    ...(content?.account_transactions ?? []).flatMap((period, index) => {
      const at = `content.account_transactions.${index}`
      const { start_date, end_date } = period ?? {}
      const wrong = [
        ...timestampFaults(`${at}.start_date`, start_date),
        ...timestampFaults(`${at}.end_date`, end_date),
      ]
      const backwards =
        start_date && end_date && readTimestamp(end_date) < readTimestamp(start_date)
      return backwards
        ? [...wrong, { name: `${at}.end_date`, reason: 'is before start_date' }]
        : wrong
    }),
  ]
}

/**
 * Opens a batch. If the company already has an open batch, cancels that one with its content, or
 * throws `state_conflict` if the request does not allow this.
 */
export async function openDataBatch(tx: Tx, partner_id: string, body: Body): Promise<DataBatch> {
  const { identifier, identifier_type } = body.business_identifier
  const { company_key } = companyOf(body.business_identifier) as { company_key: string }
  await endOngoing(tx, { partner_id, company_key }, body)
  const initial = initialStatus('data_batch', [])
  const row = {
    id: tx.newId(),
    partner_id,
    company_key,
    identifier,
    identifier_type,
    context: body.context,
    content: keptContent(body.content),
    status: initial.status,
    created_at: tx.now,
  }
  await insertBatch(tx, { ...row, content: row.content as never })
  recordCreation(tx, [{ id: row.id, partner_id, initial }])
  return batchView({ ...row, content: row.content as never })
}

async function endOngoing(
  tx: Tx,
  company: { partner_id: string; company_key: string },
  body: Body,
): Promise<void> {
  const ongoing = await lockOngoing(tx, company)
  if (!ongoing) return
  if (!body.auto_cancel_ongoing_batch_for_business) {
    const detail = `batch ${ongoing.id} of this company is ${ongoing.status}: close it first`
    throw problem('state_conflict', detail, { resource_id: ongoing.id })
  }
  await move(tx, 'data_batch', [ongoing], 'cancel', 'another batch was opened')
  await deleteUploads(tx, ongoing)
}

function keptContent(content: Body['content']): DataBatch['content'] {
  return {
    accounts: content.accounts ?? null,
    invoices: content.invoices ?? null,
    account_transactions:
      content.account_transactions?.map(({ account, start_date, end_date }) => ({
        account,
        start_date: readTimestamp(start_date).toISOString(),
        end_date: readTimestamp(end_date).toISOString(),
      })) ?? null,
    shared_data_types: [...new Set(content.shared_data_types)],
  }
}

export function batchView(batch: Omit<BatchRow, 'created_at'>): DataBatch {
  return {
    id: batch.id,
    business_identifier: {
      identifier: batch.identifier,
      identifier_type: batch.identifier_type as DataBatch['business_identifier']['identifier_type'],
    },
    context: batch.context as DataBatch['context'],
    content: batch.content as unknown as DataBatch['content'],
    status: batch.status,
  }
}
