/** Words of the interest bill in German. */
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
  rate_note: rate => `Die Zinsen betragen ${rate} je Tag des Kapitals, das am Ende des Tages offen
    ist; der erste und der letzte Tag zählen beide. Jeder Kredit wird über seine ganze Dauer nur
    einmal gerundet, sodass seine Abrechnungen zusammen die Formel ergeben.`,
  loan: 'Kredit',
  from: 'Von',
  to: 'Bis',
  days: 'Tage',
  outstanding: 'Kapital',
  interest: 'Zinsen',
  interest_total: 'Summe der Zinsen',
  extras: { ADJUSTMENT: 'Berichtigung', PARTNER_MARK_UP: 'Entgelt des Partners' },
  summary: 'Zusammenfassung',
  total: 'Summe',
  prepaid: 'Bereits bezahlt',
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
  wallet_note: day => `Der Betrag wird am ${day} vom eigenen Wallet eingezogen.`,
  nothing_to_pay: 'Es bleibt nichts zu zahlen.',
  credit_note: `Der gutgeschriebene Betrag wird mit offenen Abrechnungen verrechnet, den ältesten
    zuerst; der Rest wird innerhalb von fünf Bankarbeitstagen ausgezahlt.`,
}
