const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})\d{3}Z$/

/** Whether a text from a cursor is a time that exists, ISO 8601 with microseconds. JavaScript also reads 30 February. */
export function isExactTime(text: string): boolean {
  const milliseconds = TIME.exec(text)?.[1]
  if (!milliseconds || milliseconds.startsWith('0000')) return false
  const time = new Date(`${milliseconds}Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString() === `${milliseconds}Z`
}
