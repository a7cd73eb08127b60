const home = () => import('../pages/home-page.tsx')

/** The code of the screens of signed-in users, by their paths. */
export const USER_SCREENS = [
  ['/', home],
  ['/upload', home],
  ['/folders', home],
  ['/folders/:id', () => import('../pages/folder-page.tsx')],
  ['/folders/:id/present', () => import('../pages/present-page.tsx')],
  ['/flights', () => import('../features/flights/flights-screen.tsx')],
  ['/flights/:id', () => import('../features/flights/flight-screen.tsx')],
  ['/orders', () => import('../features/orders/orders-screen.tsx')],
  ['/orders/:id', () => import('../features/orders/order-screen.tsx')],
  ['/metadata', () => import('../features/metadata/metadata-screen.tsx')],
  ['/profile', () => import('../features/account/profile-screen.tsx')],
] as const

/** True for the screen that has the window for itself. */
export const isWithoutFrame = (pathname: string) => /^\/folders\/[^/]+\/present\/?$/.test(pathname)

/** What visitors see in place of the screens of users. */
export const signIn = () => import('../pages/auth-page.tsx')

/** The code of the screen at this path; undefined for a path of neither a user's screen nor the sign-in form. */
export function screenAt(pathname: string, isVisitor: boolean) {
  const [, screen] =
    USER_SCREENS.find(([path]) => new RegExp(`^${path.replace(':id', '[^/]+')}/?$`).test(pathname)) ?? []
  return pathname === '/auth' || (screen && isVisitor) ? signIn : screen
}
