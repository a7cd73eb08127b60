import { between, pick, randomOf } from '../state/random.ts'
import { isOnLand, milesBetween, nearestCity, type Position } from './geography.ts'

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

/** Made-up stores around Duluth, Minnesota; more precise than the generated ones elsewhere. */
const DULUTH: Position = { latitude: 46.8, longitude: -92 }
const DULUTH_RADIUS_MILES = 40
const DULUTH_STORES: readonly Store[] = [
  near('4101', 'Duluth London Road', '4402 London Rd', 'Duluth', 'MN', '55804', '218-555-0141', 46.8254, -92.0332, {}),
  near(
    '4102',
    'Duluth Downtown',
    '118 W Superior St',
    'Duluth',
    'MN',
    '55802',
    '218-555-0142     ',
    46.7862,
    -92.1002,
    {
      opensAt: 7 * 60,
      closesAt: 21 * 60,
      leadMinutes: 45,
    },
  ),
  near('4103', 'Duluth Lakeside', '5105 E Superior St', 'Duluth', 'MN', '55804', '218-555-0143', 46.8327, -92.0181, {
    leadMinutes: 90,
  }),
  near(
    '4104',
    'Duluth Miller Hill',
    '1902 Maple Grove Rd',
    'Duluth',
    'MN',
    '55811',
    '  218-555-0144',
    46.8064,
    -92.1628,
    {},
  ),
  near('4105', 'Hermantown', '4960 Haines Rd', 'Hermantown', 'MN', '55811', '218-555-0145', 46.8092, -92.2201, {
    closesAt: 20 * 60,
  }),
  near(
    '4106',
    'Superior Tower Avenue',
    '2705 Tower Ave',
    'Superior',
    'WI',
    '54880',
    '715-555-0146',
    46.7003,
    -92.1043,
    {
      isUnscheduled: true,
      taxRate: 5.5,
    },
  ),
  near('4107', 'Two Harbors', '702 7th Ave', 'Two Harbors', 'MN', '55616', '218-555-0147  ', 47.0269, -91.6733, {
    closesAt: 19 * 60,
    leadMinutes: 120,
  }),
]

function near(
  storeNum: string,
  storeName: string,
  street: string,
  city: string,
  state: string,
  zip: string,
  phone: string,
  latitude: number,
  longitude: number,
  differences: Partial<Store>,
): Store {
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

// Elsewhere each cell of a grid over the world has a store or none, always the same; its number tells its cell.
const CELL_DEGREES = 0.125
const ROWS = 180 / CELL_DEGREES
const COLUMNS = 360 / CELL_DEGREES
const FIRST_GENERATED = 1_000_000
const CELLS_WITH_STORE = 0.3

function storesAround({ latitude, longitude }: Position): Store[] {
  const row = Math.floor((latitude + 90) / CELL_DEGREES)
  const column = Math.floor((longitude + 180) / CELL_DEGREES)
  const rows = Math.ceil(SEARCH_MILES / (69 * CELL_DEGREES))
  const columns = Math.min(40, Math.ceil(rows / Math.max(0.05, Math.cos((latitude * Math.PI) / 180))))
  const stores: Store[] = []
  for (let north = Math.max(0, row - rows); north <= Math.min(ROWS - 1, row + rows); north++) {
    for (let east = column - columns; east <= column + columns; east++) {
      const store = storeOfCell(north, (east + COLUMNS) % COLUMNS)
      if (store) stores.push(store)
    }
  }
  return stores
}

const STREETS = [
  'Main St',
  'Oak Ave',
  'Washington Ave',
  'Lake Rd',
  'Market St',
  'University Ave',
  'Park Blvd',
  'Mill Rd',
]
const QUARTERS = ['Central', 'Northside', 'Southgate', 'Riverside', 'Westfield', 'Hillcrest', 'Parkway', 'Eastgate']

function storeOfCell(row: number, column: number): Store | undefined {
  const random = randomOf(`store ${row} ${column}`)
  if (random() >= CELLS_WITH_STORE) return undefined
  const latitude = round((row + random()) * CELL_DEGREES - 90)
  const longitude = round((column + random()) * CELL_DEGREES - 180)
  const position = { latitude, longitude }
  if (!isOnLand(position) || milesBetween(position, DULUTH) < DULUTH_RADIUS_MILES) return undefined
  const { city, state, zipPrefix, timeZone } = nearestCity(position)
  const phone = `${between(random, 201, 989)}-555-01${between(random, 10, 99)}`
  return {
    ...position,
    storeNum: String(FIRST_GENERATED + row * COLUMNS + column),
    storeName: `${city} ${pick(random, QUARTERS)}`,
    street: `${between(random, 100, 9900)} ${pick(random, STREETS)}`,
    ...{ city, state, zip: `${zipPrefix}${String(between(random, 1, 99)).padStart(2, '0')}`, timeZone },
    phone: random() < 0.25 ? `${phone}     ` : phone,
    opensAt: pick(random, [7, 8, 8, 9]) * 60,
    closesAt: pick(random, [20, 21, 22, 22]) * 60,
    leadMinutes: pick(random, [45, 60, 60, 90]),
    isUnscheduled: random() < 0.08,
    taxRate: pick(random, [0, 5.5, 6, 7.25, 8.875]),
  }
}

function round(degrees: number): number {
  return Math.round(degrees * 10_000) / 10_000
}
