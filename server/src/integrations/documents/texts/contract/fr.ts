/** The loan agreement's texts in French. */
import type { ContractTexts } from './keys.ts'

export const fr: ContractTexts = {
  title: 'Contrat de prêt',
  title_amended: 'Contrat de prêt modifié',
  loan_types: {
    WALLET_FINANCING: 'Financement de portefeuille',
    INVOICE_BASED_FINANCING: 'Financement de facture',
    CREDIT_CARD_FINANCING: 'Financement par carte',
  },
  intro: (
    version,
    accepted,
  ) => `Le prêteur consent à l’emprunteur le prêt décrit ci-après, selon les
    conditions générales de la ligne de crédit professionnelle, version ${version}, que l’emprunteur
    a acceptées le ${accepted} et qui font partie du présent contrat.`,
  amends: (id, issued) => `Le présent contrat remplace le contrat ${id} du ${issued}.`,
  loan: 'Prêt',
  loan_reference: 'Référence du prêt',
  loan_type: 'Nature du prêt',
  invoice: 'Facture financée',
  principal: 'Capital',
  payout_on: 'Date de versement',
  payout_account: 'Versé sur',
  repay_on: 'Date de remboursement',
  days: 'Jours portant intérêt',
  cost: 'Coût du prêt',
  daily_rate: 'Intérêt par jour sur le capital restant dû',
  annual_rate: 'Taux nominal annuel (365 jours)',
  interest: 'Intérêts en cas de remboursement à la date convenue',
  total: 'Total à rembourser',
  cost_note:
    rate => `Intérêts = ${rate} × capital restant dû × jours, sans capitalisation, de la date
    de valeur du versement à la veille de celle du remboursement ; le total est arrondi une seule
    fois. Les intérêts indiqués sont une estimation : ils suivent les jours réellement utilisés. Ils
    sont facturés au début de chaque mois, séparément du capital.`,
  no_other_fees: 'Le prêteur ne prélève pas d’autres frais pour ce prêt.',
  repayment: 'Remboursement du capital',
  prenotification: (
    amount,
    day,
  ) => `Notification préalable du prélèvement : ${amount} seront prélevés
    le ${day} sur le compte indiqué ici. Si les banques sont fermées ce jour-là, le prélèvement a
    lieu le jour bancaire suivant. Merci de veiller à la provision du compte.`,
  transfer_note: `Merci de virer le capital de sorte qu’il arrive au plus tard à la date de
    remboursement, en indiquant la référence : c’est elle qui affecte le paiement à ce prêt.`,
  wallet_note: 'Le capital est débité du portefeuille dédié à cette date.',
  early: (
    iban,
    reference,
  ) => `Le prêt peut être remboursé par anticipation à tout moment, en tout ou
    en partie, sans frais, par virement vers ${iban} avec la référence ${reference}.`,
  early_free: `Le prêt peut être remboursé par anticipation à tout moment, en tout ou en partie,
    sans frais.`,
  plan: 'Échéancier',
  plan_note: `Les parties conviennent que les sommes dues sont remboursées selon les échéances
    ci-dessous. Elles remplacent la date de remboursement ci-dessus ; le retard s’apprécie par
    rapport à elles.`,
  plan_prenotification: `Chaque échéance est prélevée à sa date sur le compte indiqué ici. Ce
    tableau vaut notification préalable de ces prélèvements.`,
  due_on: 'Échéance',
  recollection_fees: 'dont frais de recouvrement',
  sum: 'Total',
  closing:
    law => `Le présent contrat est conclu par voie électronique et vaut sans signature. Il est
    soumis au ${law} ; tribunaux et réclamations suivent les conditions générales.`,
}
