/** The interest bill's texts in German. */
import type { BillTexts } from './keys.ts'

export const de: BillTexts = {
  title: 'Zinsabrechnung',
  title_credit: 'Gutschrift',
  issued_on: 'Datum',
  from_to: (from, to) => `${from} bis ${to}`,
  due_on: 'Fällig am',
  payer: 'Zahler',
  to_pay: 'Zu zahlen',
  credited: 'Gutgeschriebener Betrag',
  amends: (number, issued) =>
    `Diese Abrechnung ersetzt die Abrechnung ${number} vom ${issued}, die ungültig ist.`,
  detail: 'Zinsen je Kredit',
  rate_note: `Jede Zeile ist Kapital × Tageszins × Tage, auf den Cent gerundet; es zählt das am
    Ende des Tages offene Kapital, der erste und der letzte Tag zählen mit. Eine Berichtigung
    enthält die Differenz zu dem Kapital, mit dem eine frühere Abrechnung gerechnet hat. Jeder
    Kredit wird über seine ganze Dauer nur einmal gerundet: Weicht das ab, steht es in einer
    eigenen Zeile.`,
  loan: 'Kredit',
  from: 'Von',
  to: 'Bis',
  days: 'Tage',
  outstanding: 'Kapital',
  rate: 'Tageszins',
  amount: 'Betrag',
  interest_total: 'Summe der Zinsen',
  extras: {
    PARTNER_MARK_UP: 'Entgelt des Partners',
    ADJUSTMENT: 'Berichtigungen',
    LAPSED: 'Nicht berechnet',
    ROUNDING: 'Rundung',
  },
  adjustment: (number, reason) =>
    number ? `Berichtigung der Abrechnung ${number}: ${reason}` : `Berichtigung: ${reason}`,
  reasons: {
    REPAYMENT_VALUED_EARLIER: 'Rückzahlung mit früherer Wertstellung',
    COLLECTION_RETURNED: 'Lastschrift von der Bank zurückgegeben',
    PAYOUT_RETURNED: 'Auszahlung von der Bank zurückgegeben',
    INTEREST_STOPPED: 'Zinslauf angehalten',
    WRITE_OFF: 'Kredit ausgebucht',
    RECALCULATED: 'Zinsen neu berechnet',
    NOT_RECORDED: 'Zinsen neu berechnet',
  },
  lapsed: 'Nicht berechnet: Der Kredit wurde ausgebucht',
  rounding: (exact, before) =>
    `Rundung: Zinsen bis heute ${exact}, davon bereits abgerechnet ${before}`,
  summary: 'Zusammenfassung',
  total: 'Summe',
  prepaid: 'Bereits bezahlt',
  unpaid: 'Abgerechnet, nicht bezahlt, nicht mehr geschuldet',
  kept: 'Wird mit der nächsten Abrechnung verrechnet',
  set_off: 'Verrechnet mit offenen Abrechnungen',
  paid_back: (day, iban) => `Auszahlung am ${day} auf ${iban}`,
  payment: 'Zahlung',
  prenotification: (
    amount,
    day,
  ) => `Vorabankündigung der Lastschrift: Am ${day} werden ${amount} von
    dem hier genannten Konto eingezogen. Bitte sorgen Sie für Deckung.`,
  transfer_note:
    day => `Bitte überweisen Sie den Betrag so, dass er bis zum ${day} eingeht, und geben
    Sie den Verwendungszweck dieser Abrechnung an.`,
  plan_note: 'Der vereinbarte Ratenplan begleicht diese Abrechnung: Sonst ist nichts zu zahlen.',
  wallet_note: day => `Der Betrag wird am ${day} vom eigenen Wallet eingezogen.`,
  nothing_to_pay: 'Es bleibt nichts zu zahlen.',
}
