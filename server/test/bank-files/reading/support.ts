/** Writes small bank files for the tests, and reads them. */
import { existsSync, readFileSync } from 'node:fs'
import {
  type BankFileItem,
  readBankFile,
} from '../../../src/integrations/bank-files/reading/read-bank-file.ts'
import {
  type BankFileSummary,
  summarizeBankFile,
} from '../../../src/integrations/bank-files/reading/summary.ts'

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:'

export const namespaceOf = (message: string) => `${NAMESPACE}${message}`

/** Real bank files that lie beside the project, if they are there. */
const folder = new URL('../../../../../shared/iso20022/samples/', import.meta.url)
export const hasSamples = existsSync(folder)

export function sample(name: string): Buffer {
  return readFileSync(new URL(name, folder))
}

export async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export function summaryOf(file: string | Uint8Array, size = 65_536): Promise<BankFileSummary> {
  return summarizeBankFile(inPieces(Buffer.from(file), size))
}

export async function itemsOf(file: string | Uint8Array): Promise<BankFileItem[]> {
  const items: BankFileItem[] = []
  for await (const item of readBankFile(inPieces(Buffer.from(file), 65_536))) items.push(item)
  return items
}

type Kind = BankFileItem['kind']
type Item<K extends Kind> = Extract<BankFileItem, { kind: K }>

export async function itemsOfKind<K extends Kind>(
  file: string | Uint8Array,
  kind: K,
): Promise<Item<K>[]> {
  return (await itemsOf(file)).filter((item): item is Item<K> => item.kind === kind)
}

export const HEADER = '<GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-11-02T06:00:00</CreDtTm></GrpHdr>'
const CREATED = '<CreDtTm>2026-11-02T06:00:00</CreDtTm>'
export const ACCOUNT =
  '<Acct><Id><IBAN>NL91ABNA0417164300</IBAN></Id><Ccy>EUR</Ccy><Nm>Lender</Nm></Acct>'

export const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'

export function document(message: string, content: string): string {
  return `<Document xmlns="${NAMESPACE}${message}">${content}</Document>`
}

export function statementOf(content: string, id = 'S1'): string {
  return `<Stmt><Id>${id}</Id>${CREATED}${ACCOUNT}${content}</Stmt>`
}

/** A camt.053.001.02 with these statements. */
export function camt053(...statements: string[]): string {
  const content = `<BkToCstmrStmt>${HEADER}${statements.join('')}</BkToCstmrStmt>`
  return XML + document('camt.053.001.02', content)
}

/** A camt.053.001.02 with one statement of this content. */
export const statementFile = (...content: string[]) => camt053(statementOf(content.join('')))

export function balance(type: string, amount: string, currency = 'EUR', day = '2026-11-01') {
  const sign = amount.startsWith('-') ? 'DBIT' : 'CRDT'
  return (
    `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp>` +
    `<Amt Ccy="${currency}">${amount.replace('-', '')}</Amt><CdtDbtInd>${sign}</CdtDbtInd>` +
    `<Dt><Dt>${day}</Dt></Dt></Bal>`
  )
}

interface EntryParts {
  currency?: string
  code?: string
  reversal?: string
  rest?: string
}

const TRANSFER =
  '<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>'

/** An entry of `amount`, a debit if negative, with `rest` after its transaction code. */
export function entry(amount: string, state = 'BOOK', parts: EntryParts = {}): string {
  const { currency = 'EUR', code = TRANSFER, reversal, rest = '' } = parts
  const sign = amount.startsWith('-') ? 'DBIT' : 'CRDT'
  return (
    `<Ntry><Amt Ccy="${currency}">${amount.replace('-', '')}</Amt><CdtDbtInd>${sign}</CdtDbtInd>` +
    `${reversal === undefined ? '' : `<RvslInd>${reversal}</RvslInd>`}<Sts>${state}</Sts>` +
    `<BookgDt><Dt>2026-11-01</Dt></BookgDt><ValDt><Dt>2026-11-02</Dt></ValDt>${code}${rest}</Ntry>`
  )
}

export const withDetails = (...details: string[]) => ({
  rest: `<NtryDtls>${details.map(detail => `<TxDtls>${detail}</TxDtls>`).join('')}</NtryDtls>`,
})
