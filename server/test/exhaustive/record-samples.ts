/** A valid body for every operation of the record that takes one, with the data that it needs. */
import type { OperationId } from '@headroom/contract'
import type { TestApp } from '../support/app.ts'
import { activeCard } from '../support/cards.ts'
import { validInvoice } from '../support/invoices.ts'
import { agree } from '../support/partner-terms.ts'
import { openCase } from '../support/recollection.ts'
import {
  plusDays,
  type ReadyBorrower,
  readyBorrower,
  requestLoan,
  today,
} from '../support/story.ts'
import { frenchNumbers, type Sample, SIREN } from './record-making.ts'

type Samples = Partial<Record<OperationId, Sample>>

const MAIL = 'ada@example.com'

/** An invoice sent by a company, or received if the direction says so. */
function sharedInvoice(company: object, at: string): object {
  const received = /direction=(payable|supplier)/.test(at)
  const [seller, buyer] = received ? [SIREN, company] : [company, SIREN]
  const days = { issued_at: '2026-07-01', due_at: '2026-07-31T00:00:00Z' }
  const direction = received ? 'supplier' : 'customer'
  return { seller, buyer, ...days, direction, invoice_number: 'S-1', net_amount: 5_000 }
}

async function ofCompanies(app: TestApp): Promise<Samples> {
  const { client } = app
  const borrower = await readyBorrower(app)
  const { identifier, identifier_type } = borrower
  const company = { identifier, identifier_type }
  const path = { borrower_id: borrower.id }
  const open = () =>
    client.createDataBatch({
      business_identifier: { identifier, identifier_type: identifier_type! },
      content: {},
      context: 'DATA_REFRESH',
    })
  const { id: batch_id } = await open()
  const shared = { hints: { batch_id }, numbers: frenchNumbers(identifier) }
  const at = new Date().toISOString()
  const owner = { first_name: 'Ada', last_name: 'Byron', email: 'ada@example.com' }
  return {
    createBorrower: {
      make: async at => {
        const { vat_number, bank_identifier, ...body } = await client.generateSandboxBusiness({})
        return { body: at === 'vat_number' ? { ...body, vat_number } : body }
      },
    },
    addRepaymentMethod: {
      make: () => ({
        path,
        body: {
          payment_method: 'DIRECT_DEBIT',
          is_default_repayment_method: true,
          apply_to_all_active_loans: false,
        },
      }),
      hints: { account_number: borrower.account_number },
    },
    signBorrower: {
      make: async () => {
        const { id } = await client.createBorrower(await client.generateSandboxBusiness({}))
        return { path: { borrower_id: id }, body: { signed_at: at } }
      },
    },
    createOwner: { make: () => ({ path, body: owner }) },
    createCounterparty: { make: () => ({ body: { ...SIREN, relation_types: ['CLIENT'] } }) },
    createOnboarding: { make: () => ({ body: { preferred_language: 'fr' } }) },
    checkBorrowerEligibility: { make: () => ({ body: SIREN }) },
    checkBeneficiaryEligibility: { make: () => ({ body: SIREN }) },
    setSandboxEligibility: {
      make: () => ({ body: { business_identifier: SIREN, scenario: 'OK' } }),
    },
    createDataBatch: {
      make: async () => {
        const body = { business_identifier: SIREN, content: {}, context: 'DATA_REFRESH' as const }
        // A batch is already open before each request.
        await client.createDataBatch(body)
        return { body }
      },
    },
    shareAccounts: { ...shared, make: () => ({ body: { ...company, accounts: [] } }) },
    shareTransactions: { ...shared, make: () => ({ body: { ...company, transactions: [] } }) },
    shareInvoices: {
      ...shared,
      make: at => ({ body: { ...company, invoices: [sharedInvoice(company, at)] } }),
    },
  }
}

/** Bodies about invoices, cards and webhooks. */
async function ofInvoices(app: TestApp): Promise<Samples> {
  const { client } = app
  const invoice = await client.createInvoice(await validInvoice())
  const { id: card_id } = await activeCard(app)
  const hook = { name: 'all', to_url: 'https://example.com/hook', event_types: ['Loan.CLOSED'] }
  const webhook = await client.createWebhook({ ...hook, event_types: ['Loan.CLOSED'] })
  return {
    createWebhook: { make: () => ({ body: hook }) },
    updateWebhook: { make: () => ({ path: { webhook_id: webhook.id! }, body: hook }) },
    createInvoice: { make: async () => ({ body: await validInvoice() }) },
    updateInvoice: { make: () => ({ path: { invoice_id: invoice.id }, body: {} }) },
    submitInvoice: {
      make: async () => {
        const draft = await client.createInvoice({ ...(await validInvoice()), is_draft: true })
        return { path: { invoice_id: draft.id }, body: {} }
      },
    },
    generateSandboxInvoice: { make: () => ({ body: {} }) },
    updateCardStatus: { make: () => ({ path: { card_id }, body: { status: 'active' } }) },
  }
}

/** A loan request with the fields that the place to vary requires, such as installments. */
async function loanRequest(app: TestApp, borrower: ReadyBorrower): Promise<Sample> {
  const { client } = app
  const { account_number, identifier } = borrower
  const day = await today(app)
  const { document } = await validInvoice()
  const invoiceWithLoan = async () => ({
    ...(await validInvoice()),
    seller: { identifier },
    to_account: { account_number },
  })
  const declared = async () => client.createInvoice(await invoiceWithLoan())
  const time_sheet = { document_binary_base64: document, document_name: 'paper.pdf' }
  const inParts = {
    installment_plan_type: 'INSTALLMENTS',
    installments: [10, 30].map(days => ({ amount: 500, date: plusDays(day, days) })),
  }
  const { data } = await client.listBorrowerFinancialProducts({ borrower_id: borrower.id })
  const product = data.find(one => one.financial_product.product_type === 'WALLET_FINANCING')!
  return {
    hints: { account_number, identifier },
    numbers: frenchNumbers(identifier),
    make: async at => ({
      body: {
        ...(/^invoices|INVOICE/.test(at) && { invoices: [await invoiceWithLoan()] }),
        ...(at === 'invoice_ids[]' && { invoice_ids: [(await declared()).id] }),
        ...(/^attachments\[/.test(at) && {
          attachments: [{ document_type: 'time_sheet', time_sheet }],
        }),
        ...(/^installments\[|=INSTALLMENTS/.test(at) && inParts),
        ...(at === 'borrower_financial_product_id' && { [at]: product.id }),
        loan_type: at.startsWith('invoice') ? 'INVOICE_BASED_FINANCING' : 'WALLET_FINANCING',
        amount: 1_000,
        borrower: { identifier },
        loan_to: { account_number },
        to_pay_at: day,
        to_repay_at: plusDays(day, 30),
        auto_validate: true,
        wait_for_validation: true,
        salt_id: crypto.randomUUID(),
      },
    }),
  }
}

async function ofLoans(app: TestApp): Promise<Samples> {
  const borrower = await readyBorrower(app)
  const createLoan = await loanRequest(app, borrower)
  const day = await today(app)
  const held = await requestLoan(app, borrower, { amount: 1_000, auto_validate: false })
  const running = await requestLoan(app, borrower, { amount: 1_000 })
  await app.drain()
  const changes = { to_pay_at: plusDays(day, 1), to_repay_at: plusDays(day, 20) }
  const terms = { loan_id: running.id, repayment_date: plusDays(day, 30) }
  const sct = { to_account: running.repayment_to }
  return {
    createLoan,
    changeLoan: {
      ...createLoan,
      hints: { ...createLoan.hints, ...changes },
      make: () => ({ path: { loan_id: held.id }, body: {} }),
    },
    setRepaymentTerms: {
      ...createLoan,
      make: at => {
        const repayment_method = at.includes('direct_debit') ? 'DIRECT_DEBIT' : 'SCT'
        const term = { ...terms, repayment_method, ...(at.includes('.sct') && { sct }) }
        return { body: { repayment_terms: [term] } }
      },
    },
    fetchLoanDocuments: {
      hints: { to_pay_at_to: plusDays(day, 10) },
      make: () => ({ path: { document_type: 'contract' }, body: { loan_ids: [running.id] } }),
    },
    repayNow: { make: () => ({ body: { amount: 500, base_callback_url: 'https://example.com' } }) },
  }
}

/** More than the variants of `createRecollectionCase`, each of which uses up a loan. */
const LOANS = 40

async function ofDebtors(app: TestApp): Promise<Samples> {
  const { client } = app
  const borrower = await readyBorrower(app)
  const { identifier, identifier_type, account_number } = borrower
  const requests = Array.from({ length: LOANS }, () =>
    requestLoan(app, borrower, { amount: 5_000 }),
  )
  const loans = (await Promise.all(requests)).map(loan => loan.id)
  await app.drain()
  const [inCase, planned] = loans.splice(0, 2) as [string, string]
  const opened = await openCase(app, borrower, { loan_ids: [inCase] })
  const path = { recollection_case_id: opened.id }
  const start_date = plusDays(await today(app), 10)
  const terms = { number_of_installment: 2, start_date }
  const next_action = { action_name: 'Call', due_at: '2030-01-02' }
  const debtor_business = { identifier, identifier_type }
  const { installments } = await client.computeInstallmentPlan({ ...terms, loan_ids: [planned] })
  return {
    createRecollectionCase: {
      // A loan can be in only one open case.
      make: () => {
        const loan_ids = [loans.pop()]
        return { body: { agent: 'Ada', debtor_business, loan_ids, next_action } }
      },
      numbers: frenchNumbers(identifier),
    },
    updateRecollectionCase: { make: () => ({ path, body: { recollection_notes: {} } }) },
    computeRecollectionInstallmentPlan: { make: () => ({ path, body: terms }) },
    createRecollectionInstallmentPlan: {
      make: async () => {
        const computed = await client.computeRecollectionInstallmentPlan({ ...path, ...terms })
        return { path, body: { ...computed, repayment_method: undefined } }
      },
    },
    createInstallmentPlan: {
      make: () => ({
        body: {
          payment_method: 'SCT',
          installments: installments.map(({ amount, date, loans }) => ({ amount, date, loans })),
        },
      }),
      hints: { account_number },
    },
  }
}

/** A bill of a partner that sends its own bills, after a month-end. */
async function ofBills(app: TestApp): Promise<Samples> {
  await agree(app, { fees_mode: 'CHARGED', sends_bills: true })
  await requestLoan(app, await readyBorrower(app, 'SCT'), { amount: 100_000 })
  await app.client.advanceSandboxClock({ days: 33 })
  const { data } = await app.client.listBills({})
  const path = { bill_id: data[0]!.id }
  const sent_on = await today(app)
  return { noteBillSent: { make: () => ({ path, body: { sent_on, to_email_addresses: [MAIL] } }) } }
}

export async function samplesOf(app: TestApp): Promise<Samples> {
  return {
    // First, because it moves the clock.
    ...(await ofBills(app)),
    ...(await ofCompanies(app)),
    ...(await ofInvoices(app)),
    ...(await ofLoans(app)),
    ...(await ofDebtors(app)),
  }
}
