/** Closes a batch: compares its content with the announcement, then stores it. */
import type { DataBatch } from '@headroom/contract'
import { sql } from 'kysely'
import { publishFact } from '../../facts.ts'
import { move } from '../../platform/db/move.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import { BEFORE_ALL_IDS } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import { problem } from '../../platform/kit/problem.ts'
import { findMissingData } from './missing-data.ts'
import { batchView } from './open-batch.ts'
import {
  type BatchRow,
  deleteUploads,
  type Kind,
  lockBatch,
  nextUpload,
  storeShared,
} from './store.ts'

/**
 * Schedules the closing of an open batch; returns a closing or closed batch unchanged. Throws
 * `resource_unknown`, `state_conflict` if the batch was canceled, or `batch_incomplete` with every
 * difference from the announcement; the batch then stays open.
 */
export async function closeDataBatch(tx: Tx, partner_id: string, id: string): Promise<DataBatch> {
  const batch = await lockBatch(tx, partner_id, id, 'to move')
  if (!batch) throw problem('resource_unknown')
  if (batch.status === 'CANCELED') throw problem('state_conflict', 'the batch was canceled')
  if (batch.status !== 'CREATED') return batchView(batch)
  const invalid_params = await findMissingData(tx, batch)
  if (invalid_params.length > 0) {
    const detail = invalid_params.map(p => `${p.name}: ${p.reason}`).join('; ')
    throw problem('batch_incomplete', detail, { invalid_params })
  }
  await move(tx, 'data_batch', [batch], 'schedule_closing')
  enqueue(tx, 'close_data_batch', { partner_id, batch_id: id })
  return batchView({ ...batch, status: 'CLOSING_SCHEDULED' })
}

/** The job that stores the batch's uploads, in order of arrival. */
export async function finishDataBatch(tx: Tx, { partner_id, id }: RowKey): Promise<void> {
  const batch = await tx.maybe(sql<BatchRow>`
    select * from data_batches where partner_id = ${partner_id} and id = ${id} for no key update`)
  if (batch?.status !== 'CLOSING_SCHEDULED') return
  await move(tx, 'data_batch', [batch], 'begin_closing')
  let upload = await nextUpload(tx, batch, BEFORE_ALL_IDS)
  while (upload) {
    const rows = upload.rows as unknown as Record<string, unknown>[]
    await storeShared(tx, batch, upload.kind as Kind, rows, upload.received_at)
    upload = await nextUpload(tx, batch, upload.id)
  }
  await deleteUploads(tx, batch)
  await move(tx, 'data_batch', [{ ...batch, status: 'CLOSING_IN_PROGRESS' }], 'close')
  const { company_key } = batch
  await publishFact(tx, 'business_data_shared', { partner_id, company_key })
}
