/** UTF-16, detected by its byte order mark or by the `<` at the start of every packet. */
const UTF_16_STARTS: [string, string][] = [
  ['fffe', 'utf-16le'],
  ['3c00', 'utf-16le'],
  ['feff', 'utf-16be'],
  ['003c', 'utf-16be'],
]

/** Converts an XMP packet, which may be UTF-16, to UTF-8. */
export function xmpToUtf8(bytes: Buffer): Buffer {
  const [, encoding] = UTF_16_STARTS.find(([start]) => bytes.toString('hex', 0, 2) === start) ?? []
  return encoding ? Buffer.from(new TextDecoder(encoding).decode(bytes)) : bytes
}
