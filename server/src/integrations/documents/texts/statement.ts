/** The statement's texts, by language. */
import type { Language, StatementKind } from '../types.ts'

export type StatementTexts = {
  title: string
  opening: string
  closing: string
  unbilled: string
  payoff: string
  day: string
  loan: string
  movement: string
  amount: string
  balance: string
  kinds: Record<StatementKind, string>
}

export const STATEMENT: Record<Language, StatementTexts> = {
  en: {
    title: 'Statement',
    opening: 'Owed before',
    closing: 'Owed at the end',
    unbilled: 'Interest not billed yet',
    payoff: 'Payoff amount',
    day: 'Date',
    loan: 'Loan',
    movement: 'Movement',
    amount: 'Amount',
    balance: 'Owed',
    kinds: {
      paid_out: 'Paid out',
      repaid: 'Repaid',
      interest: 'Interest',
      returned: 'Came back',
      refunded: 'Given back',
      card_spending: 'Card spending',
      written_off: 'Written off',
      recovered: 'Recovered',
      fee: 'Monthly fee',
      credited: 'Credited',
      set_off: 'Set off',
    },
  },
  fr: {
    title: 'Relevé',
    opening: 'Dû auparavant',
    closing: 'Dû à la fin',
    unbilled: 'Intérêts non encore facturés',
    payoff: 'Montant pour solde de tout compte',
    day: 'Date',
    loan: 'Prêt',
    movement: 'Opération',
    amount: 'Montant',
    balance: 'Dû',
    kinds: {
      paid_out: 'Versement',
      repaid: 'Remboursement',
      interest: 'Intérêts',
      returned: 'Rejet',
      refunded: 'Restitution',
      card_spending: 'Dépenses par carte',
      written_off: 'Passage en perte',
      recovered: 'Recouvrement',
      fee: 'Abonnement',
      credited: 'Avoir',
      set_off: 'Imputation',
    },
  },
  de: {
    title: 'Kontoauszug',
    opening: 'Geschuldet zuvor',
    closing: 'Geschuldet am Ende',
    unbilled: 'Noch nicht abgerechnete Zinsen',
    payoff: 'Ablösebetrag',
    day: 'Datum',
    loan: 'Kredit',
    movement: 'Vorgang',
    amount: 'Betrag',
    balance: 'Geschuldet',
    kinds: {
      paid_out: 'Auszahlung',
      repaid: 'Rückzahlung',
      interest: 'Zinsen',
      returned: 'Rückgabe',
      refunded: 'Erstattung',
      card_spending: 'Kartenumsätze',
      written_off: 'Ausbuchung',
      recovered: 'Zahlung nach Ausbuchung',
      fee: 'Monatsgebühr',
      credited: 'Gutschrift',
      set_off: 'Verrechnung',
    },
  },
  es: {
    title: 'Extracto',
    opening: 'Debido antes',
    closing: 'Debido al final',
    unbilled: 'Intereses aún no facturados',
    payoff: 'Importe de cancelación total',
    day: 'Fecha',
    loan: 'Préstamo',
    movement: 'Movimiento',
    amount: 'Importe',
    balance: 'Debido',
    kinds: {
      paid_out: 'Desembolso',
      repaid: 'Reembolso',
      interest: 'Intereses',
      returned: 'Devolución',
      refunded: 'Reintegro',
      card_spending: 'Gastos con tarjeta',
      written_off: 'Pase a pérdidas',
      recovered: 'Recobro',
      fee: 'Cuota mensual',
      credited: 'Abono',
      set_off: 'Compensación',
    },
  },
  nl: {
    title: 'Rekeningoverzicht',
    opening: 'Eerder verschuldigd',
    closing: 'Aan het einde verschuldigd',
    balance: 'Verschuldigd',

    unbilled: 'Nog niet in rekening gebrachte rente',
    payoff: 'Bedrag voor volledige aflossing',
    day: 'Datum',
    loan: 'Lening',
    movement: 'Boeking',
    amount: 'Bedrag',
    kinds: {
      paid_out: 'Uitbetaling',
      repaid: 'Terugbetaling',
      interest: 'Rente',
      returned: 'Terugboeking',
      refunded: 'Restitutie',
      card_spending: 'Kaartuitgaven',
      written_off: 'Afboeking',
      recovered: 'Ontvangst na afboeking',
      fee: 'Maandelijkse bijdrage',
      credited: 'Credit',
      set_off: 'Verrekening',
    },
  },
}
