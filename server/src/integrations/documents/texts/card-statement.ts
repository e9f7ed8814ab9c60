/** The card statement's texts, by language. */
import type { Language } from '../types.ts'

type EntryStatus = 'pending' | 'completed' | 'declined' | 'reversed'

export type CardStatementTexts = {
  title: string
  card: string
  day: string
  merchant: string
  status: string
  amount: string
  /** Completed purchases minus refunds. */
  spent: string
  statuses: Record<EntryStatus, string>
}

export const CARD_STATEMENT: Record<Language, CardStatementTexts> = {
  en: {
    title: 'Card statement',
    card: 'Card',
    day: 'Date',
    merchant: 'Merchant',
    status: 'Status',
    amount: 'Amount',
    spent: 'Spent',
    statuses: {
      pending: 'Pending',
      completed: 'Completed',
      declined: 'Declined',
      reversed: 'Reversed',
    },
  },
  fr: {
    title: 'Relevé de carte',
    card: 'Carte',
    day: 'Date',
    merchant: 'Commerçant',
    status: 'Statut',
    amount: 'Montant',
    spent: 'Dépensé',
    statuses: {
      pending: 'En attente',
      completed: 'Comptabilisé',
      declined: 'Refusé',
      reversed: 'Annulé',
    },
  },
  de: {
    title: 'Kartenabrechnung',
    card: 'Karte',
    day: 'Datum',
    merchant: 'Händler',
    status: 'Status',
    amount: 'Betrag',
    spent: 'Ausgegeben',
    statuses: {
      pending: 'Vorgemerkt',
      completed: 'Gebucht',
      declined: 'Abgelehnt',
      reversed: 'Aufgehoben',
    },
  },
  es: {
    title: 'Extracto de tarjeta',
    card: 'Tarjeta',
    day: 'Fecha',
    merchant: 'Comercio',
    status: 'Estado',
    amount: 'Importe',
    spent: 'Gastado',
    statuses: {
      pending: 'Pendiente',
      completed: 'Contabilizado',
      declined: 'Rechazado',
      reversed: 'Anulado',
    },
  },
  nl: {
    title: 'Kaartoverzicht',
    card: 'Kaart',
    day: 'Datum',
    merchant: 'Verkoper',
    status: 'Status',
    amount: 'Bedrag',
    spent: 'Uitgegeven',
    statuses: {
      pending: 'In behandeling',
      completed: 'Geboekt',
      declined: 'Geweigerd',
      reversed: 'Teruggedraaid',
    },
  },
}
