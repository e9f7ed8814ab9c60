/** Sixth chapter: an invoice, a card, and items that need attention in the console. */

import { euros, expect, printChapter, printStep } from './output.ts'
import {
  type GeneratedCompany,
  generateCompany,
  loanIn,
  plusDays,
  type Story,
  today,
} from './story.ts'

const INVOICE_SHARE = 2
const ODD = 12_345
const SPENT = 4_250
const HELD = 1_800

/** Finances an invoice, spends by card and leaves open work, so that the console has data. */
export async function waitingWork(
  story: Story,
  company: GeneratedCompany & { borrower_id: string },
): Promise<void> {
  printChapter('An invoice, a card, and work for people')
  await financeInvoice(story, company)
  await spendByCard(story, company.borrower_id)
  await proposeByAgent(story, company.borrower_id)
  await createPendingWork(story)
  printStep(`It all waits in the console: ${story.base_url}/console`)
}

/** Finances part of an invoice that the buyer has not paid yet. */
async function financeInvoice(story: Story, { identifier, account_number }: GeneratedCompany) {
  const { client } = story
  const { invoice_creation_payload: made } = await client.generateSandboxInvoice({
    seller: { identifier },
  })
  const from = await today(story)
  const { id } = await client.createInvoice({
    ...made,
    is_draft: false,
    issued_at: from,
    due_at: plusDays(from, 60),
    to_account: { account_number },
  })
  const amount = Math.floor(made.total_amount / INVOICE_SHARE)
  const { id: loan_id } = await client.createLoan({
    loan_type: 'INVOICE_BASED_FINANCING',
    amount,
    borrower: { identifier },
    loan_to: { account_number },
    invoice_ids: [id],
    to_pay_at: from,
    to_repay_at: plusDays(from, 60),
    auto_validate: true,
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
  })
  await loanIn(story, loan_id, 'TO_REPAY')
  printStep(`Of an invoice of ${euros(made.total_amount)}, ${euros(amount)} are paid upfront.`)
}

async function spendByCard({ client }: Story, borrower_id: string): Promise<void> {
  const { id: card_id } = await client.createCard({
    borrower_id,
    first_name: 'Léa',
    last_name: 'Moreau',
  })
  await client.updateCardStatus({ card_id, status: 'active' })
  const send = (merchant_name: string, amount: number) =>
    client.authorizeSandboxCard({ card_id, amount, currency: 'EUR', merchant_name })
  const { authorization_id } = await send('Papeterie du Port', SPENT)
  await client.clearSandboxAuthorization({ authorization_id })
  await send('Gare de Nantes', HELD)
  const refused = await send('Yachts & Fils', 9_000_000)
  expect('a card beyond its line', refused.approved, false)
  const { balance } = await client.getCard({ card_id })
  expect('used and held', [balance.used, balance.pending], [SPENT, HELD])
  printStep(`Its card pays ${euros(SPENT)}, ${euros(HELD)} are held, and 90,000.00 € are declined.`)
}

async function proposeByAgent({ agent }: Story, borrower_id: string): Promise<void> {
  const decision = await agent.proposeDecision({
    title: 'Write to this company in English',
    rationale: 'Its accountant has asked for it by mail.',
    operations: [
      { method: 'PATCH', path: `/borrower/${borrower_id}`, body: { preferred_language: 'en' } },
    ],
  })
  expect('what an agent wants', decision.status, 'PROPOSED')
  printStep('An agent wants to change a language. It may, once a person approves the decision.')
}

/** Leaves an unmatched payment, a company to review and one that was only invited. */
async function createPendingWork(story: Story): Promise<void> {
  const { client } = story
  // Uses a wallet loan, because a transfer to an invoice loan's account is matched by the account
  // number.
  const { data } = await client.listLoans({ loan_type: ['WALLET_FINANCING'], page_size: 1 })
  await client.createSandboxIncomingTransfer({
    to_iban: data[0]!.repayment_to.account_number,
    amount: ODD,
    from_name: 'Atelier Unbekannt',
    reference: 'thank you',
  })
  printStep(
    `${euros(ODD)} come in that name nothing: they wait in suspense, matched by nobody's guess.`,
  )
  const company = await generateCompany(story, 'FRA')
  const { id: borrower_id } = await client.createBorrower(company)
  await client.setSandboxKyb({ borrower_id, status: 'REVIEWING' })
  await client.signBorrower({ borrower_id, signed_at: new Date().toISOString() })
  const { secure_resume_link } = await client.createOnboarding({ preferred_language: 'fr' })
  printStep('A company waits for its KYB review. Another one is invited to onboard itself:')
  printStep(`    ${secure_resume_link}`)
}
