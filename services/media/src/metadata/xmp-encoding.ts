/** UTF-16 by its byte order mark, or by the `<` that every packet begins with. */
const MARKS: [string, string][] = [
  ['fffe', 'utf-16le'],
  ['3c00', 'utf-16le'],
  ['feff', 'utf-16be'],
  ['003c', 'utf-16be'],
]

/** An XMP packet in UTF-8: it may be in UTF-16. */
export function xmpToUtf8(bytes: Buffer): Buffer {
  const [, encoding] = MARKS.find(([mark]) => bytes.toString('hex', 0, 2) === mark) ?? []
  return encoding ? Buffer.from(new TextDecoder(encoding).decode(bytes)) : bytes
}
