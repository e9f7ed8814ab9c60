/** The SEPA mandate's texts in English (EPC130-08 and EPC131-08). */
import type { MandateTexts } from './keys.ts'

export const en: MandateTexts = {
  title: {
    CORE: 'SEPA Direct Debit Mandate',
    B2B: 'SEPA Business-to-Business Direct Debit Mandate',
  },
  authorisation: {
    CORE: creditor => `By signing this mandate form, you authorise (A) ${creditor} to send
      instructions to your bank to debit your account and (B) your bank to debit your account in
      accordance with the instructions from ${creditor}. As part of your rights, you are entitled to
      a refund from your bank under the terms and conditions of your agreement with your bank. A
      refund must be claimed within 8 weeks starting from the date on which your account was
      debited.`,
    B2B: creditor => `By signing this mandate form, you authorise (A) ${creditor} to send
      instructions to your bank to debit your account and (B) your bank to debit your account in
      accordance with the instructions from ${creditor}. This mandate is only intended for
      business-to-business transactions. You are not entitled to a refund from your bank after your
      account has been debited, but you are entitled to request your bank not to debit your account
      up until the day on which the payment is due.`,
  },
  note: {
    CORE: 'Your rights are explained in a statement that you can obtain from your bank.',
    B2B: `Please give a copy of this mandate to your bank before the first debit: it must know the
      mandate to carry the debit out.`,
  },
  creditor: 'Creditor',
  debtor: 'Debtor',
  account: 'Account to be debited',
  payment_type: 'Type of payment',
  recurrent: 'Recurrent',
  signed_on: 'Date of signature',
  signatory: 'Signed by',
  signature: 'Signature of the debtor',
  electronic: 'Signed electronically',
}
