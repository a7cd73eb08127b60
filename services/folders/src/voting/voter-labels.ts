const LABEL_DIGITS = 16
const HASH_DIGITS = 32

/** The first half of a voter's hash: enough to distinguish voters, useless for voting. */
export function voterLabel(voter: string): string {
  return voter.replaceAll('-', '').slice(0, LABEL_DIGITS)
}

/** The smallest and the largest hash with this label, in the text form of UUIDs. */
export function hashRange(label: string): [first: string, last: string] {
  return [label.padEnd(HASH_DIGITS, '0'), label.padEnd(HASH_DIGITS, 'f')]
}
