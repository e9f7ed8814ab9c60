/** The loan agreement's texts in German. */
import type { ContractTexts } from './keys.ts'

export const de: ContractTexts = {
  title: 'Kreditvertrag',
  title_amended: 'Geänderter Kreditvertrag',
  loan_types: {
    WALLET_FINANCING: 'Wallet-Finanzierung',
    INVOICE_BASED_FINANCING: 'Rechnungsfinanzierung',
    CREDIT_CARD_FINANCING: 'Kartenfinanzierung',
  },
  intro: (version, accepted) => `Der Kreditgeber gewährt dem Kreditnehmer den hier beschriebenen
    Kredit nach den Allgemeinen Bedingungen der gewerblichen Kreditlinie, Fassung ${version}, die
    der Kreditnehmer am ${accepted} angenommen hat und die Teil dieses Vertrags sind.`,
  amends: (id, issued) => `Dieser Vertrag ersetzt den Vertrag ${id} vom ${issued}.`,
  loan: 'Kredit',
  loan_reference: 'Kreditreferenz',
  loan_type: 'Art des Kredits',
  invoice: 'Finanzierte Rechnung',
  principal: 'Kapital',
  payout_on: 'Auszahlungstag',
  payout_account: 'Ausgezahlt auf',
  repay_on: 'Rückzahlungstag',
  days: 'Zinstage',
  cost: 'Kosten des Kredits',
  daily_rate: 'Zins je Tag auf das offene Kapital',
  annual_rate: 'Nominalzins im Jahr (365 Tage)',
  interest: 'Zinsen bei Rückzahlung wie vereinbart',
  total: 'Gesamtbetrag der Rückzahlung',
  cost_note:
    rate => `Zinsen = ${rate} × offenes Kapital × Tage, ohne Zinseszins, vom Wertstellungstag
    der Auszahlung bis zum Tag vor dem der Rückzahlung; der Gesamtbetrag wird einmal gerundet. Die
    genannten Zinsen sind geschätzt: Sie richten sich nach den wirklich genutzten Tagen. Sie werden
    zu Beginn jedes Monats getrennt vom Kapital abgerechnet.`,
  no_other_fees: 'Weitere Kosten erhebt der Kreditgeber für diesen Kredit nicht.',
  repayment: 'Rückzahlung des Kapitals',
  prenotification: (
    amount,
    day,
  ) => `Vorabankündigung der Lastschrift: Am ${day} werden ${amount} von
    dem hier genannten Konto eingezogen. Haben die Banken an diesem Tag geschlossen, folgt der
    Einzug am nächsten Bankarbeitstag. Bitte sorgen Sie für Deckung.`,
  transfer_note: `Bitte überweisen Sie das Kapital so, dass es bis zum Rückzahlungstag eingeht, und
    geben Sie den Verwendungszweck an; er ordnet das Geld diesem Kredit zu.`,
  wallet_note: 'Das Kapital wird an diesem Tag vom eigenen Wallet eingezogen.',
  early: (iban, reference) => `Der Kredit kann jederzeit ganz oder teilweise kostenfrei vorzeitig
    zurückgezahlt werden, durch Überweisung auf ${iban} mit dem Verwendungszweck ${reference}.`,
  early_free: `Der Kredit kann jederzeit ganz oder teilweise kostenfrei vorzeitig zurückgezahlt
    werden.`,
  plan: 'Ratenplan',
  plan_note: `Die Parteien vereinbaren, dass das Geschuldete in diesen Raten gezahlt wird. Sie
    treten an die Stelle des oben genannten Rückzahlungstags; der Verzug bemisst sich nach ihnen.`,
  plan_prenotification: `Jede Rate wird an ihrem Tag von dem hier genannten Konto eingezogen. Diese
    Tabelle ist die Vorabankündigung dieser Lastschriften.`,
  due_on: 'Fällig am',
  recollection_fees: 'davon Beitreibungskosten',
  sum: 'Summe',
  closing: law => `Dieser Vertrag ist elektronisch geschlossen und ohne Unterschrift gültig. Es gilt
    ${law}; Gerichtsstand und Beschwerden wie in den Allgemeinen Bedingungen.`,
}
