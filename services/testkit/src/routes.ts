/** Something with Fastify's router. */
interface Router {
  printRoutes(options: { commonPrefix: false }): string
}

/** All routes of a service, including hidden ones, as method and URL pattern; without HEAD, which comes with GET. */
export function routesOf(app: Router): string[] {
  const above: string[] = []
  const tree = app.printRoutes({ commonPrefix: false })
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods = ''] = /^((?:[│ ] {3})*)[├└]── (\S+)(?: \((.*)\))?/.exec(line) ?? []
    const depth = indent.length / 4
    above.splice(depth, above.length, part)
    const path = above.join('')
    return methods
      .split(', ')
      .filter((method) => method !== '' && method !== 'HEAD')
      .map((method) => `${method} ${path}`)
  })
}

/** What differs between the routes of a service and those that a table has rows for: both lists are empty when nothing does. */
export function compareRoutes(
  app: Router,
  rows: { route: string }[],
): { withoutRow: string[]; withoutRoute: string[] } {
  const routes = new Set(routesOf(app))
  const named = new Set(rows.map(({ route }) => route))
  return {
    withoutRow: [...routes].filter((route) => !named.has(route)),
    withoutRoute: [...named].filter((route) => !routes.has(route)),
  }
}
