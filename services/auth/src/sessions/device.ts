import { oneLine } from '@skyfolio/kit'
import bowser from 'bowser'

const MAX_USER_AGENT_LENGTH = 512
const MAX_NAME_LENGTH = 60

/** What is stored of the header `User-Agent` of a sign-in: bounded, on one line; null without anything visible. */
export function readUserAgent(header: string | undefined): string | null {
  return oneLine((header ?? '').slice(0, MAX_USER_AGENT_LENGTH)) || null
}

/** A name for a user, such as 'Chrome on Windows'. It is what the browser said: nothing may be decided by it. */
export function deviceName(userAgent: string | null): string {
  if (!userAgent) return 'Unknown device'
  const { browser, os } = bowser.parse(userAgent)
  const parts = [browser.name, os.name].map((name) => name?.slice(0, MAX_NAME_LENGTH)).filter(Boolean)
  return parts.join(' on ') || 'Unknown device'
}
