/** The onboarding page's texts in French. */
import type { Texts } from './index.ts'

export const fr: Texts = {
  title: partner => `Financement avec ${partner}`,
  provided_by: lender => `Proposé par ${lender}`,
  language: 'Langue',
  loading: 'Un instant…',
  step: (n, of) => `Étape ${n} sur ${of}`,
  next: 'Continuer',
  back: 'Retour',
  required: 'Veuillez remplir ce champ.',
  choose: 'Veuillez choisir',
  resume:
    'Vous pouvez quitter cette page et y revenir avec le même lien dans les 24 heures ' +
    'suivant sa création.',
  company_title: 'Votre entreprise',
  company_text: 'Nous recherchons votre entreprise dans le registre public.',
  country: 'Pays',
  number: kind => `Numéro d’entreprise (${kind})`,
  example: number => `Par exemple ${number}`,
  look_up: 'Trouver mon entreprise',
  found_title: 'Est-ce votre entreprise ?',
  found_yes: 'Oui, continuer',
  found_no: 'Non, un autre numéro',
  refused_title: 'Nous ne pouvons pas financer cette entreprise pour le moment',
  representative_title: 'Représentant légal',
  representative_text: 'La personne habilitée à signer pour l’entreprise.',
  first_name: 'Prénom',
  last_name: 'Nom',
  birth_date: 'Date de naissance',
  nationality: 'Nationalité',
  country_of_residence: 'Pays de résidence',
  email: 'E-mail professionnel',
  email_hint: 'Les contrats et les factures sont envoyés à cette adresse.',
  repayment_title: 'Comment souhaitez-vous rembourser ?',
  direct_debit: 'Prélèvement',
  direct_debit_text: 'Nous prélevons les échéances sur votre compte. Vous n’avez rien à faire.',
  transfer: 'Virement',
  transfer_text: 'Vous virez vous-même les échéances, avec la référence que nous vous indiquons.',
  account_number: 'IBAN de l’entreprise',
  account_kept: end =>
    `Nous gardons le compte se terminant par ${end}, sauf si vous en saisissez un autre.`,
  bank_identifier: 'BIC',
  mandate_by: creditor => `Identifiant créancier SEPA ${creditor}`,
  terms_title: 'Lire et signer',
  terms_text: 'Veuillez lire les conditions. En signant, vous les acceptez pour votre entreprise.',
  terms_document: 'Ouvrir les conditions en PDF',
  terms_in: language => `Pour les entreprises de votre pays, les conditions sont en ${language}.`,
  accepts_terms: 'J’ai lu les conditions et je les accepte.',
  gives_mandate: 'Je donne le mandat de prélèvement ci-dessus.',
  sign: name => `Signer en tant que ${name}`,
  done_title: 'Bienvenue !',
  done_text: partner =>
    `Votre entreprise a signé. Nous vérifions ses données ; ${partner} vous préviendra dès ` +
    'que vous pourrez utiliser votre ligne de crédit.',
  done_mail: 'Nous vous envoyons vos documents par e-mail.',
  back_to: partner => `Retour vers ${partner}`,
  expired_title: 'Ce lien a expiré',
  expired_text: partner =>
    `Pour votre sécurité, il était valable 24 heures. Demandez un nouveau lien à ${partner}. ` +
    'Rien n’a été signé.',
  duplicate_title: 'Cette entreprise est déjà connue',
  duplicate_text: partner =>
    'Elle a déjà un compte, ou a commencé une autre inscription. Veuillez continuer chez ' +
    `${partner}.`,
  link_title: 'Ce lien est incomplet',
  link_text: 'Ouvrez-le tel que vous l’avez reçu, ou demandez-en un nouveau.',
  try_again: 'Réessayer',
  unreachable: 'Nous sommes injoignables. Vérifiez votre connexion et réessayez.',
  too_fast: 'Cela fait beaucoup à la fois. Attendez une minute et réessayez.',
  conflict: 'Quelque chose a changé entre-temps. Veuillez revoir cette étape.',
  failed: 'Une erreur est survenue de notre côté. Réessayez dans un instant.',
  faults: {
    identifier: 'Aucune entreprise ne correspond à ce numéro. Vérifiez-le, ainsi que le pays.',
    birth_date: 'Saisissez la date de naissance d’une personne majeure.',
    email: 'Saisissez une adresse e-mail comme nom@entreprise.fr.',
    account_number:
      'Ce n’est pas un IBAN de votre entreprise que nous pouvons prélever. Vérifiez-le.',
    bank_identifier: 'Ce n’est pas un BIC. Il compte 8 ou 11 caractères.',
    accepts_terms: 'Acceptez les conditions pour continuer.',
    gives_mandate: 'Donnez le mandat, ou choisissez le remboursement par virement.',
  },
}
