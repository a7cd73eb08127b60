import { isFree } from '@skyfolio/testkit/servers'

/** The port of the one URL that people open: SKYFOLIO_PORT, or 8080. @throws Error when that is not a port number */
export function publicPort(): number {
  const text = process.env.SKYFOLIO_PORT ?? '8080'
  const port = Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new Error(`SKYFOLIO_PORT is "${text}"; it must be a port number from 1 to 65535.`)
}

/** The port that the partner sandbox's page has in compose, and in a local system if it is free. */
export function preferredSandboxPort(): number {
  return Number(process.env.SKYFOLIO_SANDBOX_PORT || 8096)
}

/** The port that the mailbox's page has in compose, and in a local system if it is free. */
export function preferredMailboxPort(): number {
  return Number(process.env.SKYFOLIO_MAILBOX_PORT || 8025)
}

/** @throws Error with what to do when something listens on the port that this variable sets */
export async function requireFreePort(port: number, variable = 'SKYFOLIO_PORT'): Promise<void> {
  if (await isFree(port)) return
  throw new Error(`Port ${port} is taken. Free it, or choose another: ${variable}=${port + 10} npm start`)
}
