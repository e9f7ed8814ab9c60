/**
 * Eligibility: whether a company could borrow, be paid, or be financed upon, answered from the
 * register, the checks of companies and a partner's own data by pure rules. Nothing is written.
 * Here are also the sentences, in five languages, for every code with which something is refused.
 */
export { fullAnswer } from './answers.ts'
export { translationOf } from './denial-texts.ts'
export { gather, type Learnt, learn, readMeaning } from './look-up.ts'
export { reasonsAgainst } from './rules.ts'
