/** Words of the mails in Dutch. */
import type { MailTexts } from './keys.ts'

export const nl: MailTexts = {
  greeting: recipient => `Beste ${recipient},`,
  closing: 'Met vriendelijke groet',
  questions: email => `Vragen? Schrijf naar ${email}.`,
  contract_ready: {
    subject: reference => `Uw lening ${reference} is goedgekeurd`,
    body: 'Uw lening is goedgekeurd. De leningsovereenkomst is bijgevoegd; bewaar haar goed.',
  },
  bill_sent: {
    subject: (number, period) => `Rentenota ${number}, ${period}`,
    body: period => `Bijgevoegd vindt u de rentenota voor de periode ${period}.`,
    debited: (amount, day, mandate) => `Op ${day} wordt ${amount} van uw rekening afgeschreven met
      machtiging ${mandate}. U hoeft niets te doen; zorg alstublieft voor voldoende saldo.`,
    transfer: day => `Maak het bedrag alstublieft zo over dat het uiterlijk op ${day} binnen is:`,
    wallet: day => `Het bedrag wordt op ${day} van uw wallet afgeschreven.`,
    nothing: 'Er hoeft niets te worden betaald.',
  },
  payout_done: {
    subject: reference => `Uw lening ${reference} is uitbetaald`,
    body: (amount, day) => `Op ${day} hebben wij ${amount} op uw rekening uitbetaald. Vanaf die dag
      loopt de rente.`,
  },
  repaid: {
    subject: reference => `Uw lening ${reference} is terugbetaald`,
    body: (
      amount,
      day,
    ) => `De hoofdsom van uw lening, ${amount}, is op ${day} volledig terugbetaald.
      Vanaf die dag loopt er geen rente meer. Hartelijk dank.`,
    interest: amount => `Er staat nog ${amount} rente open; die komt op uw volgende nota.`,
    closed: 'Op deze lening is niets meer verschuldigd.',
  },
  postponed: {
    subject: reference => `Uw lening ${reference} wordt later terugbetaald`,
    body: (before, day) => `zoals afgesproken vervalt uw lening nu op ${day} in plaats van op
      ${before}. Tot de terugbetaling loopt de rente door. Uitstel kan één keer.`,
  },
  labels: {
    loan: 'Lening',
    amount: 'Bedrag',
    payout_on: 'Uitbetaaldatum',
    repay_on: 'Terugbetaaldatum',
    interest_estimated: 'Rente bij terugbetaling zoals afgesproken',
    account: 'Rekening',
    bill: 'Nota',
    to_pay: 'Te betalen',
    due_on: 'Vervaldatum',
  },
}
