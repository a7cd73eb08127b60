import type { User } from '../api/types.ts'

interface NavigationLink {
  to: string
  label: string
  /** Further paths of the same screen. */
  others: RegExp
}

const LINKS: NavigationLink[] = [
  { to: '/', label: 'Photos', others: /^\/(upload|folders|flights)?(\/|$)/ },
  { to: '/orders', label: 'Orders', others: /^\/orders\// },
  { to: '/metadata', label: 'Meta Data', others: /^\/metadata\/$/ },
  { to: '/profile', label: 'Profile', others: /^\/profile\/$/ },
]
const ADMIN_LINKS: NavigationLink[] = [{ to: '/admin', label: 'Admin', others: /^\/admin\// }]

/** The links of a signed-in user. */
export function linksOf(user: Pick<User, 'isAdmin'>): NavigationLink[] {
  return user.isAdmin ? [...LINKS, ...ADMIN_LINKS] : LINKS
}

/** True when the link's screen is open. */
export function isOpen(link: NavigationLink, pathname: string): boolean {
  return pathname === link.to || link.others.test(pathname)
}
