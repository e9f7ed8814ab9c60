/** Checks bills using only their API responses and PDFs. */
import { expect } from 'vitest'
import { formatMoney } from '../../src/platform/kit/money.ts'
import { plain, readPdf } from '../documents/samples.ts'
import type { Bill } from './money.ts'

const DAY_MS = 86_400_000

/** Rounds millionths of a cent to cents, half to even, independently of the service's code. */
function cents(exact: bigint): bigint {
  const [sign, size] = exact < 0n ? [-1n, -exact] : [1n, exact]
  const [whole, rest] = [size / 1_000_000n, size % 1_000_000n]
  const up = rest > 500_000n || (rest === 500_000n && whole % 2n === 1n)
  return sign * (up ? whole + 1n : whole)
}

type Line = Bill['lines'][number]

/** The amount that follows from a line's fields. `beside` are the bill's lines of the same loan. */
function recomputed(line: Line, beside: readonly Line[]): number {
  if (line.kind === 'ROUNDING') {
    const others = beside.filter(one => one !== line && one.component === line.component)
    const billed = line.billed_before_amount! + others.reduce((sum, one) => sum + one.amount, 0)
    return Number(cents(BigInt(line.exact_to_date_microcents!))) - billed
  }
  return Number(cents(BigInt(line.principal!) * BigInt(line.rate_ppm!) * BigInt(line.days)))
}

/**
 * Checks that each line's amount follows from its fields, unless the interest lapsed, and that the
 * lines add up to the bill. `bills` must include the earlier bills that its adjustments correct.
 */
export function expectToCompute(bill: Bill, bills: readonly Bill[]): void {
  const of = `${bill.invoice_number ?? bill.id} of ${bill.start_date}`
  for (const line of bill.lines) {
    const beside = bill.lines.filter(one => one.loan_id === line.loan_id)
    expect([of, line.amount]).not.toEqual([of, 0])
    if (line.kind === 'LAPSED') {
      // A write-off waives interest. A returned payout reverses the write-off and the waiver.
      expect(['WRITE_OFF', 'PAYOUT_RETURNED'], of).toContain(line.reason)
      continue
    }
    expect([of, line, line.amount]).toEqual([of, line, recomputed(line, beside)])
    if (line.kind === 'ROUNDING') {
      expect(Math.abs(line.amount)).toBeLessThanOrEqual(bills.length + beside.length + 1)
      continue
    }
    const [start, end] = [line.start_date!, line.end_date!].map(day => new Date(day).getTime())
    expect([of, line.days]).toEqual([of, (end! - start!) / DAY_MS + 1])
    if (line.kind !== 'ADJUSTMENT') continue
    // An adjustment states its reason, its period and the earlier bill that it corrects.
    expect([of, line.reason]).not.toEqual([of, 'NOT_RECORDED'])
    const corrected = bills.find(one => one.id === line.corrects_bill_id)
    expect(corrected).toMatchObject({ invoice_number: line.corrects_invoice_number })
    expect(corrected!.billed_business).toEqual(bill.billed_business)
    expect(corrected!.start_date < bill.start_date).toBe(true)
    expect(line.end_date! < bill.start_date).toBe(true)
  }
  const total = bill.lines.reduce((sum, line) => sum + line.amount, 0)
  const { total_amount, paid_amount, credited_amount, lapsed_amount, open_amount } = bill
  expect([of, total_amount]).toEqual([of, total])
  if (bill.status === 'INVALID') expect([of, open_amount, paid_amount]).toEqual([of, 0, 0])
  else {
    const settled = paid_amount + credited_amount + lapsed_amount
    expect([of, total]).toEqual([of, settled + open_amount])
  }
  if (bill.status === 'PAID') expect([of, open_amount]).toEqual([of, 0])
}

/** Checks that the French PDF prints the figures of each line and the bills that it corrects. */
export async function expectOnPaper(bill: Bill): Promise<void> {
  const answer = await fetch(bill.document_url!)
  const { text } = await readPdf(Buffer.from(await answer.arrayBuffer()))
  const language = 'fr'
  const money = (amount: number) => plain(formatMoney(BigInt(amount), 'EUR', language))
  expect(text).toContain(bill.invoice_number)
  for (const line of bill.lines) {
    if (line.principal === null) expect(text).toContain(money(line.amount))
    else {
      const rate = `${(line.rate_ppm! / 10_000).toFixed(4).replace(/0{1,2}$/, '')} %`
      const row = [
        String(line.days),
        money(line.principal),
        rate.replace('.', ','),
        money(line.amount),
      ]
      expect(text).toContain(row.join(' '))
    }
    if (line.corrects_invoice_number) expect(text).toContain(line.corrects_invoice_number)
  }
}
