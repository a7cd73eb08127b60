// Deterministic noise. Fractal noise is computed once into a tile that repeats without a seam; scenes sample it at any
// scale and angle, which costs one lookup instead of one evaluation per octave.

export type Random = () => number
export type Field = (x: number, y: number) => number

type Kind = 'smooth' | 'ridged' | 'gentle'

/** `size` is a power of two. The tile of fine noise is small, so that it stays in the processor's cache. */
const TILES = {
  smooth: { size: 512, octaves: 7, gain: 0.5 },
  ridged: { size: 1024, octaves: 7, gain: 0.44 },
  gentle: { size: 1024, octaves: 3, gain: 0.3 },
} as const
const BASE_CELLS = 4
/** Keeps positions in a tile positive. */
const OFFSET = 1 << 20
const tiles = new Map<Kind, Float32Array>()

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** Smooth fractal noise in [0, 1]; the largest features are a quarter of `size` pixels wide. */
export function fractal(random: Random, size: number): Field {
  return sampler('smooth', random, size)
}

/** Smooth noise without fine detail, for rolling hills. */
export function hills(random: Random, size: number): Field {
  return sampler('gentle', random, size)
}

/** Fractal noise with sharp crests near 1, as mountain ridges have them. */
export function ridges(random: Random, size: number): Field {
  return sampler('ridged', random, size)
}

/** A number in [0, 1) for a cell of a grid. */
export function hash(x: number, y: number, seed: number): number {
  let h = Math.imul(x | 0, 0x27d4eb2d) ^ Math.imul(y | 0, 0x165667b1) ^ Math.imul(seed | 0, 0x9e3779b1)
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296
}

export function smoothstep(from: number, to: number, value: number): number {
  const t = Math.min(1, Math.max(0, (value - from) / (to - from)))
  return t * t * (3 - 2 * t)
}

function sampler(kind: Kind, random: Random, size: number): Field {
  const data = tile(kind)
  const side = TILES[kind].size
  const mask = side - 1
  const angle = random() * Math.PI * 2
  const cos = (Math.cos(angle) * side) / size
  const sin = (Math.sin(angle) * side) / size
  const left = random() * side + OFFSET
  const top = random() * side + OFFSET
  return (x, y) => {
    const u = x * cos - y * sin + left
    const v = x * sin + y * cos + top
    const column = u | 0
    const row = v | 0
    const fx = u - column
    const fy = v - row
    const x0 = column & mask
    const x1 = (column + 1) & mask
    const y0 = (row & mask) * side
    const y1 = ((row + 1) & mask) * side
    const upper = (data[y0 + x0] as number) * (1 - fx) + (data[y0 + x1] as number) * fx
    const lower = (data[y1 + x0] as number) * (1 - fx) + (data[y1 + x1] as number) * fx
    return upper * (1 - fy) + lower * fy
  }
}

function tile(kind: Kind): Float32Array {
  const kept = tiles.get(kind)
  if (kept) return kept
  const { size, octaves, gain } = TILES[kind]
  const data = new Float32Array(size * size)
  for (let octave = 0, amplitude = 1; octave < octaves; octave += 1, amplitude *= gain) {
    addOctave(data, size, { cells: BASE_CELLS << octave, seed: octave, amplitude, ridged: kind === 'ridged' })
  }
  stretch(data)
  tiles.set(kind, data)
  return data
}

interface Octave {
  /** Along each side of the tile. */
  cells: number
  seed: number
  amplitude: number
  ridged: boolean
}

/** Adds one octave of gradient noise. */
function addOctave(data: Float32Array, size: number, { cells, seed, amplitude, ridged }: Octave): void {
  const gradients = new Float32Array(cells * cells * 2)
  for (let cell = 0; cell < cells * cells; cell += 1) {
    const angle = hash(cell, seed, 7) * Math.PI * 2
    gradients[cell * 2] = Math.cos(angle)
    gradients[cell * 2 + 1] = Math.sin(angle)
  }
  const corner = (cx: number, cy: number, dx: number, dy: number) => {
    const at = ((cy % cells) * cells + (cx % cells)) * 2
    return (gradients[at] as number) * dx + (gradients[at + 1] as number) * dy
  }
  const step = cells / size
  for (let y = 0; y < size; y += 1) {
    const cy = Math.floor(y * step)
    const fy = y * step - cy
    const wy = fade(fy)
    for (let x = 0; x < size; x += 1) {
      const cx = Math.floor(x * step)
      const fx = x * step - cx
      const wx = fade(fx)
      const upper = corner(cx, cy, fx, fy) * (1 - wx) + corner(cx + 1, cy, fx - 1, fy) * wx
      const lower = corner(cx, cy + 1, fx, fy - 1) * (1 - wx) + corner(cx + 1, cy + 1, fx - 1, fy - 1) * wx
      const value = upper * (1 - wy) + lower * wy
      data[y * size + x] = (data[y * size + x] as number) + amplitude * (ridged ? 0.5 - Math.abs(value) : value)
    }
  }
}

function fade(t: number): number {
  return t * t * t * (t * (t * 6 - 15) + 10)
}

function stretch(data: Float32Array): void {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const value of data) {
    if (value < low) low = value
    if (value > high) high = value
  }
  for (let index = 0; index < data.length; index += 1) {
    data[index] = ((data[index] as number) - low) / (high - low)
  }
}
