const HEAD_BYTES = 132
const TAG_BYTES = 12
const MAX_TAGS = 64
const MAX_LANGUAGES = 64
const LANGUAGE_BYTES = 12
/** How often texts may refer to the same bytes of a profile, on average. */
const MAX_OVERLAP = 16

/** Whether parsing a colour profile is little work: its counts and lengths are possible for its size. */
export function isSafeProfile(profile: Buffer): boolean {
  if (profile.length < HEAD_BYTES) return false
  const tags = profile.readUInt32BE(HEAD_BYTES - 4)
  if (tags > MAX_TAGS || HEAD_BYTES + tags * TAG_BYTES > profile.length) return false
  let bytes = 0
  for (let at = HEAD_BYTES; at < HEAD_BYTES + tags * TAG_BYTES; at += TAG_BYTES)
    bytes += textBytes(profile, profile.readUInt32BE(at + 4))
  return bytes <= MAX_OVERLAP * profile.length
}

/** Bytes of the texts in all languages at this offset; infinite when its counts would mislead the parser. */
function textBytes(profile: Buffer, at: number): number {
  if (at + 16 > profile.length || profile.toString('latin1', at, at + 4) !== 'mluc') return 0
  const [languages, entryBytes] = [profile.readUInt32BE(at + 8), profile.readUInt32BE(at + 12)]
  if (languages > MAX_LANGUAGES || entryBytes < LANGUAGE_BYTES) return Number.POSITIVE_INFINITY
  let bytes = 0
  for (let entry = at + 16; entry < at + 16 + languages * entryBytes; entry += entryBytes) {
    if (entry + LANGUAGE_BYTES > profile.length) return Number.POSITIVE_INFINITY
    bytes += profile.readUInt32BE(entry + 4)
  }
  return bytes
}
