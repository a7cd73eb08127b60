import { lazyModule } from '../lib/lazy-module.ts'

const home = lazyModule(() => import('../pages/home-page.tsx'))

/** The code of the screens of signed-in users, by their paths. */
export const USER_SCREENS = [
  ['/', home],
  ['/upload', home],
  ['/folders', home],
  ['/folders/:id', lazyModule(() => import('../pages/folder-page.tsx'))],
  ['/flights', lazyModule(() => import('../pages/flights-page.tsx'))],
  ['/flights/:id', lazyModule(() => import('../pages/flight-page.tsx'))],
  ['/orders', lazyModule(() => import('../pages/orders-page.tsx'))],
  ['/orders/:id', lazyModule(() => import('../pages/order-page.tsx'))],
  ['/metadata', lazyModule(() => import('../pages/metadata-page.tsx'))],
  ['/profile', lazyModule(() => import('../pages/profile-page.tsx'))],
] as const

/** The code of the screen at this path; undefined for a path of no user's screen. */
export function screenAt(pathname: string) {
  return USER_SCREENS.find(([path]) => new RegExp(`^${path.replace(':id', '[^/]+')}/?$`).test(pathname))?.[1]
}
