/** Renders a bill's PDF again after its due date has moved. */
import type { RowKey } from '../../../platform/db/of-partner.ts'
import { type Database, transaction } from '../../../platform/db/transaction.ts'
import { lockBills, readBills, setIssued } from '../store.ts'
import { redraftBill } from './draft-bills.ts'
import { drawBill, writeBills } from './write-bills.ts'

/**
 * Renders a bill's PDF again. The bill keeps its number, and the previous PDF keeps its URL. Does
 * nothing for an INVALID bill. Throws `OutdatedDocumentError` if the bill changes meanwhile; the
 * call can then be repeated.
 */
export async function redrawBill(database: Database, key: RowKey): Promise<void> {
  const all = { partners: '*', actor: 'service' } as const
  const draft = await transaction(database, { ...all, read_only: true }, async tx => {
    const [bill] = await readBills(tx, [key])
    return bill!.status === 'INVALID' ? null : { bill: bill!, input: await redraftBill(tx, bill!) }
  })
  if (!draft) return
  const paper = await drawBill(key.partner_id, draft.input)
  await transaction(database, all, async tx => {
    const [bill] = await lockBills(tx, [draft.bill])
    const [written] = await writeBills(tx, [bill!], new Map([[key.id, paper]]))
    const { number, document_id } = written!.input
    const { partner_id, id } = bill!
    await setIssued(tx, [{ partner_id, id, number, document_id }])
  })
}
