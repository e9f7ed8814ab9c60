/** The SEPA mandate's texts in French (EPC130-08 and EPC131-08). */
import type { MandateTexts } from './keys.ts'

export const fr: MandateTexts = {
  title: {
    CORE: 'Mandat de prélèvement SEPA',
    B2B: 'Mandat de prélèvement SEPA interentreprises',
  },
  authorisation: {
    CORE: creditor => `En signant ce formulaire de mandat, vous autorisez (A) ${creditor} à envoyer
      des instructions à votre banque pour débiter votre compte, et (B) votre banque à débiter votre
      compte conformément aux instructions de ${creditor}. Vous bénéficiez du droit d’être remboursé
      par votre banque selon les conditions décrites dans la convention que vous avez passée avec
      elle. Une demande de remboursement doit être présentée dans les 8 semaines suivant la date de
      débit de votre compte pour un prélèvement autorisé.`,
    B2B: creditor => `En signant ce formulaire de mandat, vous autorisez (A) ${creditor} à envoyer
      des instructions à votre banque pour débiter votre compte, et (B) votre banque à débiter votre
      compte conformément aux instructions de ${creditor}. Ce mandat est dédié aux prélèvements SEPA
      interentreprises. Vous n’êtes pas en droit de demander à votre banque le remboursement d’un
      prélèvement SEPA interentreprises une fois que le montant est débité de votre compte. Vous
      pouvez cependant demander à votre banque de ne pas débiter votre compte jusqu’au jour de
      l’échéance.`,
  },
  note: {
    CORE: `Vos droits concernant le présent mandat sont expliqués dans un document que vous pouvez
      obtenir auprès de votre banque.`,
    B2B: `Merci de remettre une copie de ce mandat à votre banque avant le premier prélèvement :
      elle doit en avoir connaissance pour l’exécuter.`,
  },
  creditor: 'Créancier',
  debtor: 'Débiteur',
  account: 'Compte à débiter',
  payment_type: 'Type de paiement',
  recurrent: 'Récurrent',
  signed_on: 'Date de signature',
  signatory: 'Signataire',
  signature: 'Signature du débiteur',
  electronic: 'Signé par voie électronique',
}
