/** Words of the mails in German. */
import type { MailTexts } from './keys.ts'

export const de: MailTexts = {
  greeting: recipient => `Guten Tag ${recipient},`,
  closing: 'Freundliche Grüße',
  questions: email => `Fragen? Schreiben Sie an ${email}.`,
  contract_ready: {
    subject: reference => `Ihr Kredit ${reference} ist bewilligt`,
    body: `Ihr Kredit ist bewilligt. Der Kreditvertrag liegt bei; bitte bewahren Sie ihn auf.`,
  },
  bill_sent: {
    subject: (number, period) => `Zinsabrechnung ${number}, ${period}`,
    body: period => `anbei erhalten Sie die Zinsabrechnung für den Zeitraum ${period}.`,
    debited: (
      amount,
      day,
      mandate,
    ) => `Am ${day} werden ${amount} mit dem Mandat ${mandate} von Ihrem
      Konto eingezogen. Sie müssen nichts tun; bitte sorgen Sie für Deckung.`,
    transfer: day => `Bitte überweisen Sie den Betrag so, dass er bis zum ${day} eingeht:`,
    wallet: day => `Der Betrag wird am ${day} von Ihrem Wallet eingezogen.`,
    nothing: 'Es bleibt nichts zu zahlen.',
  },
  payout_done: {
    subject: reference => `Ihr Kredit ${reference} ist ausgezahlt`,
    body: (
      amount,
      day,
    ) => `am ${day} haben wir ${amount} auf Ihr Konto ausgezahlt. Von diesem Tag an
      laufen die Zinsen.`,
  },
  repaid: {
    subject: reference => `Ihr Kredit ${reference} ist zurückgezahlt`,
    body: (amount, day) => `das Kapital Ihres Kredits, ${amount}, ist seit dem ${day} vollständig
      zurückgezahlt. Von diesem Tag an fallen keine Zinsen mehr an. Vielen Dank.`,
    interest: amount => `Offen sind noch Zinsen von ${amount}; sie stehen auf der nächsten
      Abrechnung.`,
    closed: 'Auf diesen Kredit ist nichts mehr geschuldet.',
  },
  postponed: {
    subject: reference => `Ihr Kredit ${reference} wird später zurückgezahlt`,
    body: (before, day) => `wie vereinbart ist Ihr Kredit nun am ${day} fällig statt am ${before}.
      Bis zur Rückzahlung laufen die Zinsen weiter. Ein Aufschub ist nur einmal möglich.`,
  },
  labels: {
    loan: 'Kredit',
    amount: 'Betrag',
    payout_on: 'Auszahlungstag',
    repay_on: 'Rückzahlungstag',
    interest_estimated: 'Zinsen bei Rückzahlung wie vereinbart',
    account: 'Konto',
    bill: 'Abrechnung',
    to_pay: 'Zu zahlen',
    due_on: 'Fällig am',
  },
}
