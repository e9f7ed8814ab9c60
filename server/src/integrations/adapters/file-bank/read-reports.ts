/** Reads the bank's reports (pain.002) and applies them to the files and orders that they name. */
import { clearAlert, raiseAlert } from '../../../platform/alerts/index.ts'
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import { readBankFile } from '../../bank-files/reading/read-bank-file.ts'
import { UnreadableFile } from '../../bank-files/reading/unreadable.ts'
import {
  judge,
  type Reported,
  reportedGroup,
  reportedPayment,
  reportedTransaction,
} from './answers.ts'
import { doEach } from './do-each.ts'
import {
  OWN_TABLES,
  readPieces,
  readUnreadReports,
  stepBankFile,
  type UnreadReport,
} from './received-store.ts'
import {
  type AnswerRow,
  changeOrders,
  findFiles,
  insertAnswers,
  lockFile,
  readFiledOrders,
  stepFile,
} from './store.ts'

/** Returns how many reports were read or refused. */
export async function readReports(database: Database): Promise<number> {
  const reports = await transaction(database, OWN_TABLES, readUnreadReports)
  return doEach(reports, report => readReport(database, report))
}

interface Report {
  readonly message_id: string | null
  readonly statuses: readonly Reported[]
}

async function readReport(database: Database, bankFile: UnreadReport): Promise<void> {
  const report = await parse(database, bankFile.id)
  await transaction(database, OWN_TABLES, async tx => {
    if (report instanceof UnreadableFile) {
      if (!(await stepBankFile(tx, bankFile.id, 'refuse', report.message))) return
      await alert(tx, bankFile, `cannot be read. ${report.message}`)
    } else {
      if (!(await stepBankFile(tx, bankFile.id, 'read'))) return
      await apply(tx, bankFile, report)
    }
  })
}

async function parse(database: Database, id: string): Promise<Report | UnreadableFile> {
  const statuses: Reported[] = []
  let message_id: string | null = null
  try {
    for await (const item of readBankFile(readPieces(database, id))) {
      const place = statuses.length + 1
      if (item.kind === 'group_status') {
        message_id = item.group.original_message_id?.trim().toUpperCase() ?? null
        statuses.push(reportedGroup(place, item.group))
      } else if (item.kind === 'payment_status') {
        statuses.push(reportedPayment(place, item.payment))
      } else if (item.kind === 'transaction_status') {
        statuses.push(reportedTransaction(place, item.transaction))
      }
    }
  } catch (error) {
    if (error instanceof UnreadableFile) return error
    throw error
  }
  return { message_id, statuses }
}

async function apply(tx: Tx, bankFile: UnreadReport, report: Report): Promise<void> {
  const { message_id, statuses } = report
  const references = statuses.flatMap(one => one.end_to_end_id ?? [])
  const rows = new Map(statuses.map(one => [one.place, unmatched(bankFile.id, one)]))
  const files = await findFiles(tx, message_id, references)
  for (const { id, is_named } of files) {
    for (const row of await applyToFile(tx, bankFile.id, { id, is_named }, statuses)) {
      rows.set(row.place, row)
    }
  }
  const answers = [...rows.values()]
  await insertAnswers(tx, answers)
  const unfit = answers.flatMap(row => row.unfit_because ?? [])
  if (unfit.length === 0) return
  const more = unfit.length > 1 ? ` (and ${unfit.length - 1} more)` : ''
  await alert(tx, bankFile, `was not applied in full: ${unfit[0]}${more}`)
}

async function applyToFile(
  tx: Tx,
  bank_file_id: string,
  { id: order_file_id, is_named }: { id: string; is_named: boolean },
  statuses: readonly Reported[],
): Promise<AnswerRow[]> {
  const file = await lockFile(tx, order_file_id)
  const orders = await readFiledOrders(tx, order_file_id)
  const is_repeated = file.deliveries > 1 || file.state === 'UNKNOWN'
  const reported = { message_id: is_named ? file.message_id : null, is_repeated }
  const { changes, unfit, trigger } = judge(reported, orders, statuses)
  if (changes.length > 0) await changeOrders(tx, changes)
  // Whatever the bank says of a file, it has it.
  await stepFile(tx, file, trigger ?? 'deliver')
  await clearAlert(tx, 'order_file_undelivered', order_file_id)
  const byReference = new Map(orders.map(order => [order.end_to_end_id, order.payment_id]))
  return statuses.flatMap(status => {
    const payment_id = byReference.get(status.end_to_end_id ?? '') ?? null
    const is_about_file = status.level === 'TRANSACTION' ? payment_id !== null : is_named
    if (!is_about_file) return []
    const row = rowOf(bank_file_id, status, unfit.get(status.place) ?? null)
    return [{ ...row, order_file_id, payment_id }]
  })
}

function unmatched(bank_file_id: string, status: Reported): AnswerRow {
  const { level, code, end_to_end_id } = status
  // Files often have a group without a status of its own.
  const because =
    level === 'TRANSACTION'
      ? `${code} for ${end_to_end_id}, which is no order in a file of ours`
      : `${code} for a file that is not ours`
  return rowOf(bank_file_id, status, code === null ? null : because)
}

function rowOf(bank_file_id: string, status: Reported, unfit_because: string | null): AnswerRow {
  const { place, level, code, reason_code, reason_text } = status
  const known = { order_file_id: null, payment_id: null, unfit_because }
  return { bank_file_id, place, level, code, reason_code, reason_text, ...known }
}

async function alert(tx: Tx, { id, name }: UnreadReport, what: string): Promise<void> {
  await raiseAlert(tx, 'bank_file_unfit', id, `The bank's file ${name} ${what}`)
}
