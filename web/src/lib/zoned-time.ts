/** '8:00 PM CET' today, 'Dec 1, 8:00 PM CET' on another day, with the year in another one; in the user's time zone. */
export function formatMoment(iso: string, now: number = Date.now()): string {
  const date = new Date(iso)
  const today = new Date(now)
  const time = date.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' })
  const zone = zoneName(date)
  if (date.toDateString() === today.toDateString()) return `${time} ${zone}`
  const year = date.getFullYear() === today.getFullYear() ? undefined : 'numeric'
  return `${date.toLocaleDateString('en-US', { month: 'short', day: 'numeric', year })}, ${time} ${zone}`
}

/** 'CET', 'EST', else 'GMT+9': a locale has the short names of its own part of the world only. */
export function zoneName(date = new Date()): string {
  const nameIn = (locale: string) =>
    new Intl.DateTimeFormat(locale, { timeZoneName: 'short' })
      .formatToParts(date)
      .find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const american = nameIn('en-US')
  return american.startsWith('GMT') ? nameIn('en-GB') : american
}
