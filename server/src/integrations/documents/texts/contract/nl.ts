/** The loan agreement's texts in Dutch. */
import type { ContractTexts } from './keys.ts'

export const nl: ContractTexts = {
  title: 'Leningsovereenkomst',
  title_amended: 'Gewijzigde leningsovereenkomst',
  loan_types: {
    WALLET_FINANCING: 'Walletfinanciering',
    INVOICE_BASED_FINANCING: 'Factuurfinanciering',
    CREDIT_CARD_FINANCING: 'Kaartfinanciering',
  },
  intro: (
    version,
    accepted,
  ) => `De kredietgever verstrekt de kredietnemer de hier beschreven lening,
    volgens de algemene voorwaarden van de zakelijke kredietlijn, versie ${version}, die de
    kredietnemer op ${accepted} heeft aanvaard en die deel uitmaken van deze overeenkomst.`,
  amends: (id, issued) => `Deze overeenkomst vervangt overeenkomst ${id} van ${issued}.`,
  loan: 'Lening',
  loan_reference: 'Kenmerk van de lening',
  loan_type: 'Soort lening',
  invoice: 'Gefinancierde factuur',
  principal: 'Hoofdsom',
  payout_on: 'Uitbetaaldatum',
  payout_account: 'Uitbetaald op',
  repay_on: 'Terugbetaaldatum',
  days: 'Rentedagen',
  cost: 'Kosten van de lening',
  daily_rate: 'Rente per dag over de openstaande hoofdsom',
  annual_rate: 'Nominale jaarrente (365 dagen)',
  interest: 'Rente bij terugbetaling zoals afgesproken',
  total: 'Totaal terug te betalen',
  cost_note:
    rate => `Rente = ${rate} × openstaande hoofdsom × dagen, enkelvoudig, van de valutadatum
    van de uitbetaling tot en met de dag vóór die van de terugbetaling; het totaal wordt eenmaal
    afgerond. De genoemde rente is een schatting: zij volgt de werkelijk gebruikte dagen. Zij wordt
    aan het begin van elke maand in rekening gebracht, los van de hoofdsom.`,
  no_other_fees: 'De kredietgever rekent voor deze lening geen andere kosten.',
  repayment: 'Terugbetaling van de hoofdsom',
  prenotification: (amount, day) => `Vooraankondiging van de incasso: op ${day} wordt ${amount}
    afgeschreven van de hier genoemde rekening. Zijn de banken die dag gesloten, dan volgt de
    incasso op de volgende bankwerkdag. Zorg alstublieft voor voldoende saldo.`,
  transfer_note: `Maak de hoofdsom alstublieft zo over dat zij uiterlijk op de terugbetaaldatum
    binnen is, met vermelding van het kenmerk; dat koppelt het geld aan deze lening.`,
  wallet_note: 'De hoofdsom wordt op die dag van de eigen wallet afgeschreven.',
  early: (
    iban,
    reference,
  ) => `De lening mag te allen tijde geheel of gedeeltelijk kosteloos vervroegd
    worden terugbetaald, door overschrijving naar ${iban} met kenmerk ${reference}.`,
  early_free: `De lening mag te allen tijde geheel of gedeeltelijk kosteloos vervroegd worden
    terugbetaald.`,
  plan: 'Betalingsregeling',
  plan_note: `Partijen komen overeen dat het verschuldigde in deze termijnen wordt betaald. Zij
    komen in de plaats van de terugbetaaldatum hierboven; te late betaling wordt daaraan gemeten.`,
  plan_prenotification: `Elke termijn wordt op de vervaldatum afgeschreven van de hier genoemde
    rekening. Deze tabel is de vooraankondiging van die incasso’s.`,
  due_on: 'Vervaldatum',
  recollection_fees: 'waarvan invorderingskosten',
  sum: 'Totaal',
  closing:
    law => `Deze overeenkomst is elektronisch gesloten en geldig zonder handtekening. Hierop is
    ${law} van toepassing; rechter en klachten zoals in de algemene voorwaarden.`,
}
