/** Adds a repayment method that a partner requests. */
import type { AddRepaymentMethodBody } from '@headroom/contract'
import type { Validation } from '../../../context.ts'
import { clearAlert } from '../../../platform/alerts/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import {
  bicOnFile,
  isAccountOfAnother,
  latestAccount,
  NOT_OWNED,
  putAccountOnFile,
} from '../accounts.ts'
import { advanceBorrower } from '../advance-borrower.ts'
import { assertNotClosed } from '../assert-not-closed.ts'
import {
  fullName,
  type RepresentativeInput,
  readBirthDate,
  representativeData,
  representativeOf,
  type StoredDirector,
  withRepresentative,
} from '../directors.ts'
import { FaultCollector } from '../faults.ts'
import { type BankAccount, readAccount, readCountry, readPastMoment } from '../read-fields.ts'
import { type BorrowerRow, updateData } from '../store.ts'
import { findWallet } from '../wallets/wallet-queries.ts'
import type { NewMandate } from './create-mandate.ts'
import { type DirectDebitData, isComplete, missingForDirectDebit } from './direct-debit-data.ts'
import { saveRepaymentMethod } from './enable-method.ts'

/** A request in which malformed fields may be missing. */
type MethodRequest = WellFormed<AddRepaymentMethodBody>

const ACCOUNT_NAMES = {
  iban: 'from_account.account_number',
  bic: 'from_account.bank_identifier',
}

/** A validated method. Data that the request omits comes from the borrower. */
export interface NewMethod {
  readonly borrower: BorrowerRow
  readonly account: BankAccount | null
  readonly wallet: Awaited<ReturnType<typeof readWallet>>
  readonly directors: StoredDirector[]
  readonly business_email: string | null
  readonly mandate: NewMandate | null
}

/**
 * Adds a validated method and returns its id. If the borrower has the same method, returns its id
 * and applies the name and the settings of the request to it.
 */
export async function addRepaymentMethod(
  tx: Tx,
  { borrower, ...read }: NewMethod,
  body: AddRepaymentMethodBody,
): Promise<string> {
  assertNotClosed(borrower)
  const { account, directors, business_email, mandate, wallet } = read
  if (account) {
    const { iban, bic } = account
    await putAccountOnFile(tx, borrower, { account_number: iban, bank_identifier: bic })
  }
  await updateData(tx, borrower, { ...borrower, directors, business_email })
  if (business_email) await clearAlert(tx, 'borrower_without_email', borrower.id)
  const id = await saveRepaymentMethod(
    tx,
    { ...borrower, directors },
    {
      name: body.name ?? null,
      main: body.is_default_repayment_method,
      apply: body.apply_to_all_active_loans,
      mandate,
      wallet,
    },
  )
  await advanceBorrower(tx, { borrower_id: borrower.id, partner_id: borrower.partner_id })
  return id
}

/**
 * Validates a method for a locked borrower. `own` is false if the bank reports another holder of
 * the account. Reports every field that a direct debit lacks.
 */
export async function checkMethod(
  tx: Tx,
  borrower: BorrowerRow,
  body: MethodRequest,
  own: boolean,
): Promise<Validation<NewMethod>> {
  const faults = new FaultCollector()
  const wallet = await readWallet(tx, borrower, body, faults)
  const account = wallet ? null : await readOwnAccount(tx, borrower, body, faults)
  if (account && (!own || (await isAccountOfAnother(tx, borrower, account.iban)))) {
    faults.add(ACCOUNT_NAMES.iban, NOT_OWNED)
  }
  const { representative } = body
  const directors = representative
    ? withRepresentative(
        borrower.directors,
        readRepresentative(representative, tx.today, faults),
        tx.newId,
      )
    : borrower.directors
  const business_email = body.business_email ?? borrower.business_email
  const mandate =
    body.payment_method === 'DIRECT_DEBIT'
      ? readMandate(tx, body, { account, directors, business_email }, faults)
      : null
  const meaning = { borrower, wallet, account, directors, business_email, mandate }
  return { faults: faults.found, meaning }
}

/** The wallet to debit. Null if the method debits no wallet or, with a fault, an unknown one. */
async function readWallet(
  tx: Tx,
  borrower: BorrowerRow,
  { from_account, payment_method }: MethodRequest,
  faults: FaultCollector,
) {
  const type = from_account?.account_number_type ?? null
  const wanted = payment_method === 'P2P' ? 'internal_id' : 'iban'
  if (type !== null && type !== wanted) {
    faults.add('from_account.account_number_type', `is ${wanted} for ${payment_method}`)
  }
  if (payment_method !== 'P2P') return null
  const wallet = await findWallet(tx, borrower, from_account?.account_number ?? null)
  if (wallet) return wallet
  const reason = from_account
    ? NOT_OWNED
    : 'is required: the borrower has no wallet, open one first'
  faults.add(ACCOUNT_NAMES.iban, reason)
  return null
}

/**
 * The account in the request, with its BIC on file if the request gives none. A debit without an
 * account uses the borrower's latest one.
 */
async function readOwnAccount(
  tx: Tx,
  borrower: BorrowerRow,
  { from_account, payment_method }: MethodRequest,
  faults: FaultCollector,
): Promise<BankAccount | null> {
  if (payment_method === 'P2P') return null
  if (!from_account) {
    if (payment_method === 'SCT') return null
    return (await latestAccount(tx, borrower)) ?? null
  }
  const given = { iban: from_account.account_number, bic: from_account.bank_identifier || null }
  const account = readAccount(given, ACCOUNT_NAMES, faults)
  if (!account || account.bic) return account
  return { ...account, bic: await bicOnFile(tx, borrower, account.iban) }
}

/** Reads the representative, leaving out invalid values. */
function readRepresentative(
  given: WellFormed<RepresentativeInput>,
  today: Day,
  faults: FaultCollector,
): RepresentativeInput {
  const name = (field: string) => `representative.${field}`
  const { birth_date, nationality, country_of_residence } = given
  return {
    ...given,
    birth_date: readBirthDate(birth_date, name('birth_date'), today, faults),
    nationality: readCountry(nationality, name('nationality'), faults),
    country_of_residence: readCountry(country_of_residence, name('country_of_residence'), faults),
  }
}

interface Known {
  account: BankAccount | null
  directors: StoredDirector[]
  business_email: string | null
}

function readMandate(
  tx: Tx,
  body: MethodRequest,
  { account, directors, business_email }: Known,
  faults: FaultCollector,
): NewMandate | null {
  const given = body.mandate
  const signed_at = given?.signed_at
    ? readPastMoment(given.signed_at, 'mandate.signed_at', tx.now, faults)
    : tx.now
  const representative = representativeOf(directors)
  const data: DirectDebitData = {
    iban: account?.iban ?? null,
    bic: account?.bic ?? (body.from_account?.bank_identifier || null),
    business_email: business_email ?? representative?.business_email ?? null,
    ...representativeData(representative),
  }
  for (const name of missingForDirectDebit(data)) {
    // An invalid field already has its own fault.
    if (!faults.has(name)) faults.add(name, 'is required for a direct debit')
  }
  if (!isComplete(data) || !signed_at) return null
  const { iban, bic } = data
  const scheme = given?.scheme ?? 'CORE'
  return { iban, bic, scheme, signed_at, signatory: fullName(representative) }
}
