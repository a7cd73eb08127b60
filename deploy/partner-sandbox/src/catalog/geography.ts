export interface Position {
  latitude: number
  longitude: number
}

export interface City {
  city: string
  state: string
  /** First three digits. */
  zipPrefix: string
  timeZone: string
}

const EARTH_RADIUS_MILES = 3958.8
const radians = (degrees: number) => (degrees * Math.PI) / 180

export function milesBetween(one: Position, other: Position): number {
  const latitude = radians(other.latitude - one.latitude)
  const longitude = radians(other.longitude - one.longitude)
  const half =
    Math.sin(latitude / 2) ** 2 +
    Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude)) * Math.sin(longitude / 2) ** 2
  return 2 * EARTH_RADIUS_MILES * Math.asin(Math.min(1, Math.sqrt(half)))
}

/** A rough outline of the contiguous United States, as longitude and latitude. */
const OUTLINE = parsePoints(`
  -124.7 48.4  -122.8 49  -95.2 49  -93 48.6  -89.6 48  -88.4 48.3  -84.8 46.8  -83.6 46  -82.5 45.3  -82.4 43  -83.1 42
  -81.2 42.2  -78.9 42.8  -79 43.3  -76.8 43.6  -74.7 45  -71.5 45  -69.2 47.4  -67.8 47.1  -67 44.8  -70 43.7  -70.6 42.6
  -69.9 41.7  -71.9 41  -73.9 40.4  -74.2 39.4  -75 38.4  -75.9 36.9  -75.5 35.2  -77.9 33.9  -79.5 33  -81.2 31.3
  -81.3 29.8  -80 26.8  -80.3 25.2  -81.8 26  -82.8 27.8  -83.6 29.8  -85.3 29.7  -88 30.3  -89.4 29.2  -91.5 29.4
  -94 29.6  -97.2 27.8  -97.3 25.9  -99.2 26.5  -101.4 29.8  -103.1 29  -104.5 29.7  -106.5 31.8  -111 31.3  -114.8 32.5
  -117.1 32.5  -118.5 33.9  -120.6 34.6  -121.9 36.6  -123.8 39.3  -124.4 40.4  -124.5 42.9  -124 46.2`)

function parsePoints(text: string): [number, number][] {
  const numbers = text.trim().split(/\s+/).map(Number)
  return numbers.flatMap((value, index) =>
    index % 2 === 0 ? [[value, numbers[index + 1] ?? 0] as [number, number]] : [],
  )
}

/** Open sea without stores: south, north, west, east. Islands with stores are listed after it. */
const SEAS = [
  [-90, -60, -180, 180],
  [78, 90, -180, 180],
  [-60, 54, -180, -128],
  [0, 20, -128, -106],
  [-60, 0, -128, -82],
  [-60, 0, -33, 8],
  [0, 45, -58, -20],
  [45, 60, -50, -12],
  [23, 40, -72, -58],
  [18.5, 29.2, -97, -82],
  [-60, -10, 60, 95],
  [-12, 50, 160, 180],
] as const
const ISLANDS = [
  [18.8, 22.3, -160.3, -154.7],
  [36.9, 39.8, -31.3, -25],
] as const

function isInside({ latitude, longitude }: Position, box: readonly [number, number, number, number]): boolean {
  const [south, north, west, east] = box
  return latitude >= south && latitude <= north && longitude >= west && longitude <= east
}

function isInOutline({ latitude, longitude }: Position): boolean {
  let inside = false
  OUTLINE.forEach(([x, y], index) => {
    const [previousX, previousY] = OUTLINE.at(index - 1) as [number, number]
    const crosses = y > latitude !== previousY > latitude
    if (crosses && longitude < ((previousX - x) * (latitude - y)) / (previousY - y) + x) inside = !inside
  })
  return inside
}

/** Whether the sandbox has stores here: in the United States, and roughly on land elsewhere. */
export function isOnLand(position: Position): boolean {
  if (isInOutline(position) || ISLANDS.some((box) => isInside(position, box))) return true
  return !SEAS.some((box) => isInside(position, box))
}

const CITIES = parseCities({
  'America/New_York': `New York,NY,100,40.71,-74.01;Buffalo,NY,142,42.89,-78.88;Albany,NY,122,42.65,-73.76;Boston,MA,021,42.36,-71.06;
    Portland,ME,041,43.66,-70.26;Bangor,ME,044,44.8,-68.77;Burlington,VT,054,44.48,-73.21;Manchester,NH,031,42.99,-71.46;
    Providence,RI,029,41.82,-71.41;Hartford,CT,061,41.76,-72.67;Newark,NJ,071,40.74,-74.17;Philadelphia,PA,191,39.95,-75.17;
    Pittsburgh,PA,152,40.44,-80;Wilmington,DE,198,39.74,-75.54;Baltimore,MD,212,39.29,-76.61;Washington,DC,200,38.91,-77.04;
    Richmond,VA,232,37.54,-77.44;Charleston,WV,253,38.35,-81.63;Raleigh,NC,276,35.78,-78.64;Charlotte,NC,282,35.23,-80.84;
    Columbia,SC,292,34,-81.03;Atlanta,GA,303,33.75,-84.39;Savannah,GA,314,32.08,-81.09;Jacksonville,FL,322,30.33,-81.66;
    Orlando,FL,328,28.54,-81.38;Miami,FL,331,25.76,-80.19;Tampa,FL,336,27.95,-82.46;Columbus,OH,432,39.96,-83;
    Cleveland,OH,441,41.5,-81.69;Detroit,MI,482,42.33,-83.05;Marquette,MI,498,46.54,-87.4;Indianapolis,IN,462,39.77,-86.16;
    Louisville,KY,402,38.25,-85.76;Knoxville,TN,379,35.96,-83.92`,
  'America/Chicago': `Chicago,IL,606,41.88,-87.63;Springfield,IL,627,39.78,-89.65;Milwaukee,WI,532,43.04,-87.91;
    Eau Claire,WI,547,44.81,-91.5;Duluth,MN,558,46.79,-92.1;Minneapolis,MN,554,44.98,-93.27;Fargo,ND,581,46.88,-96.79;
    Bismarck,ND,585,46.81,-100.78;Sioux Falls,SD,571,43.55,-96.7;Omaha,NE,681,41.26,-95.93;Des Moines,IA,503,41.59,-93.62;
    St Louis,MO,631,38.63,-90.2;Kansas City,MO,641,39.1,-94.58;Wichita,KS,672,37.69,-97.34;Tulsa,OK,741,36.15,-95.99;
    Oklahoma City,OK,731,35.47,-97.52;Dallas,TX,752,32.78,-96.8;Houston,TX,770,29.76,-95.37;San Antonio,TX,782,29.42,-98.49;
    Lubbock,TX,794,33.58,-101.86;New Orleans,LA,701,29.95,-90.07;Shreveport,LA,711,32.53,-93.75;Jackson,MS,392,32.3,-90.18;
    Birmingham,AL,352,33.52,-86.8;Little Rock,AR,722,34.75,-92.29;Nashville,TN,372,36.16,-86.78;Memphis,TN,381,35.15,-90.05`,
  'America/Denver': `Denver,CO,802,39.74,-104.99;Grand Junction,CO,815,39.06,-108.55;Cheyenne,WY,820,41.14,-104.82;
    Casper,WY,826,42.85,-106.33;Billings,MT,591,45.78,-108.5;Missoula,MT,598,46.87,-114;Boise,ID,837,43.62,-116.2;
    Salt Lake City,UT,841,40.76,-111.89;St George,UT,847,37.1,-113.58;Albuquerque,NM,871,35.08,-106.65;El Paso,TX,799,31.76,-106.49;
    Rapid City,SD,577,44.08,-103.23`,
  'America/Phoenix': 'Phoenix,AZ,850,33.45,-112.07;Tucson,AZ,857,32.22,-110.97;Flagstaff,AZ,860,35.2,-111.65',
  'America/Los_Angeles': `Los Angeles,CA,900,34.05,-118.24;San Diego,CA,921,32.72,-117.16;Fresno,CA,937,36.74,-119.79;
    San Francisco,CA,941,37.77,-122.42;Sacramento,CA,958,38.58,-121.49;Redding,CA,960,40.59,-122.39;Las Vegas,NV,891,36.17,-115.14;
    Reno,NV,895,39.53,-119.81;Portland,OR,972,45.52,-122.68;Bend,OR,977,44.06,-121.31;Seattle,WA,981,47.61,-122.33;
    Spokane,WA,992,47.66,-117.43`,
  'America/Anchorage': 'Anchorage,AK,995,61.22,-149.9;Fairbanks,AK,997,64.84,-147.72;Juneau,AK,998,58.3,-134.42',
  'Pacific/Honolulu': 'Honolulu,HI,968,21.31,-157.86;Hilo,HI,967,19.72,-155.08',
  'America/Puerto_Rico': 'San Juan,PR,009,18.47,-66.11;Ponce,PR,007,18.01,-66.61',
})

function parseCities(zones: Record<string, string>): (City & Position)[] {
  return Object.entries(zones).flatMap(([timeZone, text]) =>
    text.split(';').map((entry) => {
      const [city = '', state = '', zipPrefix = '', latitude, longitude] = entry.trim().split(',')
      return { city, state, zipPrefix, timeZone, latitude: Number(latitude), longitude: Number(longitude) }
    }),
  )
}

const NEAREST_CITY_MILES = 300

/** The city whose name an address near here gets. The partner has no stores abroad; the sandbox has made-up ones. */
export function nearestCity(position: Position): City {
  const distances = CITIES.map((city) => ({ city, miles: milesBetween(position, city) }))
  const nearest = distances.reduce((best, other) => (other.miles < best.miles ? other : best))
  if (nearest.miles <= NEAREST_CITY_MILES) return nearest.city
  const hours = Math.round(position.longitude / 15)
  // The names of these zones count westwards.
  const timeZone = `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
  return { city: 'Sandbox City', state: 'SB', zipPrefix: '000', timeZone }
}
