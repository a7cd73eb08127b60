import type { AccountDeletion, ServiceErasure } from '../../api/types.ts'

/** A service that is still silent after this time is worth a notice. */
const EXPECTED_MS = 10 * 60_000

const SERVICES: Record<string, string> = {
  folders: 'Folders and votes',
  media: 'Photos and files',
  'print-orders': 'Print orders',
}

/** What a service erases. */
export function nameOfService({ service }: ServiceErasure): string {
  return SERVICES[service] ?? service
}

/** How far a service is. */
export function describeService({ complete, waitsFor }: ServiceErasure): string {
  if (complete) return 'Erased'
  return waitsFor || 'Not confirmed yet'
}

/** True when an order must be resolved first, which an administrator can do. */
export function waitsForOrder({ service, complete, waitsFor }: ServiceErasure): boolean {
  return service === 'print-orders' && !complete && /\bunknown\b/i.test(waitsFor)
}

/** True for an erasure that waits for something, or that a service has not confirmed in time. */
export function isHeldUp(deletion: AccountDeletion, now = Date.now()): boolean {
  if (deletion.status !== 'erasing') return false
  const open = deletion.services.filter(({ complete }) => !complete)
  if (open.some(({ waitsFor }) => waitsFor)) return true
  return now - Date.parse(deletion.erasingSince ?? deletion.deletesAt) > EXPECTED_MS
}

/** The user's name, or the id where the name is erased. */
export function nameOf({ username, userId }: Pick<AccountDeletion, 'username' | 'userId'>): string {
  return username ?? `User ${userId}`
}
