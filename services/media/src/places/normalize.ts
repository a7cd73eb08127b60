/** Letters that are no letter with an accent, in plain ones. */
const PLAIN: Record<string, string> = { ß: 'ss', ø: 'o', æ: 'ae', œ: 'oe', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }
/** What words of names are short for. */
const SPELT_OUT: Record<string, string> = { st: 'saint', ste: 'sainte', ft: 'fort', mt: 'mount' }

/** A name as it is compared in a search: without case, accents, spaces and punctuation, and with words spelt out. */
export function normalizeName(name: string): string {
  const plain = name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßøæœłđðþı]/g, (letter) => PLAIN[letter] ?? letter)
    .replaceAll(/['’ʻ`]/g, '')
  const words = plain.split(/[^\p{L}\p{N}]+/u)
  return words.map((word) => (Object.hasOwn(SPELT_OUT, word) ? SPELT_OUT[word] : word)).join('')
}
