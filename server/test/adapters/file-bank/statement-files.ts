/** Writes the bank's statements (camt.053) and notifications (camt.054) for the tests. */
import { endToEndIdOf } from '../../../src/integrations/bank-files/index.ts'
import { toDecimal } from '../../../src/platform/kit/money.ts'

export interface TestDetail {
  /** In cents; left out if the bank does not say. */
  readonly amount?: bigint
  readonly sign?: 'CRDT' | 'DBIT'
  /** The payment that it is about, or the id as the bank writes it. */
  readonly payment_id?: string
  readonly end_to_end_id?: string
  readonly reference?: string
  readonly text?: string
  readonly debtor?: { readonly name: string; readonly iban: string }
  /** The account that was credited, such as a virtual one. */
  readonly creditor_iban?: string
  /** A reason in RtrInf. */
  readonly returned_for?: string
  readonly bank_text?: string
  readonly subfamily?: string
}

export interface TestEntry {
  /** In cents; negative if the money left. */
  readonly amount: bigint
  readonly status?: string
  readonly details?: readonly TestDetail[]
  readonly is_reversal?: boolean
  /** The message id of the file that the entry books. */
  readonly batch?: string
  readonly subfamily?: string
  /** Of the bank transaction code, such as IDDT for collected debits. */
  readonly family?: string
  /** The bank's own transaction code, instead of one of ISO 20022. */
  readonly own_code?: string
  readonly text?: string
  /** Included in the amount, in cents. */
  readonly charge?: bigint
  readonly bank_reference?: string
  readonly on?: string
}

export interface TestStatement {
  readonly id: string
  readonly account: string
  readonly opening?: bigint
  readonly entries: readonly TestEntry[]
  /** Instead of the balance that ties. */
  readonly closing?: bigint
  readonly day?: string
  /** The bank's number of the statement. */
  readonly number?: number
  /** Of several, which have intermediate balances between them. */
  readonly page?: readonly [page: number, pages: number]
}

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:'

export function statementFile(...statements: readonly TestStatement[]): string {
  return fileOf('camt.053.001.08', 'BkToCstmrStmt', statements.map(statementXml))
}

export function notificationFile(...notifications: readonly TestStatement[]): string {
  const content = notifications.map(({ id, account, entries }) => {
    return `<Ntfctn><Id>${id}</Id>${accountXml(account)}${entries.map(entryXml).join('')}</Ntfctn>`
  })
  return fileOf('camt.054.001.08', 'BkToCstmrDbtCdtNtfctn', content)
}

function fileOf(message: string, root: string, content: readonly string[]): string {
  const header = '<GrpHdr><MsgId>M1</MsgId><CreDtTm>2027-01-12T06:00:00Z</CreDtTm></GrpHdr>'
  return `<?xml version="1.0" encoding="UTF-8"?>
    <Document xmlns="${NAMESPACE}${message}"><${root}>
    ${header}${content.join('')}</${root}></Document>`
}

function statementXml(statement: TestStatement): string {
  const { id, account, entries, opening = 1_000_000n, day = '2027-01-11' } = statement
  const booked = entries.filter(({ status = 'BOOK' }) => status === 'BOOK')
  const sum = booked.reduce((all, { amount }) => all + amount, opening)
  const [page, pages] = statement.page ?? [1, 1]
  const balances =
    balanceXml('OPBD', opening, day, page > 1) +
    balanceXml('CLBD', statement.closing ?? sum, day, page < pages)
  const last = `<LastPgInd>${page === pages}</LastPgInd>`
  const paging = `<StmtPgntn><PgNb>${page}</PgNb>${last}</StmtPgntn>`
  const number = optional('ElctrncSeqNb', statement.number?.toString())
  return `<Stmt><Id>${id}</Id>${pages > 1 ? paging : ''}${number}${accountXml(account)}${balances}
    ${entries.map(entryXml).join('')}</Stmt>`
}

function accountXml(iban: string): string {
  return `<CreDtTm>2027-01-12T06:00:00Z</CreDtTm><Acct><Id><IBAN>${iban}</IBAN></Id></Acct>`
}

const signOf = (cents: bigint) => (cents < 0n ? 'DBIT' : 'CRDT')
const absolute = (cents: bigint) => toDecimal(cents < 0n ? -cents : cents)

function balanceXml(type: string, cents: bigint, day: string, is_between: boolean): string {
  const subtype = is_between ? '<SubTp><Cd>INTM</Cd></SubTp>' : ''
  return `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry>${subtype}</Tp>
    <Amt Ccy="EUR">${absolute(cents)}</Amt><CdtDbtInd>${signOf(cents)}</CdtDbtInd>
    <Dt><Dt>${day}</Dt></Dt></Bal>`
}

const optional = (name: string, text: string | undefined) =>
  text === undefined ? '' : `<${name}>${text}</${name}>`

function entryXml(entry: TestEntry): string {
  const { amount, status = 'BOOK', details = [], batch, charge, on = '2027-01-11' } = entry
  const charges =
    charge === undefined
      ? ''
      : `<Chrgs><Rcrd><Amt Ccy="EUR">${toDecimal(charge)}</Amt>
        <ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>`
  const of_batch = batch === undefined ? '' : `<Btch><PmtInfId>${batch}</PmtInfId></Btch>`
  const inside = of_batch + details.map(detailXml).join('')
  return `<Ntry><Amt Ccy="EUR">${absolute(amount)}</Amt><CdtDbtInd>${signOf(amount)}</CdtDbtInd>
    ${optional('RvslInd', entry.is_reversal === undefined ? undefined : String(entry.is_reversal))}
    <Sts><Cd>${status}</Cd></Sts><BookgDt><Dt>${on}</Dt></BookgDt><ValDt><Dt>${on}</Dt></ValDt>
    ${optional('AcctSvcrRef', entry.bank_reference)}
    ${codesOf(entry)}
    ${charges}
    ${inside === '' ? '' : `<NtryDtls>${inside}</NtryDtls>`}
    ${optional('AddtlNtryInf', entry.text)}</Ntry>`
}

/** The bank's own code of an entry, else its ISO code. */
function codesOf({ own_code, subfamily = 'ESCT', family }: TestEntry): string {
  return own_code ? ownCodeXml(own_code) : codeXml(subfamily, family)
}

function codeXml(subfamily: string, family = 'RCDT'): string {
  return `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>${family}</Cd>
    <SubFmlyCd>${subfamily}</SubFmlyCd></Fmly></Domn></BkTxCd>`
}

function ownCodeXml(code: string): string {
  return `<BkTxCd><Prtry><Cd>${code}</Cd></Prtry></BkTxCd>`
}

function detailXml(detail: TestDetail): string {
  const { amount, payment_id, debtor, creditor_iban, reference, returned_for } = detail
  const id = detail.end_to_end_id ?? (payment_id ? endToEndIdOf(payment_id) : 'NOTPROVIDED')
  const parties =
    (debtor
      ? `<Dbtr><Pty><Nm>${debtor.name}</Nm></Pty></Dbtr>
         <DbtrAcct><Id><IBAN>${debtor.iban}</IBAN></Id></DbtrAcct>`
      : '') + (creditor_iban ? `<CdtrAcct><Id><IBAN>${creditor_iban}</IBAN></Id></CdtrAcct>` : '')
  const structured = reference
    ? `<Strd><CdtrRefInf><Tp><CdOrPrtry><Cd>SCOR</Cd></CdOrPrtry></Tp>
       <Ref>${reference}</Ref></CdtrRefInf></Strd>`
    : ''
  const remittance = optional('Ustrd', detail.text) + structured
  return `<TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs>
    ${amount === undefined ? '' : `<Amt Ccy="EUR">${toDecimal(amount)}</Amt>`}
    ${optional('CdtDbtInd', detail.sign)}${detail.subfamily ? codeXml(detail.subfamily) : ''}
    ${parties === '' ? '' : `<RltdPties>${parties}</RltdPties>`}
    ${remittance === '' ? '' : `<RmtInf>${remittance}</RmtInf>`}
    ${returned_for ? `<RtrInf><Rsn><Cd>${returned_for}</Cd></Rsn></RtrInf>` : ''}
    ${optional('AddtlTxInf', detail.bank_text)}</TxDtls>`
}
