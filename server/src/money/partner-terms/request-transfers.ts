/** Mails borrowers transfer instructions for debts that no debit collects. */
import { lenderOf, toTransferMail } from '../../integrations/documents/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { mailBorrowers } from './write-to-borrowers.ts'

type TransferMailInput = Parameters<typeof toTransferMail>[0]

export interface TransferRequest {
  readonly partner_id: string
  readonly borrower_id: string
  readonly debt: Omit<TransferMailInput['debt'], 'iban'>
  readonly is_reopened?: TransferMailInput['is_reopened']
}

export async function requestTransfers(
  tx: Tx,
  requests: readonly TransferRequest[],
): Promise<void> {
  const { lender } = tx.settings
  await mailBorrowers(
    tx,
    requests.map(({ partner_id, borrower_id, debt, is_reopened = false }) => ({
      partner_id,
      borrower_id,
      also: [],
      draft: reader => ({
        ...toTransferMail({
          language: reader.preferred_language,
          lender: lenderOf(lender),
          recipient: reader.name,
          account_holder: lender.name,
          debt: { ...debt, iban: lender.collection_iban },
          is_reopened,
        }),
        document_ids: [],
      }),
    })),
  )
}
