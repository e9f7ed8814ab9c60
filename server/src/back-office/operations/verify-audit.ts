/** Recomputes the audit trail's hashes and reports the first mismatch in each table. */
import type { Tx } from '../../platform/db/transaction.ts'
import type { Finding } from '../../platform/ledger/index.ts'
import {
  AUDIT_RECORDS,
  type AuditRecord,
  type AuditSeal,
  CHAIN_BEGINS,
  chainHash,
  readIds,
  readSeals,
} from './audit-chain.ts'

const SEALS_AT_ONCE = 100
const MARK_DIGITS = 16

export async function verifyAudit(tx: Tx): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const record of AUDIT_RECORDS) {
    const detail = await firstFault(tx, record)
    if (detail) findings.push({ check: 'audit_chain', detail })
  }
  return findings
}

async function firstFault(tx: Tx, record: AuditRecord): Promise<string | null> {
  let last = CHAIN_BEGINS
  for (;;) {
    const seals = await readSeals(tx, record, last, SEALS_AT_ONCE)
    if (seals.length === 0) return null
    for (const seal of seals) {
      const hash = chainHash(last.hash, seal.now_content)
      const fits = seal.position === last.position + 1n && seal.hash === hash
      if (!fits) return alertFault(tx, record, seal)
      last = seal
    }
  }
}

async function alertFault(tx: Tx, record: AuditRecord, seal: AuditSeal): Promise<string> {
  const sealed = split(seal.marks)
  const now = split(seal.now_marks)
  const at = sealed.findIndex((mark, index) => mark !== now[index])
  if (at < 0 && now.length === sealed.length) {
    return `seal ${seal.position} of ${record} does not fit the chain`
  }
  const index = at < 0 ? sealed.length : at
  const ids = await readIds(tx, record, seal.from_id, seal.to_id)
  const id = ids[index]
  if (id === undefined) return `a row of ${record} is gone, up to ${seal.to_id}`
  if (sealed.includes(now[index]!)) return `a row of ${record} is gone, before ${id}`
  return `${record} ${id} does not fit the chain`
}

function split(marks: string): string[] {
  const count = marks.length / MARK_DIGITS
  return Array.from({ length: count }, (_, i) =>
    marks.slice(i * MARK_DIGITS, (i + 1) * MARK_DIGITS),
  )
}
