import { loadConfig } from '@skyfolio/kit'
import { describe, expect, test } from 'vitest'
import { checkPartnerAddresses, partnerSettings } from '../src/config.ts'

const load = (environment: Record<string, string>) => () => loadConfig(partnerSettings, environment)

describe('the address of the partner', () => {
  test.each(['https://services.example', 'http://localhost:8095', 'http://127.0.0.1:8095/', 'http://[::1]:8095'])(
    'may be %s in production',
    (url) => expect(load({ PARTNER_PRODUCTION_URL: url })().partnerProductionUrl).toBe(url),
  )

  test.each([
    'http://services.example',
    'http://127.0.0.1.example',
    'http://localhost.example',
    'http://10.0.0.1',
    'ftp://services.example',
  ])('may not be %s in production', (url) =>
    expect(load({ PARTNER_PRODUCTION_URL: url })).toThrow('PARTNER_PRODUCTION_URL must be a URL that starts with'),
  )

  test('may be http in the sandbox', () => {
    expect(load({ PARTNER_SANDBOX_URL: 'http://partner-sandbox:8080' })().partnerSandboxUrl).toBe(
      'http://partner-sandbox:8080',
    )
  })

  test.each([
    'https://user:secret@partner.example',
    'https://partner.example/?key=secret',
    'https://partner.example/#x',
  ])('has no secrets in it: %s', (url) => {
    for (const name of ['PARTNER_SANDBOX_URL', 'PARTNER_PRODUCTION_URL']) {
      expect(load({ [name]: url })).toThrow('without user, password, query and fragment')
      expect(load({ [name]: url })).not.toThrow('secret')
    }
  })
})

describe('beside the real production API', () => {
  const check = (sandbox: string | undefined, imageOrigin?: string) => () =>
    checkPartnerAddresses({
      partnerProductionUrl: 'https://services.example',
      partnerSandboxUrl: sandbox,
      ...(imageOrigin && { imageOrigin }),
    })

  test.each([
    'http://gateway:8080',
    'https://gateway',
    'https://localhost',
    'https://127.0.0.1',
    'https://[::1]',
    'https://10.0.0.1',
    'https://gateway.internal',
    'http://photos.example',
  ])('images cannot be at %s', (origin) =>
    expect(check('https://sandbox.example', origin)).toThrow('PRINT_IMAGE_ORIGIN'),
  )

  test.each(['https://photos.example', 'https://photos.example:8443', 'https://203.0.113.7', 'https://10.example'])(
    'images can be at %s',
    (origin) => expect(check('https://sandbox.example', origin)).not.toThrow(),
  )

  test.each(['http://partner-sandbox:8080', 'http://127.0.0.1:8095'])('the API key is not sent to %s', (url) =>
    expect(check(url)).toThrow('PARTNER_SANDBOX_URL'),
  )

  test('a sandbox and images are not required', () => expect(check(undefined)).not.toThrow())
})

test('beside a stand-in for production on loopback every address is allowed', () => {
  expect(() =>
    checkPartnerAddresses({
      partnerProductionUrl: 'http://127.0.0.1:9',
      partnerSandboxUrl: 'http://partner-sandbox:8080',
      imageOrigin: 'http://gateway:8080',
    }),
  ).not.toThrow()
})
