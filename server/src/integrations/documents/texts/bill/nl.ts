/** The interest bill's texts in Dutch. */
import type { BillTexts } from './keys.ts'

export const nl: BillTexts = {
  title: 'Rentenota',
  title_credit: 'Creditnota',
  issued_on: 'Datum',
  from_to: (from, to) => `${from} tot en met ${to}`,
  due_on: 'Vervaldatum',
  payer: 'Betaler',
  to_pay: 'Te betalen',
  credited: 'Gecrediteerd bedrag',
  amends: (number, issued) => `Deze nota vervangt nota ${number} van ${issued}, die vervalt.`,
  detail: 'Rente per lening',
  rate_note: `Elke regel is hoofdsom × dagrente × dagen, afgerond op de cent; de hoofdsom is wat aan
    het einde van de dag openstaat, en de eerste en de laatste dag tellen beide mee. Een correctie
    bevat het verschil met de hoofdsom waarmee een eerdere nota rekende. Een lening wordt over haar
    hele looptijd één keer afgerond: scheelt dat een cent, dan staat dat op een eigen regel.`,
  loan: 'Lening',
  from: 'Van',
  to: 'Tot en met',
  days: 'Dagen',
  outstanding: 'Hoofdsom',
  rate: 'Dagrente',
  amount: 'Bedrag',
  interest_total: 'Totaal rente',
  extras: {
    PARTNER_MARK_UP: 'Vergoeding van de partner',
    ADJUSTMENT: 'Correcties',
    LAPSED: 'Niet in rekening gebracht',
    ROUNDING: 'Afronding',
  },
  adjustment: (number, reason) =>
    number ? `Correctie van nota ${number}: ${reason}` : `Correctie: ${reason}`,
  reasons: {
    REPAYMENT_VALUED_EARLIER: 'aflossing met een eerdere valutadatum',
    COLLECTION_RETURNED: 'incasso teruggeboekt door de bank',
    PAYOUT_RETURNED: 'uitbetaling teruggeboekt door de bank',
    INTEREST_STOPPED: 'rente stopgezet',
    WRITE_OFF: 'lening afgeboekt',
    RECALCULATED: 'rente herberekend',
    NOT_RECORDED: 'rente herberekend',
  },
  lapsed: 'Niet in rekening gebracht: de lening is afgeboekt',
  rounding: (exact, before) =>
    `Afronding: rente tot nu toe ${exact}, waarvan ${before} al in rekening is gebracht`,
  summary: 'Samenvatting',
  total: 'Totaal',
  prepaid: 'Reeds betaald',
  unpaid: 'Gefactureerd, niet betaald, niet meer verschuldigd',
  kept: 'Gaat van de volgende nota af',
  set_off: 'Verrekend met openstaande nota’s',
  paid_back: (day, iban) => `Terugbetaald op ${day} op ${iban}`,
  payment: 'Betaling',
  prenotification: (amount, day) => `Vooraankondiging van de incasso: op ${day} wordt ${amount}
    afgeschreven van de hier genoemde rekening. Zorg alstublieft voor voldoende saldo.`,
  transfer_note:
    day => `Maak het bedrag alstublieft zo over dat het uiterlijk op ${day} binnen is, met
    vermelding van het kenmerk van deze nota.`,
  plan_note: 'De afgesproken betalingsregeling voldoet deze nota: u hoeft verder niets te betalen.',
  wallet_note: day => `Het bedrag wordt op ${day} van de eigen wallet afgeschreven.`,
  nothing_to_pay: 'Er hoeft niets te worden betaald.',
}
