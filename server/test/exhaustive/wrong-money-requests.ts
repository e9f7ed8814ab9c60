/** Requests about invoices, loans and debtors with several independent faults. */
import { invoiceLoan } from '../support/invoice-loans.ts'
import { validInvoice } from '../support/invoices.ts'
import { plusDays, readyBorrower, requestLoan } from '../support/story.ts'
import {
  type About,
  first,
  IBAN,
  NO_PDF,
  NUMBER,
  PAST,
  UNKNOWN_ID,
  type WrongRequest,
} from './wrong-values.ts'

export async function wrongAboutMoney(about: About): Promise<WrongRequest[]> {
  return [...(await ofLoans(about)), ...(await ofInvoices(about)), ...ofDebtors(about)]
}

async function ofLoans({ app, world, day }: About): Promise<WrongRequest[]> {
  const invoice = await validInvoice()
  const seller = {
    identifier: first(world, 'identifier'),
    account_number: first(world, 'account_number'),
  }
  const loan = invoiceLoan(seller, day, { amount: 1_000 })
  const wrongLoan = {
    amount: -1,
    borrower: { identifier: '552100554' },
    'loan_to.account_number': IBAN,
    to_account: undefined,
    to_pay_at: PAST,
    installments: [{ amount: 1, date: day }],
    invoice_ids: [UNKNOWN_ID],
    invoices: [{ ...invoice, buyer: { identifier: NUMBER }, document: NO_PDF }],
    documents: [{ document_type: 'invoice', document_name: 'x', document_binary_base64: NO_PDF }],
    notification_emails: ['nobody'],
  }
  const { data } = await app.client.listLoans({ status: ['TO_REPAY'] })
  const term = { repayment_date: plusDays(day, 20), repayment_method: 'SCT' }
  const borrower = await readyBorrower(app)
  const waiting = await requestLoan(app, borrower, { amount: 1_000, auto_validate: false })
  return [
    { id: 'createLoan', right: loan, wrong: wrongLoan },
    { id: 'previewLoan', right: loan, wrong: wrongLoan },
    {
      id: 'changeLoan',
      path: { loan_id: waiting.id },
      right: {},
      wrong: {
        amount: -1,
        lender_id: UNKNOWN_ID,
        'loan_to.account_number': IBAN,
        to_pay_at: PAST,
        to_repay_at: PAST,
      },
    },
    {
      id: 'setRepaymentTerms',
      right: {
        repayment_terms: [
          { ...term, loan_id: data[0]!.id },
          { ...term, loan_id: UNKNOWN_ID },
        ],
      },
      wrong: {
        'repayment_terms.0.repayment_date': PAST,
        'repayment_terms.0.reason': 'X',
        'repayment_terms.1.loan_id': '01890000-0000-7000-8000-00000000beef',
        'repayment_terms.1.direct_debit.from_account.account_number': IBAN,
      },
    },
    {
      id: 'repayNow',
      right: { amount: 1, base_callback_url: 'https://example.com' },
      wrong: { amount: 100_000_000_000, base_callback_url: 'x' },
    },
  ]
}

async function ofInvoices({ world }: About): Promise<WrongRequest[]> {
  const invoice = await validInvoice()
  const wrongInvoice = {
    'buyer.identifier': NUMBER,
    'seller.vat_number': 'FR45732829320',
    currency: 'EURO',
    'to_account.account_number': IBAN,
  }
  return [
    { id: 'createInvoice', right: invoice, wrong: { ...wrongInvoice, document: NO_PDF } },
    {
      id: 'updateInvoice',
      path: { invoice_id: first(world, 'invoice_id') },
      right: {},
      wrong: wrongInvoice,
    },
    {
      id: 'submitInvoice',
      path: { invoice_id: first(world, 'invoice_id') },
      right: {},
      wrong: wrongInvoice,
    },
    {
      id: 'fetchLoanDocuments',
      path: { document_type: 'contract' },
      right: {},
      wrong: { loan_ids: [], nobody_knows: 1 },
    },
    {
      id: 'generateSandboxInvoice',
      right: {},
      wrong: { 'seller.identifier': NUMBER, 'buyer.identifier': NUMBER, country: 'X' },
    },
  ]
}

function ofDebtors({ world, day }: About): WrongRequest[] {
  const path = { recollection_case_id: first(world, 'recollection_case_id') }
  const loan_id = first(world, 'loan_id')
  const next_action = { action_name: 'Call', due_at: day }
  const terms = { number_of_installment: 2, start_date: plusDays(day, 20) }
  const parts = [{ loan_id, amount: 100 }]
  const plan = { installments: [{ amount: 100, date: plusDays(day, 400), loans: parts }] }
  const wrongPlan = {
    'installments.0.date': PAST,
    'installments.0.amount': 99,
    salt_id: 7,
  }
  return [
    {
      id: 'createRecollectionCase',
      right: {
        agent: 'Ada',
        debtor_business: { identifier: first(world, 'identifier'), identifier_type: 'siren' },
        loan_ids: [first(world, 'loan_id')],
        next_action,
      },
      wrong: {
        agent: 7,
        'debtor_business.identifier': NUMBER,
        loan_ids: [UNKNOWN_ID],
        bill_ids: [UNKNOWN_ID],
      },
    },
    {
      id: 'computeInstallmentPlan',
      right: { ...terms, loan_ids: [loan_id] },
      wrong: { start_date: PAST, number_of_installment: 0, bill_ids: [UNKNOWN_ID] },
    },
    {
      id: 'computeRecollectionInstallmentPlan',
      path,
      right: terms,
      wrong: { start_date: PAST, number_of_installment: 0 },
    },
    {
      id: 'createRecollectionInstallmentPlan',
      path,
      right: { ...plan, repayment_method: 'SCT' },
      wrong: { ...wrongPlan, payment_method: 'P2P' },
    },
    {
      id: 'createInstallmentPlan',
      right: { ...plan, payment_method: 'SCT' },
      wrong: { ...wrongPlan, 'from_account.account_number': IBAN },
    },
  ]
}
