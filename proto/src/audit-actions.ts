/** What the audit log records. Entries keep these names for ever: add new ones, never change their meaning. */
export const AUDIT_ACTIONS = [
  'user.edited',
  'user.promoted',
  'user.demoted',
  'user.disabled',
  'user.enabled',
  'user.quota-changed',
  'user.password-reset-sent',
  'user.deletion-requested',
  'user.deletion-revoked',
  'user.erased',
  'photo.viewed',
  'photo.deleted',
  'folder.viewed',
  'folder.deleted',
  'order.viewed',
  'order.resolved',
  'environment.changed',
  'test-order.placed',
] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]
