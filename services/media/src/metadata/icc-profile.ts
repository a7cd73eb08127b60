const HEAD_BYTES = 132
const TAG_BYTES = 12
const MAX_TAGS = 64
const MAX_LANGUAGES = 64
const LANGUAGE_BYTES = 12
/** How often a profile's texts may name the same bytes, on the average. */
const MAX_TIMES = 16

/** Bytes of the texts in all languages at this place; infinite when its numbers lead the parser astray. */
function textBytes(profile: Buffer, at: number): number {
  if (at + 16 > profile.length || profile.toString('latin1', at, at + 4) !== 'mluc') return 0
  const [languages, each] = [profile.readUInt32BE(at + 8), profile.readUInt32BE(at + 12)]
  if (languages > MAX_LANGUAGES || each < LANGUAGE_BYTES) return Number.POSITIVE_INFINITY
  let bytes = 0
  for (let entry = at + 16; entry < at + 16 + languages * each; entry += each) {
    if (entry + LANGUAGE_BYTES > profile.length) return Number.POSITIVE_INFINITY
    bytes += profile.readUInt32BE(entry + 4)
  }
  return bytes
}

/** Whether reading a colour profile is little work: its counts and lengths are what such a file can hold. */
export function isSafeProfile(profile: Buffer): boolean {
  if (profile.length < HEAD_BYTES) return false
  const tags = profile.readUInt32BE(HEAD_BYTES - 4)
  if (tags > MAX_TAGS || HEAD_BYTES + tags * TAG_BYTES > profile.length) return false
  let bytes = 0
  for (let at = HEAD_BYTES; at < HEAD_BYTES + tags * TAG_BYTES; at += TAG_BYTES)
    bytes += textBytes(profile, profile.readUInt32BE(at + 4))
  return bytes <= MAX_TIMES * profile.length
}
