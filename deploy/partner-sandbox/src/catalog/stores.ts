export interface Position {
  latitude: number
  longitude: number
}

export interface Store extends Position {
  storeNum: string
  storeName: string
  street: string
  city: string
  state: string
  zip: string
  /** May be padded, as the partner's are. */
  phone: string
  timeZone: string
  /** Minutes since midnight, store-local. */
  opensAt: number
  closesAt: number
  /** From an order to its prints, without queue. */
  leadMinutes: number
  /** Promises the sentinel in place of a time. */
  isUnscheduled: boolean
  /** Of sales, in percent. */
  taxRate: number
}

const DULUTH_RADIUS_MILES = 40
const DULUTH: Position = { latitude: 46.8, longitude: -92 }

/** Made-up stores around Duluth, Minnesota; more precise than the generated ones elsewhere. */
const DULUTH_STORES: readonly Store[] = [
  near('4101|Duluth London Road|4402 London Rd|Duluth|MN|55804|218-555-0141|46.8254|-92.0332'),
  near('4102|Duluth Downtown|118 W Superior St|Duluth|MN|55802|218-555-0142     |46.7862|-92.1002', {
    leadMinutes: 45,
  }),
  near('4103|Duluth Lakeside|5105 E Superior St|Duluth|MN|55804|218-555-0143|46.8327|-92.0181', { leadMinutes: 90 }),
  near('4104|Duluth Miller Hill|1902 Maple Grove Rd|Duluth|MN|55811|  218-555-0144|46.8064|-92.1628'),
  near('4105|Hermantown|4960 Haines Rd|Hermantown|MN|55811|218-555-0145|46.8092|-92.2201', { closesAt: 20 * 60 }),
  near('4106|Superior Tower Avenue|2705 Tower Ave|Superior|WI|54880|715-555-0146|46.7003|-92.1043', {
    isUnscheduled: true,
  }),
  near('4107|Two Harbors|702 7th Ave|Two Harbors|MN|55616|218-555-0147  |47.0269|-91.6733', { leadMinutes: 120 }),
]

function near(text: string, differences: Partial<Store> = {}): Store {
  const [storeNum = '', storeName = '', street = '', city = '', state = '', zip = '', phone = '', ...position] =
    text.split('|')
  const [latitude = 0, longitude = 0] = position.map(Number)
  return {
    ...{ storeNum, storeName, street, city, state, zip, phone, latitude, longitude },
    ...{ timeZone: 'America/Chicago', opensAt: 8 * 60, closesAt: 22 * 60, leadMinutes: 60, taxRate: 8.875 },
    isUnscheduled: false,
    ...differences,
  }
}

const SEARCH_MILES = 25
const MAX_FOUND = 10

export interface FoundStore {
  store: Store
  miles: number
}

/** Stores within 25 miles, the nearest first. */
export function findStores(position: Position): FoundStore[] {
  return [...DULUTH_STORES, ...storesAround(position)]
    .map((store) => ({ store, miles: milesBetween(position, store) }))
    .filter(({ miles }) => miles <= SEARCH_MILES)
    .sort((one, other) => one.miles - other.miles)
    .slice(0, MAX_FOUND)
}

export function findStore(storeNum: string): Store | undefined {
  const known = DULUTH_STORES.find((store) => store.storeNum === storeNum)
  if (known) return known
  const number = /^[1-9]\d{6}$/.test(storeNum) ? Number(storeNum) - FIRST_GENERATED : -1
  if (number < 0 || number >= ROWS * COLUMNS) return undefined
  return storeOfCell(Math.floor(number / COLUMNS), number % COLUMNS)
}

// Elsewhere each cell of a grid over the world has a store in its centre; its number tells its cell.
const CELL_DEGREES = 0.25
const ROWS = 180 / CELL_DEGREES
const COLUMNS = 360 / CELL_DEGREES
const FIRST_GENERATED = 1_000_000

function storesAround({ latitude, longitude }: Position): Store[] {
  const row = Math.floor((latitude + 90) / CELL_DEGREES)
  const column = Math.floor((longitude + 180) / CELL_DEGREES)
  return [row - 1, row, row + 1].flatMap((north) =>
    [column - 1, column, column + 1].flatMap((east) => storeOfCell(north, (east + COLUMNS) % COLUMNS) ?? []),
  )
}

function storeOfCell(row: number, column: number): Store | undefined {
  const latitude = (row + 0.5) * CELL_DEGREES - 90
  const longitude = (column + 0.5) * CELL_DEGREES - 180
  const isOutside = row < 0 || row >= ROWS
  if (isOutside || milesBetween({ latitude, longitude }, DULUTH) < DULUTH_RADIUS_MILES) return undefined
  const number = FIRST_GENERATED + row * COLUMNS + column
  const hours = Math.round(longitude / 15)
  const name = `Sandbox City ${row}-${column}`
  return {
    ...near(
      `${number}|${name}|${row} Main St|Sandbox City|SB|${10_000 + column}|555-555-0100|${latitude}|${longitude}`,
    ),
    // The names of these zones count westwards.
    timeZone: `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`,
  }
}

const EARTH_RADIUS_MILES = 3958.8
const radians = (degrees: number) => (degrees * Math.PI) / 180

function milesBetween(one: Position, other: Position): number {
  const latitude = radians(other.latitude - one.latitude)
  const longitude = radians(other.longitude - one.longitude)
  const half =
    Math.sin(latitude / 2) ** 2 +
    Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude)) * Math.sin(longitude / 2) ** 2
  return 2 * EARTH_RADIUS_MILES * Math.asin(Math.min(1, Math.sqrt(half)))
}
