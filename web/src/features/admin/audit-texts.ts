import { formatBytes } from '../../lib/format.ts'

/** What administrators do, in words; an action that is not known here is shown by its code. */
const ACTIONS: Record<string, string> = {
  'user.edited': 'Changed a user',
  'user.promoted': 'Made a user an administrator',
  'user.demoted': 'Took away administrator rights',
  'user.disabled': 'Disabled an account',
  'user.enabled': 'Enabled an account',
  'user.quota-changed': 'Changed a storage limit',
  'user.password-reset-sent': 'Sent a password reset',
  'user.deletion-requested': 'Requested the deletion of an account',
  'user.deletion-revoked': 'Revoked the deletion of an account',
  'user.erased': 'Erased an account',
  'photo.viewed': 'Looked at a private photo',
  'photo.deleted': 'Deleted a photo',
  'folder.viewed': 'Looked at a private folder',
  'folder.deleted': 'Deleted a folder',
  'order.viewed': 'Looked at an order',
  'order.resolved': 'Resolved an order',
  'environment.changed': 'Switched the print environment',
  'test-order.placed': 'Placed a test order',
}

export function describeAction(action: string): string {
  return Object.hasOwn(ACTIONS, action) ? (ACTIONS[action] as string) : action
}

/** Names of fields become words, and bytes a size: 'First name, email', '20.00 MB'. */
export function describeDetail(detail: string): string {
  const sized = detail.replaceAll(/\b(\d+) bytes\b/g, (_, bytes) => formatBytes(Number(bytes)))
  const words = sized.replaceAll(/\b([a-z]+)([A-Z][a-z]*)\b/g, (_, start, end) => `${start} ${end.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
