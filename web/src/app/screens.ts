const home = () => import('../pages/home-page.tsx')

/** The code of the screens of signed-in users, by their paths. */
export const USER_SCREENS = [
  ['/', home],
  ['/upload', home],
  ['/folders', home],
  ['/folders/:id', () => import('../pages/folder-page.tsx')],
  ['/flights', () => import('../pages/flights-page.tsx')],
  ['/flights/:id', () => import('../pages/flight-page.tsx')],
  ['/orders', () => import('../pages/orders-page.tsx')],
  ['/orders/:id', () => import('../pages/order-page.tsx')],
  ['/metadata', () => import('../pages/metadata-page.tsx')],
  ['/profile', () => import('../pages/profile-page.tsx')],
] as const

/** The code of the screen at this path; undefined for a path of no user's screen. */
export function screenAt(pathname: string) {
  return USER_SCREENS.find(([path]) => new RegExp(`^${path.replace(':id', '[^/]+')}/?$`).test(pathname))?.[1]
}
