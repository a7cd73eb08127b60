/** Plain spellings of letters that Unicode does not decompose. */
const PLAIN_LETTERS: Record<string, string> = {
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
}
/** Abbreviations in names. */
const ABBREVIATIONS: Record<string, string> = { st: 'saint', ste: 'sainte', ft: 'fort', mt: 'mount' }

/** A name in the form that a search compares: without case, accents, spaces and punctuation, abbreviations spelled out. */
export function normalizeName(name: string): string {
  const plain = name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßøæœłđðþı]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
    .replaceAll(/['’ʻ`]/g, '')
  const words = plain.split(/[^\p{L}\p{N}]+/u)
  return words.map((word) => (Object.hasOwn(ABBREVIATIONS, word) ? ABBREVIATIONS[word] : word)).join('')
}
