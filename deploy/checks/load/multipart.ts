// Builds upload bodies without copying the photos. Imports nothing: both Node and k6 run this.

export interface LoadFile {
  /** ASCII, without quotes. */
  name: string
  /** The parts of the file, in order. */
  pieces: Uint8Array[]
}

/** Makes another file of the same image: adds this text (at most 65,533 bytes) as a comment after the first marker. */
export function withComment(jpeg: Uint8Array, text: Uint8Array): Uint8Array[] {
  const length = text.length + 2
  const head = new Uint8Array(6)
  head.set([0xff, 0xd8, 0xff, 0xfe, length >> 8, length & 0xff])
  return [head, text, jpeg.subarray(2)]
}

/** Builds a multipart form with these fields of text, and these files in one field. */
export function createForm(
  boundary: string,
  field: string,
  files: LoadFile[],
  texts: Record<string, string> = {},
): Uint8Array[] {
  const pieces = Object.entries(texts).map(([name, text]) =>
    ascii(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`),
  )
  for (const file of files) {
    const disposition = `Content-Disposition: form-data; name="${field}"; filename="${file.name}"`
    pieces.push(ascii(`--${boundary}\r\n${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`))
    pieces.push(...file.pieces, ascii('\r\n'))
  }
  return [...pieces, ascii(`--${boundary}--\r\n`)]
}

export function sizeOf(pieces: Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0)
}

/** Joins the pieces into one array. */
export function concatenate(pieces: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(sizeOf(pieces))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

function ascii(text: string): Uint8Array {
  return new Uint8Array(Array.from(text, (character) => character.charCodeAt(0)))
}
