import gateway from '../../gateway/openapi.json' with { type: 'json' }
import { PROXIED_ROUTES } from '../../gateway/src/proxy/route-table.ts'

/** A route of the public port. */
export interface PublicRoute {
  method: string
  /** In Fastify's notation. */
  path: string
}

/** All routes of the gateway's table and its own. */
export function publicRoutes(): PublicRoute[] {
  const own = Object.entries(gateway.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  )
  return [...PROXIED_ROUTES.map(({ method, path }) => ({ method, path })), ...own]
}

export const keyOf = ({ method, path }: PublicRoute): string => `${method} ${path}`
