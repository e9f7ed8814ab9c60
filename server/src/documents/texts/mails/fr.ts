/** Words of the mails in French. */
import type { MailTexts } from './keys.ts'

export const fr: MailTexts = {
  greeting: recipient => `Bonjour ${recipient},`,
  closing: 'Cordialement',
  questions: email => `Une question ? Écrivez à ${email}.`,
  contract_ready: {
    subject: reference => `Votre prêt ${reference} est approuvé`,
    body: 'Votre prêt est approuvé. Le contrat de prêt est joint ; merci de le conserver.',
  },
  bill_sent: {
    subject: (number, period) => `Facture d’intérêts ${number}, ${period}`,
    body: period => `Vous trouverez ci-joint la facture d’intérêts ${period}.`,
    debited: (
      amount,
      day,
      mandate,
    ) => `${amount} seront prélevés sur votre compte le ${day} au titre
      du mandat ${mandate}. Vous n’avez rien à faire ; merci de veiller à la provision du compte.`,
    transfer: day => `Merci de virer le montant de sorte qu’il arrive au plus tard le ${day} :`,
    wallet: day => `Le montant est débité de votre portefeuille dédié le ${day}.`,
    nothing: 'Il ne reste rien à payer.',
  },
  payout_done: {
    subject: reference => `Votre prêt ${reference} est versé`,
    body: (amount, day) => `Nous avons versé ${amount} sur votre compte le ${day}. Les intérêts
      courent à compter de ce jour.`,
  },
  repaid: {
    subject: reference => `Votre prêt ${reference} est remboursé`,
    body: (
      amount,
      day,
    ) => `Le capital de votre prêt, soit ${amount}, est entièrement remboursé depuis
      le ${day}. À compter de ce jour, il ne porte plus intérêt. Merci.`,
    interest: amount =>
      `Il reste ${amount} d’intérêts, qui figureront sur votre prochaine facture.`,
    closed: 'Plus rien n’est dû sur ce prêt.',
  },
  postponed: {
    subject: reference => `L’échéance de votre prêt ${reference} est reportée`,
    body: (
      before,
      day,
    ) => `Comme convenu, votre prêt est désormais à rembourser le ${day} au lieu du
      ${before}. Les intérêts courent jusqu’au remboursement. Un seul report est possible.`,
  },
  labels: {
    loan: 'Prêt',
    amount: 'Montant',
    payout_on: 'Date de versement',
    repay_on: 'Date de remboursement',
    interest_estimated: 'Intérêts en cas de remboursement à la date convenue',
    account: 'Compte',
    bill: 'Facture',
    to_pay: 'Montant à payer',
    due_on: 'Échéance',
  },
}
