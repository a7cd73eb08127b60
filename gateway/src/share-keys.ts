import { siteOf } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'

/** On whose account a request takes its share of what there is: its site, and its user if there is one. */
export function shareKeys({ identity }: Pick<FastifyRequest, 'identity'>): [site: string, ...user: string[]] {
  const site = siteOf(identity.address)
  return identity.userId === null ? [site] : [site, `user ${identity.userId}`]
}
