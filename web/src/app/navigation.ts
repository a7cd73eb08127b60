/** The links of a signed-in user. `others` matches further paths of the same screen. */
export const LINKS = [
  { to: '/', label: 'Photos', others: /^\/(upload|folders)?(\/|$)/ },
  { to: '/metadata', label: 'Meta Data', others: /^\/metadata\/$/ },
]

/** True when the link's screen is open. */
export function isOpen(link: (typeof LINKS)[number], pathname: string): boolean {
  return pathname === link.to || link.others.test(pathname)
}
