/** Valid order files for the tests, and what the official schemas say of written ones. */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { creditorId } from '../../../src/countries/index.ts'
import {
  BANK_PROFILES,
  type BankProfile,
  type DebitOrder,
  endToEndIdOf,
  type Fault,
  type OrderFile,
  type Party,
  type TransferOrder,
} from '../../../src/integrations/bank-files/index.ts'
import { readOrderXml } from '../../../src/integrations/bank-files/writing/check-order-xml.ts'
import type { Report } from '../../../src/integrations/bank-files/writing/faults.ts'
import type {
  DebitFile,
  Order,
  Scheme,
  Terms,
  TransferFile,
} from '../../../src/integrations/bank-files/writing/order-file.ts'
import { day } from '../../../src/platform/kit/dates.ts'

export const generic: BankProfile = BANK_PROFILES.generic
export const PROFILES = Object.entries(BANK_PROFILES as Record<string, BankProfile>)

/** A Friday. TARGET is open on Monday, the 30th. */
export const CREATED_AT = new Date('2026-11-27T08:00:00Z')
export const MONDAY = day('2026-11-30')

export const lender: Party = {
  name: 'Headroom Lending SAS',
  iban: 'FR1420041010050500013M02606',
  bic: 'PSSTFRPPXXX',
  address: { town: 'Orléans', country: 'FR' },
}
export const borrower: Party = {
  name: 'Müller & Söhne GmbH',
  iban: 'DE89370400440532013000',
  bic: 'COBADEFFXXX',
  address: null,
}
export const swiss: Party = {
  name: 'Käserei Emmental AG',
  iban: 'CH9300762011623852957',
  bic: 'UBSWCHZH80A',
  address: { town: 'Zürich', country: 'CH' },
}

/** The UUID with this number, as the bank gets it. */
export const idOf = (number: number) =>
  endToEndIdOf(`01936d0a-0000-7000-8000-${number.toString(16).padStart(12, '0')}`)

export function transferOrder(number: number, parts: Partial<TransferOrder> = {}): TransferOrder {
  return {
    end_to_end_id: idOf(number),
    instruction_id: idOf(number),
    amount: 123_456n,
    counterparty: borrower,
    remittance: { reference: 'RF18539007547034' },
    purpose: null,
    ...parts,
  }
}

export function debitOrder(number: number, parts: Partial<DebitOrder> = {}): DebitOrder {
  const mandate = { reference: `MANDATE${number}`, signed_on: day('2026-10-01') }
  return { ...transferOrder(number), mandate, ...parts }
}

export function transferFile(
  orders: readonly TransferOrder[] = [transferOrder(1), transferOrder(2)],
  terms: Partial<TransferFile['groups'][number]> = {},
): TransferFile {
  return {
    kind: 'TRANSFER',
    message_id: idOf(0),
    created_at: CREATED_AT,
    initiator: lender.name,
    groups: [
      {
        kind: 'TRANSFER',
        id: 'GROUP1',
        account: lender,
        requested_on: MONDAY,
        instant: false,
        orders,
        ...terms,
      },
    ],
  }
}

export function debitFile(
  orders: readonly DebitOrder[] = [debitOrder(1), debitOrder(2)],
  terms: Partial<DebitFile['groups'][number]> = {},
  scheme: Scheme = 'B2B',
): DebitFile {
  return {
    kind: 'DEBIT',
    scheme,
    message_id: idOf(0),
    created_at: CREATED_AT,
    initiator: lender.name,
    groups: [
      {
        kind: 'DEBIT',
        id: 'GROUP1',
        account: lender,
        requested_on: MONDAY,
        sequence_type: 'RCUR',
        creditor_identifier: creditorId('FR', '123456'),
        orders,
        ...terms,
      },
    ],
  }
}

/** What a written file says, read back. */
export function readBack(bytes: Uint8Array, profile: BankProfile) {
  const faults: Fault[] = []
  const groups: { terms: Terms; orders: Order[] }[] = []
  const report: Report = (field, rule, detail) => {
    const place = { group: null, order: null, end_to_end_id: null }
    faults.push({ ...place, field, rule, reason_code: '', source: '', detail })
  }
  let head: Pick<OrderFile, 'message_id' | 'created_at' | 'initiator'> | null = null
  readOrderXml(bytes, profile, {
    head: found => {
      head = found
    },
    group: terms => groups.push({ terms, orders: [] }),
    order: order => groups.at(-1)!.orders.push(order),
    report: { file: report, group: report, order: report },
    end: () => faults,
  })
  return { head, groups, faults }
}

const schemas = new URL('../../../../../shared/iso20022/xsd/', import.meta.url)
/** Why written files cannot be validated here; null if they can, or in CI should be. */
export function missingForSchemas(): string | null {
  if (!existsSync(schemas)) return 'the official schemas are not beside the project'
  const is_missing = spawnSync('xmllint', ['--version']).error !== undefined
  return is_missing && process.env.CI !== 'true'
    ? 'xmllint is not installed (Debian: libxml2-utils)'
    : null
}

/** What xmllint says of files of one message; nothing if all are valid. */
export function schemaErrors(message: string, files: readonly Uint8Array[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-order-files-'))
  try {
    const paths = files.map((bytes, index) => {
      const path = join(folder, `${index}.xml`)
      writeFileSync(path, bytes)
      return path
    })
    const schema = fileURLToPath(new URL(`${message}.xsd`, schemas))
    const args = ['--noout', '--nonet', '--schema', schema, ...paths]
    const { stderr, status, error } = spawnSync('xmllint', args, { encoding: 'utf8' })
    if (error) throw error
    if (status === 0) return []
    return stderr.split('\n').filter(line => line !== '' && !line.endsWith(' validates'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
