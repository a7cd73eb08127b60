export type Position = readonly [number, number]

interface Stroke {
  width: number
  colour: string
  height?: number
  dash?: string
  cap?: 'butt' | 'round' | 'square'
}

/** Vector shapes for things that people build. Each has a colour and a height, so that it casts a shadow. */
export class Drawing {
  private readonly colourShapes: string[] = []
  private readonly heightShapes: string[] = []

  get hasHeights(): boolean {
    return this.heightShapes.length > 0
  }

  colours(): string {
    return this.colourShapes.join('')
  }

  heights(): string {
    return this.heightShapes.join('')
  }

  polygon(points: readonly Position[], colour: string, height = 0): void {
    this.add((fill) => `<polygon points="${join(points)}" fill="${fill}"/>`, colour, height)
  }

  circle([x, y]: Position, radius: number, colour: string, height = 0): void {
    this.add(
      (fill) => `<circle cx="${round(x)}" cy="${round(y)}" r="${round(radius)}" fill="${fill}"/>`,
      colour,
      height,
    )
  }

  /** A rectangle around its centre, turned by an angle in radians. */
  box(centre: Position, size: Position, angle: number, colour: string, height = 0): void {
    this.polygon(boxCorners(centre, size, angle), colour, height)
  }

  line(points: readonly Position[], { width, colour, height = 0, dash, cap = 'butt' }: Stroke): void {
    const dashes = dash ? ` stroke-dasharray="${dash}"` : ''
    const shape = (stroke: string) =>
      `<polyline points="${join(points)}" fill="none" stroke="${stroke}" stroke-width="${round(width)}" ` +
      `stroke-linecap="${cap}" stroke-linejoin="round"${dashes}/>`
    this.add(shape, colour, height)
  }

  /** A house with a gabled roof: the half that faces the sun is lighter. The ridge runs along the first side. */
  house(centre: Position, size: Position, angle: number, roof: { lit: string; shaded: string }, height: number): void {
    const [a, b, c, d] = boxCorners(centre, size, angle) as [Position, Position, Position, Position]
    const west = middle(a, d)
    const east = middle(b, c)
    this.polygon([a, b, c, d], roof.shaded, height)
    this.polygon([a, b, east, west], roof.lit)
    this.line([west, east], { width: 1.6, colour: '#00000040' })
  }

  private add(shape: (paint: string) => string, colour: string, height: number): void {
    this.colourShapes.push(shape(colour))
    if (height > 0) this.heightShapes.push(shape(`rgb(${height},${height},${height})`))
  }
}

/** Corners of a turned rectangle, beginning with the upper left. */
export function boxCorners([x, y]: Position, [width, height]: Position, angle: number): Position[] {
  const cos = Math.cos(angle) / 2
  const sin = Math.sin(angle) / 2
  const corner = (across: number, down: number): Position => [
    x + across * width * cos - down * height * sin,
    y + across * width * sin + down * height * cos,
  ]
  return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)]
}

/** Points along a smooth curve through the given ones (Catmull-Rom). */
export function curve(through: readonly Position[], steps = 16): Position[] {
  const points: Position[] = []
  const at = (index: number) => through[Math.min(through.length - 1, Math.max(0, index))] as Position
  for (let index = 0; index < through.length - 1; index += 1) {
    for (let step = 0; step < steps; step += 1) {
      const t = step / steps
      points.push([spline(0, at, index, t), spline(1, at, index, t)])
    }
  }
  points.push(at(through.length - 1))
  return points
}

function spline(axis: 0 | 1, at: (index: number) => Position, index: number, t: number): number {
  const before = at(index - 1)[axis]
  const from = at(index)[axis]
  const to = at(index + 1)[axis]
  const after = at(index + 2)[axis]
  const quadratic = 2 * before - 5 * from + 4 * to - after
  const cubic = 3 * from - before - 3 * to + after
  return 0.5 * (2 * from + (to - before) * t + quadratic * t * t + cubic * t * t * t)
}

function middle(a: Position, b: Position): Position {
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]
}

function join(points: readonly Position[]): string {
  return points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
