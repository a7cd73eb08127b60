/** Control characters, those that change the direction of the text around them, and those of no width or of a new line. */
export const UNPRINTABLE = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu
/** A text without a visible character: spaces, joiners, fillers. */
const INVISIBLE = /^[\s\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]*$/u

/** A text as one displayable line: line breaks become spaces; empty when nothing in it is visible. */
export function oneLine(text: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replaceAll(UNPRINTABLE, '')
    .trim()
    .toWellFormed()
  return INVISIBLE.test(line) ? '' : line
}
