const HEX_DIGITS = 16

/** The first half of a voter's hash: enough to tell voters apart, and nothing to vote with. */
export function voterLabel(voter: string): string {
  return voter.replaceAll('-', '').slice(0, HEX_DIGITS)
}

/** The first and the last hash, as texts of uuids, whose label begins like this; all hashes by default. */
export function hashesOf(label = ''): [first: string, last: string] {
  return [label.padEnd(32, '0'), label.padEnd(32, 'f')]
}
