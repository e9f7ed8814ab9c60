/**
 * Characters of SEPA messages. Banks need only know the basic Latin set, so names and texts are
 * converted: mostly as EPC217-08 recommends, and accents by Unicode's decomposition.
 */

/** EPC is what every bank takes. DK has the German characters, which German banks take too. */
export type CharacterSet = 'EPC' | 'DK'

const OUTSIDE: Readonly<Record<CharacterSet, RegExp>> = {
  EPC: /[^A-Za-z0-9/\-?:().,'+ ]/gu,
  DK: /[^A-Za-z0-9/\-?:().,'+ ÄÖÜäöüß&*$%]/gu,
}

/** From a text of pairs: "&+" converts an ampersand to a plus sign. */
function table(pairs: string): [string, string][] {
  return pairs.split(' ').map(pair => {
    const [from, ...to] = pair
    return [from!, to.join('')]
  })
}

/**
 * What is neither a letter with an accent nor a compatible form of another character. Й and Ї are
 * listed because without their marks they would be other letters.
 */
const CONVERSIONS: ReadonlyMap<string, string> = new Map([
  ...table(`&+ !. "' #. $. %. *. ;, <. =. >. @. [( \\/ ]) ^. _- \`' {( |/ }) ~- €E £. ¥. §. ¦/`),
  ...table(`‘' ’' ‚, ‛' “' ”' „' «' »' ‹' ›' ′' ″' ´' ‐- ‑- ‒- –- —- ―- −- ×x ÷: ·. •. …. ¿? ¡.`),
  ...table('ßss ẞSS ÆAE æae ŒOE œoe ØO øo ŁL łl ĐD đd ÐD ðd ÞTH þth ıi ĦH ħh ŊN ŋn ŦT ŧt ĸk'),
  ...table('ΑA ΒV ΓG ΔD ΕE ΖZ ΗI ΘTH ΙI ΚK ΛL ΜM ΝN ΞX ΟO ΠP ΡR ΣS ΤT ΥY ΦF ΧCH ΨPS ΩO'),
  ...table('αa βv γg δd εe ζz ηi θth ιi κk λl μm νn ξx οo πp ρr σs ςs τt υy φf χch ψps ωo'),
  ...table('АA БB ВV ГG ДD ЕE ЖZH ЗZ ИI КK ЛL МM НN ОO ПP РR СS ТT УU ФF ХH ЦTS ЧCH ШSH'),
  ...table('ЙY йy ЩSHT ЪA ЬY ЫY ЭE ЮYU ЯYA аa бb вv гg дd еe жzh зz иi кk лl мm нn оo пp рr сs'),
  ...table('тt уu фf хh цts чch шsh щsht ъa ьy ыy эe юyu яya'),
  ...table('ЈJ ЉLJ ЊNJ ЋC ЂDJ ЏDZ ЅDZ ІI ЇYI ЄYE ҐG јj љlj њnj ћc ђdj џdz ѕdz іi їyi єye ґg'),
])

/**
 * The text in the characters of the set: accents are dropped (é is e), letters of other alphabets
 * and signs converted (ß is ss, & is +), everything else becomes a period. Spaces and control
 * characters become single spaces. Converting a result again does not change it.
 */
export function sepaText(text: string, set: CharacterSet): string {
  const composed = text.normalize('NFC').replace(/[\p{Cc}\s]+/gu, ' ')
  const visible = composed.replace(/\p{Cf}/gu, '')
  const converted = visible.replace(OUTSIDE[set], character => convert(character, set))
  return converted.replace(/ +/g, ' ').trim()
}

function convert(character: string, set: CharacterSet): string {
  const known = CONVERSIONS.get(character)
  if (known !== undefined) return known
  const parts = character.normalize('NFKD').replace(/\p{M}/gu, '')
  return [...parts]
    .map(part => (isSepaText(part, set) ? part : (CONVERSIONS.get(part) ?? '.')))
    .join('')
}

/** Whether the text has only characters of the set. */
export function isSepaText(text: string, set: CharacterSet): boolean {
  return text.search(OUTSIDE[set]) < 0
}

export const NAME_MAX = 70
export const TEXT_MAX = 140
export const TOWN_MAX = 35

/** The converted text, cut to `length` characters. */
export function cutText(text: string, length: number, set: CharacterSet): string {
  return sepaText(text, set).slice(0, length).trimEnd()
}
