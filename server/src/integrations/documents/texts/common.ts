/** Texts shared by several documents, by language. */
import type { Language } from '../types.ts'

export type CommonTexts = {
  /** With {n} for the page and {m} for the number of pages. */
  page_label: string
  vat_number: string
  lender: string
  borrower: string
  iban: string
  bic: string
  account_holder: string
  reference: string
  mandate_reference: string
  creditor_identifier: string
  direct_debit: Record<'CORE' | 'B2B', string>
  credit_transfer: string
  wallet_debit: string
  wallet: string
  debit_on: string
  method: string
  amount: string
}

export const COMMON: Record<Language, CommonTexts> = {
  fr: {
    page_label: 'Page {n} sur {m}',
    vat_number: 'N° TVA',
    lender: 'Prêteur',
    borrower: 'Emprunteur',
    iban: 'IBAN',
    bic: 'BIC',
    account_holder: 'Titulaire du compte',
    reference: 'Référence du virement',
    mandate_reference: 'Référence unique du mandat (RUM)',
    creditor_identifier: 'Identifiant créancier SEPA (ICS)',
    direct_debit: { CORE: 'Prélèvement SEPA', B2B: 'Prélèvement SEPA interentreprises' },
    credit_transfer: 'Virement SEPA',
    wallet_debit: 'Débit du portefeuille dédié',
    wallet: 'Portefeuille',
    debit_on: 'Date de débit',
    method: 'Mode de paiement',
    amount: 'Montant',
  },
  de: {
    page_label: 'Seite {n} von {m}',
    vat_number: 'USt-IdNr.',
    lender: 'Kreditgeber',
    borrower: 'Kreditnehmer',
    iban: 'IBAN',
    bic: 'BIC',
    account_holder: 'Kontoinhaber',
    reference: 'Verwendungszweck',
    mandate_reference: 'Mandatsreferenz',
    creditor_identifier: 'Gläubiger-Identifikationsnummer',
    direct_debit: { CORE: 'SEPA-Basislastschrift', B2B: 'SEPA-Firmenlastschrift' },
    credit_transfer: 'SEPA-Überweisung',
    wallet_debit: 'Einzug vom eigenen Wallet',
    wallet: 'Wallet',
    debit_on: 'Tag der Belastung',
    method: 'Zahlungsweg',
    amount: 'Betrag',
  },
  es: {
    page_label: 'Página {n} de {m}',
    vat_number: 'NIF-IVA',
    lender: 'Prestamista',
    borrower: 'Prestatario',
    iban: 'IBAN',
    bic: 'BIC',
    account_holder: 'Titular de la cuenta',
    reference: 'Referencia de la transferencia',
    mandate_reference: 'Referencia de la orden de domiciliación',
    creditor_identifier: 'Identificador del acreedor',
    direct_debit: { CORE: 'Adeudo directo SEPA', B2B: 'Adeudo directo SEPA B2B' },
    credit_transfer: 'Transferencia SEPA',
    wallet_debit: 'Cargo en el monedero dedicado',
    wallet: 'Monedero',
    debit_on: 'Fecha de adeudo',
    method: 'Forma de pago',
    amount: 'Importe',
  },
  nl: {
    page_label: 'Pagina {n} van {m}',
    vat_number: 'Btw-nr.',
    lender: 'Kredietgever',
    borrower: 'Kredietnemer',
    iban: 'IBAN',
    bic: 'BIC',
    account_holder: 'Rekeninghouder',
    reference: 'Betalingskenmerk',
    mandate_reference: 'Machtigingskenmerk',
    creditor_identifier: 'Incassant-ID',
    direct_debit: { CORE: 'SEPA-incasso', B2B: 'Zakelijke SEPA-incasso' },
    credit_transfer: 'SEPA-overschrijving',
    wallet_debit: 'Afschrijving van de eigen wallet',
    wallet: 'Wallet',
    debit_on: 'Datum van afschrijving',
    method: 'Betaalwijze',
    amount: 'Bedrag',
  },
  en: {
    page_label: 'Page {n} of {m}',
    vat_number: 'VAT no.',
    lender: 'Lender',
    borrower: 'Borrower',
    iban: 'IBAN',
    bic: 'BIC',
    account_holder: 'Account holder',
    reference: 'Transfer reference',
    mandate_reference: 'Mandate reference',
    creditor_identifier: 'Creditor identifier',
    direct_debit: { CORE: 'SEPA direct debit', B2B: 'SEPA business-to-business direct debit' },
    credit_transfer: 'SEPA credit transfer',
    wallet_debit: 'Debit of the dedicated wallet',
    wallet: 'Wallet',
    debit_on: 'Debit date',
    method: 'Payment method',
    amount: 'Amount',
  },
}
