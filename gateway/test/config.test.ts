import { loadConfig } from '@skyfolio/kit'
import { expect, test } from 'vitest'
import { settings } from '../src/config.ts'

const { trustedProxies, allowedOrigins } = settings
const load = (environment: Record<string, string>) => loadConfig({ trustedProxies, allowedOrigins }, environment)

test.each(['nonsense', '10.0.0.0/33', '10.0.0.1,proxy.example', '10.0.0.1:80', '0.0.0.0/0'])(
  'trusted proxies cannot be %s, which is not repeated',
  (value) => {
    const loading = () => load({ TRUSTED_PROXIES: value })
    expect(loading).toThrow('TRUSTED_PROXIES must have only addresses and networks')
    expect(loading).not.toThrow(value)
  },
)

test('trusted proxies are addresses, networks, and names of networks', () => {
  const value = '10.0.0.1,10.244.0.0/16,fd00:10::/32,::1,loopback'
  expect(load({ TRUSTED_PROXIES: value }).trustedProxies).toEqual(value.split(','))
})

test.each(['photos.example', 'null', 'capacitor://localhost', 'https://a.example,//b.example'])(
  'origins of the application cannot be %s: browsers send none for it, or that of any page without one',
  (value) => {
    expect(() => load({ ALLOWED_ORIGINS: value })).toThrow('ALLOWED_ORIGINS must have only URLs that start with http')
  },
)
