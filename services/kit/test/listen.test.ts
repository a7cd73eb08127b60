import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { freePort } from '@skyfolio/testkit/servers'
import { expect, test } from 'vitest'
import { buildServer, createLifetime, serve, startOps } from '../src/index.ts'
import { silent } from './fixtures/projection.ts'

const hasIpv6 = Object.values(networkInterfaces()).some((found) => found?.some(({ address }) => address === '::1'))

test.each([
  ['::', ['127.0.0.1', ...(hasIpv6 ? ['[::1]'] : [])]],
  ['127.0.0.1', ['127.0.0.1']],
])('HOST=%s answers at %j, health and metrics too', async (host, names) => {
  const life = createLifetime(silent)
  const app = await buildServer({ name: 'test', logger: silent })
  app.get('/', { config: { access: 'public' } }, async () => ({}))
  const opsPort = await freePort()
  await startOps(life, { host, port: opsPort })
  await serve(life, app, { host, port: 0 })
  const { port } = app.server.address() as AddressInfo
  const answers = async (name: string, url: string) => (await fetch(`http://${name}:${url}`)).status
  for (const name of names) {
    expect(await Promise.all([answers(name, `${port}/`), answers(name, `${opsPort}/livez`)])).toEqual([200, 200])
  }
  if (host !== '::' && hasIpv6) await expect(fetch(`http://[::1]:${port}/`)).rejects.toThrow()
  await life.close()
})
