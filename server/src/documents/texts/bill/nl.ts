/** Words of the interest bill in Dutch. */
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
  rate_note: rate => `De rente is ${rate} per dag over de hoofdsom die aan het einde van de dag
    openstaat; de eerste en de laatste dag tellen beide mee. Elke lening wordt over haar hele
    looptijd maar één keer afgerond, zodat haar nota’s samen de uitkomst van de formule geven.`,
  loan: 'Lening',
  from: 'Van',
  to: 'Tot en met',
  days: 'Dagen',
  outstanding: 'Hoofdsom',
  interest: 'Rente',
  interest_total: 'Totaal rente',
  extras: { ADJUSTMENT: 'Correctie', PARTNER_MARK_UP: 'Vergoeding van de partner' },
  summary: 'Samenvatting',
  total: 'Totaal',
  prepaid: 'Reeds betaald',
  set_off: 'Verrekend met openstaande nota’s',
  paid_back: (day, iban) => `Terugbetaald op ${day} op ${iban}`,
  payment: 'Betaling',
  prenotification: (amount, day) => `Vooraankondiging van de incasso: op ${day} wordt ${amount}
    afgeschreven van de hier genoemde rekening. Zorg alstublieft voor voldoende saldo.`,
  transfer_note:
    day => `Maak het bedrag alstublieft zo over dat het uiterlijk op ${day} binnen is, met
    vermelding van het kenmerk van deze nota.`,
  wallet_note: day => `Het bedrag wordt op ${day} van de eigen wallet afgeschreven.`,
  nothing_to_pay: 'Er hoeft niets te worden betaald.',
  credit_note: `Het gecrediteerde bedrag wordt verrekend met openstaande nota’s, de oudste eerst;
    wat overblijft wordt binnen vijf bankwerkdagen terugbetaald.`,
}
