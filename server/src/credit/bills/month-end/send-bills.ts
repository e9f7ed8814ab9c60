/**
 * Validates and sends the month's bills, from the first banking day on, after that day's bank news
 * is booked.
 */
import type { Status } from '@headroom/contract'
import { sql } from 'kysely'
import type { BillInput } from '../../../integrations/documents/index.ts'
import { raiseAlerts } from '../../../platform/alerts/index.ts'
import { move } from '../../../platform/db/move.ts'
import { followKey, type RowKey } from '../../../platform/db/of-partner.ts'
import { BEFORE_ALL_KEYS, batchOrIndividually, type Paged } from '../../../platform/db/slices.ts'
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { settleBills } from '../collection/sync-bill-lines.ts'
import { refreshBills, refreshInBatches } from '../corrections/refresh-bills.ts'
import { setOffCredits } from '../credits/set-off-credits.ts'
import { draftBills } from '../documents/draft-bills.ts'
import {
  type BillDocument,
  type BillDraft,
  drawBill,
  mailBills,
  OutdatedDocumentError,
  writeBills,
} from '../documents/write-bills.ts'
import { partnersThatSend } from '../parties.ts'
import { periodBilledIn, sendingDay } from '../rules.ts'
import {
  type BillRow,
  lockBills,
  markPrepaid,
  readBills,
  setIssued,
  setRecipients,
} from '../store.ts'
import { dueFromToday, postponeDueDates } from './due-day.ts'

/**
 * Bills per transaction: few, because API requests of the bills' partners wait for the
 * transaction's locks.
 */
const SLICE = 50
/**
 * Attempts to render bills that change while they are rendered; after the last, the next run
 * retries.
 */
const DRAWINGS_MAX = 5

/**
 * Sends GENERATED bills in slices, from the month's first banking day on. A bill that cannot be
 * sent does not hold up the others: failures are thrown at the end.
 */
export function sendBills(today: Day): readonly Paged[] {
  const paged: Paged<Listed> = {
    what: 'bills to send',
    read: (tx, _, last: RowKey = BEFORE_ALL_KEYS) => nextAfter(tx, last),
    work: async (database, page, failures) => {
      let sent = 0
      for (const batch of batchesOf(page, today)) {
        sent += await batchOrIndividually(batch, failures, keys => sendTogether(database, keys))
      }
      return sent
    },
  }
  return today < sendingDay(today) ? [] : [paged]
}

type Listed = Pick<BillRow, 'partner_id' | 'id' | 'borrower_id' | 'period_from'>

async function nextAfter(tx: Tx, after: RowKey): Promise<Listed[]> {
  return tx.all(sql<Listed>`
    select partner_id, id, borrower_id, period_from from bills
    where status = 'GENERATED' and ${followKey(after, 'bills')}
    order by partner_id, id limit ${SLICE}`)
}

/**
 * Batches this month's bills of borrowers. Older bills, and partners' bills with their many loans,
 * are sent individually.
 */
function batchesOf(page: readonly Listed[], today: Day): RowKey[][] {
  const { from } = periodBilledIn(today)
  const isOne = (bill: Listed) => bill.borrower_id !== null && bill.period_from === from
  const together = page.filter(isOne)
  const alone = page.filter(bill => !isOne(bill)).map(bill => [bill])
  return together.length > 0 ? [together, ...alone] : alone
}

/** Recomputes and sends one bill unless already sent; returns the number sent, 0 or 1. */
export async function sendBill(
  database: Database,
  bill: RowKey,
  loans_max?: number,
): Promise<number> {
  return sendTogether(database, [bill], loans_max)
}

/**
 * Sends one bill, or several of different borrowers and the same month. A partner's bill is first
 * recomputed `loans_max` loans at a time; later changes are applied when it is sent. PDFs are
 * rendered outside any lock, and used only if they still match the bills.
 */
async function sendTogether(
  database: Database,
  keys: readonly RowKey[],
  loans_max?: number,
): Promise<number> {
  const since = keys.length === 1 ? await refreshInBatches(database, keys[0]!, loans_max) : null
  const all = { partners: '*', actor: 'service' } as const
  const drafts = await transaction(database, all, tx => readDrafts(tx, keys))
  const papers = await drawAll(keys, drafts)
  if (papers.size === 0) return 0
  const drafted = keys.filter(key => papers.has(key.id))
  for (let drawings = 1; ; drawings++) {
    try {
      return await transaction(database, all, tx => sendNow(tx, drafted, since, papers))
    } catch (error) {
      if (!(error instanceof OutdatedDocumentError) || drawings === DRAWINGS_MAX) throw error
      for (const [id, paper] of await drawAll(keys, error.inputs)) papers.set(id, paper)
    }
  }
}

/** The content of the unsent bills as of now; most do not change before they are sent. */
async function readDrafts(
  tx: Tx,
  keys: readonly RowKey[],
): Promise<ReadonlyMap<string, BillInput>> {
  const bills = (await readBills(tx, keys)).filter(bill => bill.status === 'GENERATED')
  const dueOn = await dueFromToday(tx, bills, 'issued')
  return draftBills(
    tx,
    bills.map(bill => ({
      ...bill,
      amount_prepaid: bill.amount_paid,
      due_on: dueOn.get(bill.id)!,
    })),
  )
}

async function drawAll(
  keys: readonly RowKey[],
  inputs: ReadonlyMap<string, BillInput>,
): Promise<Map<string, BillDocument>> {
  const drawn = new Map<string, BillDocument>()
  for (const { partner_id, id } of keys) {
    const input = inputs.get(id)
    if (input) drawn.set(id, await drawBill(partner_id, input))
  }
  return drawn
}

async function sendNow(
  tx: Tx,
  keys: readonly RowKey[],
  since: Date | null,
  papers: ReadonlyMap<string, BillDocument>,
): Promise<number> {
  const fresh = (await refreshBills(tx, keys, since)).filter(bill => bill.status === 'GENERATED')
  if (fresh.length === 0) return 0
  await setOffCredits(tx, await postponeDueDates(tx, fresh, 'issued'))
  await markPrepaid(tx, fresh)
  await issueBills(tx, await lockBills(tx, fresh), papers)
  return fresh.length
}

/**
 * Numbers, stores and mails the bills. A bill that is not mailed stays VALIDATED until it is paid
 * or replaced, its partner reports having sent it, or an operator releases it.
 */
async function issueBills(
  tx: Tx,
  bills: readonly BillRow[],
  papers: ReadonlyMap<string, BillDocument>,
): Promise<void> {
  await move(tx, 'bill', bills, 'validate')
  const written = await writeBills(tx, bills, papers)
  await setIssued(
    tx,
    written.map(({ bill, input: { number, document_id } }) => ({
      partner_id: bill.partner_id,
      id: bill.id,
      number,
      document_id,
    })),
  )
  const senders = await partnersThatSend(
    tx,
    bills.map(bill => bill.partner_id),
  )
  const ours = written.filter(({ bill }) => !senders.has(bill.partner_id))
  const going = ours.filter(({ payer }) => payer.emails.length > 0)
  const left = written.filter(one => !going.includes(one)).map(one => one.bill)
  await settleBills(
    tx,
    left.map(bill => ({ ...bill, status: 'VALIDATED' })),
  )
  await alertUnsent(
    tx,
    ours.filter(one => !going.includes(one)),
  )
  if (going.length === 0) return
  await mailBills(tx, going)
  await setRecipients(
    tx,
    going.map(({ bill: { partner_id, id }, payer }) => ({ partner_id, id, sent_to: payer.emails })),
  )
  await makeDue(
    tx,
    going.map(({ bill }) => bill),
  )
}

async function alertUnsent(tx: Tx, held: readonly BillDraft[]): Promise<void> {
  const why = 'neither the borrower nor its partner has an e-mail address'
  await raiseAlerts(
    tx,
    'bill_unsent',
    held.map(({ bill, input, payer }) => ({
      subject_id: bill.id,
      detail: `Bill ${input.number} of ${payer.party.name} was not sent: ${why}`,
    })),
  )
}

/** Moves VALIDATED bills to TO_PAY, and settles those already paid. */
export async function makeDue(tx: Tx, bills: readonly BillRow[]): Promise<void> {
  const as = (status: Status<'bill'>) => bills.map(bill => ({ ...bill, status }))
  await move(tx, 'bill', as('VALIDATED'), 'send')
  await move(tx, 'bill', as('SENT_TO_PAYER'), 'make_due')
  await settleBills(tx, as('TO_PAY'))
}
