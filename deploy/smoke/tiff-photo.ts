const WIDTH = 480
const HEIGHT = 360

type Field = [tag: number, type: number, values: number[]]
const SHORT = 3
const LONG = 4
const RATIONAL = 5
const BYTES_OF_TYPE: Record<number, number> = { 1: 1, 2: 1, [SHORT]: 2, [LONG]: 4, [RATIONAL]: 4 }

/** A directory of a TIFF file at the offset `start`: its entries, then the values that do not fit into them. */
function directory(start: number, fields: Field[]): Buffer {
  const head = Buffer.alloc(2 + 12 * fields.length + 4)
  head.writeUInt16LE(fields.length, 0)
  const rest: Buffer[] = []
  let end = start + head.length
  for (const [index, [tag, type, values]] of fields.entries()) {
    const at = 2 + 12 * index
    const size = BYTES_OF_TYPE[type] ?? 1
    const value = Buffer.alloc(Math.max(4, size * values.length))
    for (const [number, each] of values.entries()) value.writeUIntLE(each, number * size, size)
    head.writeUInt16LE(tag, at)
    head.writeUInt16LE(type, at + 2)
    head.writeUInt32LE(type === RATIONAL ? values.length / 2 : values.length, at + 4)
    if (value.length === 4) {
      value.copy(head, at + 8)
      continue
    }
    head.writeUInt32LE(end, at + 8)
    rest.push(value)
    end += value.length
  }
  return Buffer.concat([head, ...rest])
}

/** Degrees, minutes and seconds as fractions. */
function angle(degrees: number): number[] {
  const seconds = Math.round(Math.abs(degrees) * 360_000)
  return [Math.floor(seconds / 360_000), 1, Math.floor(seconds / 6_000) % 60, 1, seconds % 6_000, 100]
}

const letter = (text: string) => [text.charCodeAt(0), 0]

/** A small TIFF photo with a position in decimal degrees; each `seed` gives different pixels. */
export function createTiffPhoto(latitude: number, longitude: number, seed: number): Buffer<ArrayBuffer> {
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 3)
  for (let index = 0; index < WIDTH * HEIGHT; index += 1) {
    const [x, y] = [index % WIDTH, Math.floor(index / WIDTH)]
    pixels[3 * index] = (x + seed) % 256
    pixels[3 * index + 1] = (y + Math.floor(seed / 256)) % 256
    pixels[3 * index + 2] = (x * y + Math.floor(seed / 65_536)) % 256
  }
  const gpsAt = 8 + pixels.length
  const gps = directory(gpsAt, [
    [1, 2, letter(latitude < 0 ? 'S' : 'N')],
    [2, RATIONAL, angle(latitude)],
    [3, 2, letter(longitude < 0 ? 'W' : 'E')],
    [4, RATIONAL, angle(longitude)],
  ])
  const mainAt = gpsAt + gps.length
  const main = directory(mainAt, [
    [0x100, LONG, [WIDTH]],
    [0x101, LONG, [HEIGHT]],
    [0x102, SHORT, [8, 8, 8]],
    [0x103, SHORT, [1]],
    [0x106, SHORT, [2]],
    [0x111, LONG, [8]],
    [0x115, SHORT, [3]],
    [0x116, LONG, [HEIGHT]],
    [0x117, LONG, [pixels.length]],
    [0x8825, LONG, [gpsAt]],
  ])
  const head = Buffer.from('II*\0\0\0\0\0', 'latin1')
  head.writeUInt32LE(mainAt, 4)
  return Buffer.concat([head, pixels, gps, main])
}
