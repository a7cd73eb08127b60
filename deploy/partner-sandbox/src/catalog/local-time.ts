/** Date and time on the clocks of a time zone. */
export interface LocalTime {
  year: number
  month: number
  day: number
  /** Minutes since midnight. */
  minutes: number
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...fields })
  formats.set(zone, format)
  return format
}

export function toLocal(time: number, zone: string): LocalTime {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(time)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts
  return { year, month, day, minutes: hour * 60 + minute }
}

/** The moment of this local time; minutes and days may run over. */
export function fromLocal({ year, month, day, minutes }: LocalTime, zone: string): number {
  const wanted = Date.UTC(year, month - 1, day, 0, minutes)
  const shift = (guess: number) => {
    const local = toLocal(guess, zone)
    return Date.UTC(local.year, local.month - 1, local.day, 0, local.minutes) - guess
  }
  const first = wanted - shift(wanted)
  return wanted - shift(first)
}

/** `9:05 PM` */
export function clockText(minutes: number): string {
  const [hour, minute] = [Math.floor(minutes / 60) % 24, minutes % 60]
  return `${hour % 12 || 12}:${String(minute).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`
}

/** `MM-DD-YYYY H:MM AM/PM` */
export function localText(time: number, zone: string): string {
  const { year, month, day, minutes } = toLocal(time, zone)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(month)}-${two(day)}-${year} ${clockText(minutes)}`
}
