import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { PROXIED_ROUTES } from '../src/proxy/route-table.ts'
import { startGateway } from './support.ts'

const read = (name: string) => readFile(fileURLToPath(new URL(`../${name}`, import.meta.url)), 'utf8')

async function routesIn(document: string): Promise<string[]> {
  const { paths } = JSON.parse(await read(document)) as { paths: Record<string, object> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  )
}

async function routesOf(service: string): Promise<string[]> {
  return (await routesIn(`../services/${service}/openapi.json`)).map((route) => `${service}: ${route}`)
}

test('the route table holds every route of every service exactly once, and nothing else', async () => {
  const documents = globSync('*/openapi.json', { cwd: fileURLToPath(new URL('../../services', import.meta.url)) })
  expect(documents.length).toBeGreaterThan(2)
  const routes = await Promise.all(documents.map((path) => routesOf(dirname(path))))
  const table = PROXIED_ROUTES.map(({ service, method, path }) => `${service}: ${method} ${path}`)
  expect(table.sort()).toEqual(routes.flat().sort())
})

test('the public document holds every route of the table and of the gateway itself, and nothing else', async () => {
  const routes = await Promise.all(['openapi.json', 'src/generated/public-api.json'].map(routesIn))
  const [own = [], published = []] = routes
  const table = PROXIED_ROUTES.map(({ method, path }) => `${method} ${path}`)
  expect(published.sort()).toEqual([...own, ...table].sort())
})

test('no path belongs to two services', () => {
  const targets = PROXIED_ROUTES.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`)
  expect(new Set(targets).size).toBe(targets.length)
})

test('openapi.json is current', async () => {
  const gateway = await startGateway({ upstream: 'http://127.0.0.1:1' })
  expect(JSON.parse(await read('openapi.json'))).toEqual(JSON.parse(JSON.stringify(gateway.app.swagger())))
  await gateway.close()
})
