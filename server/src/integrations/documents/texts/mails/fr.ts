/** The mails' texts in French. */
import type { MailTexts } from './keys.ts'

export const fr: MailTexts = {
  greeting: recipient => `Bonjour ${recipient},`,
  closing: 'Cordialement',
  questions: email => `Une question ? Écrivez à ${email}.`,
  interest_runs: 'Les intérêts courent jusqu’au remboursement.',
  terms_signed: {
    subject: lender => `Vos documents ${lender}`,
    body: `Votre société a accepté nos conditions générales. Vous les trouverez ci-jointes ;
      merci de les conserver.`,
    mandate: reference => `Votre mandat de prélèvement SEPA ${reference} est également joint.`,
  },
  contract_ready: {
    subject: reference => `Votre prêt ${reference} est approuvé`,
    body: 'Votre prêt est approuvé. Le contrat de prêt est joint ; merci de le conserver.',
  },
  contract_amended: {
    subject: reference => `Avenant à votre contrat de prêt ${reference}`,
    body: count => `Votre prêt est désormais remboursé selon un échéancier de ${count} échéances.
L’avenant au contrat de prêt, avec l’échéancier, est joint et remplace les conditions de
remboursement précédentes. Merci de le conserver.`,
  },
  bill_sent: {
    subject: (number, period) => `Facture d’intérêts ${number}, ${period}`,
    body: period => `Vous trouverez ci-joint la facture d’intérêts ${period}.`,
    debited: (
      amount,
      day,
      mandate,
    ) => `${amount} seront prélevés sur votre compte le ${day} au titre
      du mandat ${mandate}. Vous n’avez rien à faire ; merci de veiller à la provision du compte.`,
    transfer: day => `Merci de virer le montant de sorte qu’il arrive au plus tard le ${day} :`,
    wallet: day => `Le montant est débité de votre portefeuille dédié le ${day}.`,
    plan: 'Le plan d’apurement convenu règle cette facture : il n’y a rien à virer en plus.',
    nothing: 'Il ne reste rien à payer.',
  },
  bill_withdrawn: {
    subject: number => `Facture d’intérêts ${number} annulée`,
    body: (
      number,
      period,
    ) => `Notre facture d’intérêts ${number} était erronée : au vu de ce qui est connu depuis,
      rien n’est dû pour la période ${period}. La facture est annulée ; merci de ne pas la payer.`,
  },
  credit_note: {
    subject: (number, period) => `Avoir ${number}, ${period}`,
    body: period => `Vous trouverez ci-joint notre avoir sur les intérêts ${period}.`,
    unpaid: amount => `${amount} avaient été facturés sans être payés ; ils ne sont plus dus.`,
    kept: amount =>
      `${amount} restent à votre crédit et seront déduits de votre prochaine facture.`,
    set_off: amount =>
      `${amount} sont imputés sur des factures ouvertes, les plus anciennes d’abord.`,
    refund: (amount, day, iban) =>
      `Nous remboursons ${amount} sur le compte ${iban} ; le virement part le ${day}.`,
  },
  revenue_share: {
    subject: period => `Votre part des revenus, ${period}`,
    body: (
      amount,
      day,
    ) => `Votre part des intérêts payés jusqu’au ${day} par les clients que vous avez apportés
      s’élève à ${amount}. Merci d’adresser votre facture de ce montant à la plateforme ; elle
      est payée le jour ouvré bancaire qui suit son dépôt.`,
  },
  payout_done: {
    subject: reference => `Votre prêt ${reference} est versé`,
    body: (amount, day) => `Nous avons versé ${amount} sur votre compte le ${day}.`,
    interest: 'Les intérêts courent à compter de ce jour.',
    transfer: `Merci de le rembourser par virement, chaque montant à son échéance, avec la référence
      ci-dessous :`,
  },
  repaid: {
    subject: reference => `Votre prêt ${reference} est remboursé`,
    body: (
      amount,
      day,
    ) => `Le capital de votre prêt, soit ${amount}, est entièrement remboursé depuis
      le ${day}. À compter de ce jour, il ne porte plus intérêt. Merci.`,
    interest: amount =>
      `Il reste ${amount} d’intérêts, qui figureront sur votre prochaine facture.`,
    billed: amount => `Une facture antérieure comporte encore ${amount} d’intérêts à payer.`,
    closed: 'Plus rien n’est dû sur ce prêt.',
  },
  postponed: {
    subject: reference => `L’échéance de votre prêt ${reference} est reportée`,
    body: (
      before,
      day,
    ) => `Comme convenu, votre prêt est désormais à rembourser le ${day} au lieu du
      ${before}.`,
    once: 'Un seul report est possible.',
  },
  debit_announced: {
    loan: reference => `Votre prêt ${reference} va être prélevé`,
    bill: reference => `Votre facture ${reference} va être prélevée`,
    installment: reference => `Votre échéance ${reference} va être prélevée`,
    fee: reference => `Votre abonnement ${reference} va être prélevé`,
    body: (
      amount,
      day,
    ) => `Nous prélèverons ${amount} sur votre compte le ${day}. Vous n’avez rien à
      faire ; merci de veiller à la provision du compte.`,
  },
  to_transfer: {
    fee: {
      subject: reference => `Merci de virer votre abonnement ${reference}`,
      body: `Cet abonnement n’est pas prélevé. Merci de le virer à son
        échéance, avec sa référence :`,
    },
    bill: {
      subject: reference => `Merci de virer votre facture ${reference}`,
      body: `Le débit de cette facture a échoué ou a été rejeté ; il ne sera pas présenté à nouveau.
        Merci de virer le montant, avec la référence de la facture :`,
      reopened: `Un paiement qui avait été imputé sur cette facture ne l’est plus, et aucun débit ne
        la règle. Merci de virer le montant, avec la référence de la facture :`,
    },
  },
  mandate_ended: {
    subject: mandate => `Votre mandat de prélèvement ${mandate} a pris fin`,
    refused: (
      mandate,
      iban,
    ) => `Votre banque nous indique que le compte ${iban} ne peut pas être prélevé. Le
      mandat ${mandate} a donc pris fin : plus rien ne sera prélevé par lui.`,
    unused: (
      mandate,
      iban,
    ) => `Rien n’a été prélevé par votre mandat ${mandate} sur le compte ${iban} depuis
      36 mois. Il est donc caduc : plus rien ne sera prélevé par lui.`,
    set_up: `Merci de mettre en place un autre mode de remboursement sur la plateforme
      par laquelle vous empruntez. D’ici là, aucun nouveau prêt ne peut vous être accordé.`,
    transfer: `Ce qui est dû n’est plus prélevé. Merci de virer chaque montant à son
      échéance, avec sa référence :`,
  },
  refund_reclaimed: {
    subject: reference => `Prêt ${reference} : le remboursement de trop-perçu est de nouveau dû`,
    body: (
      amount,
      day,
    ) => `Votre banque a repris un prélèvement effectué sur ce prêt. Le virement que
      nous avions considéré comme un trop-perçu rembourse désormais le prêt. Les ${amount} que nous
      avions restitués sont donc de nouveau dus. L’échéance est le ${day}.`,
    interest: 'Ils portent intérêt depuis le jour de la restitution.',
    to_you: 'Nous avions restitué ce montant sur votre compte.',
    to_payer: `Nous avions restitué ce montant sur le compte d’où provenait le virement, qui n’est
      pas l’un des vôtres. Vous en restez redevable : merci de vous rapprocher de l’auteur de ce
      virement.`,
    to_both:
      amount => `Nous avions restitué ce montant sur votre compte, à l’exception de ${amount},
      restitués sur le compte d’où provenait le virement, qui n’est pas l’un des vôtres. Vous
      restez redevable de cette part : merci de vous rapprocher de l’auteur de ce virement.`,
    transfer: 'Merci de virer le montant restant dû :',
  },
  late: {
    subject: reference => `Votre prêt ${reference} est en retard`,
    body: (
      day,
      days,
    ) => `Votre prêt était à rembourser le ${day} et ne l’a pas été : le retard est de
      ${days} ${days === 1 ? 'jour' : 'jours'}.`,
    suspended: 'Jusqu’au remboursement, aucun nouveau prêt ne peut vous être versé.',
    transfer: 'Merci de virer sans attendre ce qui reste dû :',
    debited: 'Ce montant va être prélevé sur votre compte ; merci de ne pas le virer en plus :',
  },
  installment_late: {
    subject: reference => `Une échéance de votre échéancier ${reference} est en retard`,
    body: (day, days) => `L’échéance du ${day} n’a pas été intégralement réglée : le retard est de
      ${days} ${days === 1 ? 'jour' : 'jours'}.`,
    breaks: `À défaut de règlement, l’échéancier prendra fin et la totalité du solde restant dû
      redeviendra exigible aux dates d’origine.`,
    transfer: 'Merci de virer sans attendre le montant en retard :',
  },
  plan_broken: {
    subject: reference => `Votre échéancier ${reference} a pris fin`,
    body: (unpaid, day) => `Sur l’échéance du ${day}, ${unpaid} sont restés impayés au-delà du délai
      accordé. Votre échéancier a donc pris fin.`,
    stop: `Les échéances encore ouvertes sont annulées : merci de ne plus rien verser au titre de
      l’échéancier. Ce qui reste dû redevient exigible aux dates d’origine indiquées ci-dessous.`,
    total: amount => `À ce jour, vous devez ${amount} au total :`,
    to_bill: `Les intérêts qui n’ont pas encore été facturés figureront sur votre prochaine
      facture.`,
    nothing: 'Plus rien n’est dû.',
  },
  labels: {
    loan: 'Prêt',
    amount: 'Montant',
    payout_on: 'Date de versement',
    repay_on: 'Date de remboursement',
    interest_estimated: 'Intérêts en cas de remboursement à la date convenue',
    account: 'Compte',
    bill: 'Facture',
    installment: 'Échéance',
    fee: 'Abonnement',
    to_pay: 'Montant à payer',
    due_on: 'Échéance',
    interest: 'Intérêts à ce jour',
    mandate: 'Mandat',
    creditor: 'Identifiant du créancier',
    principal: 'Capital restant dû',
    unbilled: 'Intérêts non encore facturés',
    debit: 'Prélèvement prévu',
    to_transfer: 'Montant à virer',
  },
}
