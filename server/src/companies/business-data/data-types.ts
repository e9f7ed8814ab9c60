/**
 * The types of data that a company may be asked to share, named in the borrowers' languages. Pure.
 */
import type { DataType, Language } from '@headroom/contract'

type Words = Record<Language, string>

interface DataTypeInfo {
  /** Whether the company must upload a document; otherwise a text is enough. */
  readonly requires_document: boolean
  readonly translations: Words
}

function info(requires: 'document' | 'words', words: Words): DataTypeInfo {
  return { requires_document: requires === 'document', translations: words }
}

export const DATA_TYPE_INFO: Record<DataType, DataTypeInfo> = {
  administrative_seizure_explanation: info('words', {
    de: 'Erklärung zu einer behördlichen Pfändung',
    en: 'Explanation of a seizure by an authority',
    es: 'Explicación de un embargo administrativo',
    fr: 'Explication d’une saisie administrative',
    nl: 'Toelichting op een administratief beslag',
  }),
  allocation_seizure_explanation: info('words', {
    de: 'Erklärung zu einer Kontopfändung',
    en: 'Explanation of a garnishment of an account',
    es: 'Explicación de un embargo de cuenta',
    fr: 'Explication d’une saisie-attribution',
    nl: 'Toelichting op een derdenbeslag op een rekening',
  }),
  ccsf_official_document: info('document', {
    de: 'Amtliches Dokument der Kommission CCSF',
    en: 'Official document of the CCSF commission',
    es: 'Documento oficial de la comisión CCSF',
    fr: 'Document officiel de la CCSF',
    nl: 'Officieel document van de commissie CCSF',
  }),
  certificate_of_tax_compliance: info('document', {
    de: 'Steuerliche Unbedenklichkeitsbescheinigung',
    en: 'Certificate of tax compliance',
    es: 'Certificado de estar al corriente de las obligaciones tributarias',
    fr: 'Attestation de régularité fiscale',
    nl: 'Verklaring betalingsgedrag van de belastingdienst',
  }),
  certificate_of_vigilance: info('document', {
    de: 'Unbedenklichkeitsbescheinigung der Sozialversicherung',
    en: 'Certificate of social security compliance',
    es: 'Certificado de estar al corriente con la Seguridad Social',
    fr: 'Attestation de vigilance',
    nl: 'Verklaring dat de sociale bijdragen zijn betaald',
  }),
  debt_arrears: info('words', {
    de: 'Angaben zu Zahlungsrückständen',
    en: 'Information on debts in arrears',
    es: 'Información sobre deudas vencidas',
    fr: 'Informations sur les dettes en retard de paiement',
    nl: 'Gegevens over achterstallige schulden',
  }),
  financial_capacity: info('document', {
    de: 'Nachweis der finanziellen Leistungsfähigkeit',
    en: 'Proof of financial capacity',
    es: 'Justificante de capacidad financiera',
    fr: 'Justificatif de capacité financière',
    nl: 'Bewijs van financiële draagkracht',
  }),
  financial_statement: info('document', {
    de: 'Jahresabschluss',
    en: 'Financial statements',
    es: 'Cuentas anuales',
    fr: 'Comptes annuels',
    nl: 'Jaarrekening',
  }),
  iban_used_for_social_security_payments: info('words', {
    de: 'IBAN, von der die Sozialversicherungsbeiträge gezahlt werden',
    en: 'IBAN from which social security contributions are paid',
    es: 'IBAN desde el que se pagan las cotizaciones sociales',
    fr: 'IBAN utilisé pour payer les cotisations sociales',
    nl: 'IBAN waarvan de sociale bijdragen worden betaald',
  }),
  insolvency_early_signal_explanation: info('words', {
    de: 'Erklärung zu frühen Anzeichen einer Insolvenz',
    en: 'Explanation of early signs of insolvency',
    es: 'Explicación de señales tempranas de insolvencia',
    fr: 'Explication de signaux précoces d’insolvabilité',
    nl: 'Toelichting op vroege tekenen van insolventie',
  }),
  interim_financial_guarantee: info('document', {
    de: 'Finanzielle Garantie für Zeitarbeit',
    en: 'Financial guarantee of a temporary work agency',
    es: 'Garantía financiera de una empresa de trabajo temporal',
    fr: 'Garantie financière d’une entreprise de travail temporaire',
    nl: 'Financiële garantie van een uitzendbureau',
  }),
  other_seizure_explanation: info('words', {
    de: 'Erklärung zu einer anderen Pfändung',
    en: 'Explanation of another seizure',
    es: 'Explicación de otro embargo',
    fr: 'Explication d’une autre saisie',
    nl: 'Toelichting op een ander beslag',
  }),
  overdraft_contract: info('document', {
    de: 'Vertrag über einen Kontokorrentkredit',
    en: 'Overdraft agreement',
    es: 'Contrato de descubierto en cuenta',
    fr: 'Contrat de découvert autorisé',
    nl: 'Overeenkomst voor krediet in rekening-courant',
  }),
  security_services_authorisation: info('document', {
    de: 'Erlaubnis für das Bewachungsgewerbe',
    en: 'Authorisation for private security services',
    es: 'Autorización para servicios de seguridad privada',
    fr: 'Autorisation d’exercer une activité privée de sécurité',
    nl: 'Vergunning voor particuliere beveiligingsdiensten',
  }),
  social_security_installment_plan: info('document', {
    de: 'Ratenzahlungsvereinbarung mit der Sozialversicherung',
    en: 'Installment plan with social security',
    es: 'Plan de pagos aplazados con la Seguridad Social',
    fr: 'Échéancier avec les organismes sociaux',
    nl: 'Afbetalingsregeling met de sociale zekerheid',
  }),
  tax_return: info('document', {
    de: 'Steuererklärung',
    en: 'Tax return',
    es: 'Declaración de impuestos',
    fr: 'Liasse fiscale',
    nl: 'Belastingaangifte',
  }),
  term_sheet: info('document', {
    de: 'Term Sheet einer Finanzierungsrunde',
    en: 'Term sheet of a financing round',
    es: 'Hoja de términos de una ronda de financiación',
    fr: 'Lettre d’intention d’une levée de fonds (term sheet)',
    nl: 'Term sheet van een financieringsronde',
  }),
  transport_license: info('document', {
    de: 'Erlaubnis für den Güter- oder Personenverkehr',
    en: 'Transport licence',
    es: 'Licencia de transporte',
    fr: 'Licence de transport',
    nl: 'Transportvergunning',
  }),
}
