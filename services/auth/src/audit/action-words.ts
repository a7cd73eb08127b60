import type { AuditAction } from '@skyfolio/proto'

/** The words with which the web shows the actions, as far as their names do not have them. */
const WORDS: Record<AuditAction, string> = {
  'user.edited': 'changed',
  'user.promoted': 'made administrator',
  'user.demoted': 'took away administrator rights',
  'user.disabled': 'account',
  'user.enabled': 'account',
  'user.quota-changed': 'storage limit',
  'user.password-reset-sent': 'sent',
  'user.deletion-requested': 'account',
  'user.deletion-revoked': 'account',
  'user.erased': 'account',
  'photo.viewed': 'looked private',
  'photo.deleted': '',
  'folder.viewed': 'looked private',
  'folder.deleted': '',
  'order.viewed': 'looked',
  'order.resolved': '',
  'environment.changed': 'switched print',
  'test-order.placed': '',
}
/** Words of these texts that say nothing. */
const FILLERS = new Set(['a', 'an', 'at', 'of', 'the'])

export const isFiller = (word: string) => FILLERS.has(word)

/** Only whole words count, so that few names of users are taken for one. */
export const isShownWith = (action: AuditAction, word: string) => WORDS[action].split(' ').includes(word)
