/** Numbers of cards, wherever they may turn up by mistake: none of them stays. */

/** 13 to 19 digits in a row, also in groups. */
const CANDIDATE = /(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-])/g

const MASK = '[card number]'

/** The text with whatever has the length and the check digit of a card number masked. */
export function withoutCardNumbers(text: string): string {
  return text.replace(CANDIDATE, found => (passesLuhn(found.replace(/\D/g, '')) ? MASK : found))
}

function passesLuhn(digits: string): boolean {
  let sum = 0
  for (const [at, digit] of [...digits].reverse().entries()) {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2)
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}
