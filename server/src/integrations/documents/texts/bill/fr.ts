/** The interest bill's texts in French. */
import type { BillTexts } from './keys.ts'

export const fr: BillTexts = {
  title: 'Facture d’intérêts',
  title_credit: 'Avoir',
  issued_on: 'Date',
  from_to: (from, to) => `du ${from} au ${to}`,
  due_on: 'Échéance',
  payer: 'Payeur',
  to_pay: 'Montant à payer',
  credited: 'Montant crédité',
  amends: (number, issued) => `Cette facture annule et remplace la facture ${number} du ${issued}.`,
  detail: 'Intérêts par prêt',
  rate_note: `Chaque ligne est le produit capital × taux journalier × jours, arrondi au centime ; le
    capital est celui restant dû en fin de journée, le premier et le dernier jour étant comptés. Une
    régularisation porte sur la différence avec le capital retenu par une facture antérieure. Un
    prêt est arrondi une seule fois sur toute sa durée : une ligne indique l’écart éventuel.`,
  loan: 'Prêt',
  from: 'Du',
  to: 'Au',
  days: 'Jours',
  outstanding: 'Capital dû',
  rate: 'Taux par jour',
  amount: 'Montant',
  interest_total: 'Total des intérêts',
  extras: {
    PARTNER_MARK_UP: 'Frais du partenaire',
    ADJUSTMENT: 'Régularisations',
    LAPSED: 'Non facturé',
    ROUNDING: 'Arrondi',
  },
  adjustment: (number, reason) =>
    number ? `Régularisation de la facture ${number} : ${reason}` : `Régularisation : ${reason}`,
  reasons: {
    REPAYMENT_VALUED_EARLIER: 'remboursement à date de valeur antérieure',
    COLLECTION_RETURNED: 'prélèvement rejeté ou remboursé par la banque',
    PAYOUT_RETURNED: 'versement retourné par la banque',
    INTEREST_STOPPED: 'arrêt des intérêts',
    WRITE_OFF: 'prêt passé en perte',
    RECALCULATED: 'nouveau calcul des intérêts',
    NOT_RECORDED: 'nouveau calcul des intérêts',
  },
  lapsed: 'Non facturé : le prêt est passé en perte',
  rounding: (exact, before) =>
    `Arrondi : intérêts à ce jour ${exact}, dont ${before} déjà facturés`,
  summary: 'Récapitulatif',
  total: 'Total',
  prepaid: 'Déjà payé',
  unpaid: 'Facturé, non payé, n’est plus dû',
  kept: 'À déduire de la prochaine facture',
  set_off: 'Imputé sur des factures ouvertes',
  paid_back: (day, iban) => `Remboursé le ${day} sur ${iban}`,
  payment: 'Paiement',
  prenotification: (
    amount,
    day,
  ) => `Notification préalable du prélèvement : ${amount} seront prélevés
    le ${day} sur le compte indiqué ici. Merci de veiller à la provision du compte.`,
  transfer_note: day => `Merci de virer le montant de sorte qu’il arrive au plus tard le ${day}, en
    indiquant la référence de cette facture.`,
  plan_note: 'Le plan d’apurement convenu règle cette facture : il n’y a rien à virer en plus.',
  wallet_note: day => `Le montant est débité du portefeuille dédié le ${day}.`,
  nothing_to_pay: 'Il ne reste rien à payer.',
}
