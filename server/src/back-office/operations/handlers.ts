/** The handlers of all back office operations. */
import type { AdminHandlers } from '../../context.ts'
import { bankAccountWork } from './bank-accounts.ts'
import { borrowerWork } from './borrowers.ts'
import { companyWork } from './companies.ts'
import { decisionWork } from './decisions.ts'
import { invoiceWork } from './invoices.ts'
import { loanWork } from './loans.ts'
import { onboardingWork } from './onboardings.ts'
import { oversightHandlers } from './oversight.ts'
import { readPartners } from './partners.ts'
import { portfolioHandlers } from './portfolio.ts'
import { productWork } from './products.ts'
import { recollectionWork } from './recollection.ts'
import { refundWork } from './refunds.ts'
import { reportHandlers } from './reports.ts'
import { searchHandlers } from './search.ts'
import { suspenseWork } from './suspense.ts'
import { switchWork } from './switches.ts'
import { readToday } from './today.ts'
import { workHandlers } from './work.ts'

type Served =
  | 'getToday'
  | 'listPartners'
  | keyof typeof portfolioHandlers
  | keyof typeof oversightHandlers
  | keyof typeof onboardingWork
  | keyof typeof reportHandlers
  | keyof typeof searchHandlers
  | keyof typeof workHandlers
  | keyof typeof borrowerWork
  | keyof typeof companyWork
  | keyof typeof invoiceWork
  | keyof typeof loanWork
  | keyof typeof refundWork
  | keyof typeof recollectionWork
  | keyof typeof decisionWork
  | keyof typeof suspenseWork
  | keyof typeof bankAccountWork
  | keyof typeof productWork
  | keyof typeof switchWork

export const deskHandlers: Pick<AdminHandlers, Served> = {
  getToday: (tx, _, { ports }) => readToday(tx, ports.compliance.is_decided_in_files),
  listPartners: (tx, { query, path }) => readPartners(tx, { ...query, path }),
  ...portfolioHandlers,
  ...oversightHandlers,
  ...onboardingWork,
  ...reportHandlers,
  ...searchHandlers,
  ...workHandlers,
  ...borrowerWork,
  ...companyWork,
  ...invoiceWork,
  ...loanWork,
  ...refundWork,
  ...recollectionWork,
  ...decisionWork,
  ...suspenseWork,
  ...bankAccountWork,
  ...switchWork,
  ...productWork,
}
