import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { IDENTITY_HEADER, type Identity, signIdentity } from '@skyfolio/kit'
import { inject } from 'vitest'
import type {} from './global-setup.ts'

/** The servers that the whole run shares. Other files use them at the same time: take a database, a key prefix of your own. */
export function testServers(): { postgresUrl: string; redisUrl: string; natsUrl: string } {
  return inject('servers')
}

export const TEST_IDENTITY_KEYS = ['the-key-that-signs-the-identities-of-tests']

/** Headers of a request as the gateway would send it; default: a visitor without a session. */
export function identityHeaders(identity: Partial<Identity> = {}): Record<string, string> {
  const visitor = { userId: null, username: null, isAdmin: false, sessionHash: null, address: '127.0.0.1' }
  return { [IDENTITY_HEADER]: signIdentity({ ...visitor, ...identity }, TEST_IDENTITY_KEYS) }
}

/** Waits until the condition returns something truthy, and returns that; an error counts as "not yet". */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: { what: string; timeoutMs?: number },
): Promise<Exclude<T, false | null | undefined | 0 | ''>> {
  const timeoutMs = options.timeoutMs ?? 25_000
  let trouble: unknown
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await delay(10)) {
    try {
      const value = await condition()
      if (value) return value as Exclude<T, false | null | undefined | 0 | ''>
      trouble = undefined
    } catch (error) {
      trouble = error
    }
  }
  throw new Error(`${options.what}: not within ${timeoutMs} ms`, { cause: trouble })
}

export interface SamplePhotos {
  /** JPEGs of DJI drones with GPS and XMP. */
  drone: string[]
  /** Photos and other images with good, odd and broken EXIF. */
  exif: string[]
}

/** Sample photographs outside the repository (SAMPLE_PHOTOS, default `../shared/data` beside it); null where there are none. */
export function samplePhotos(): SamplePhotos | null {
  const beside = fileURLToPath(new URL('../../../../../shared/data', import.meta.url))
  const folder = process.env.SAMPLE_PHOTOS ?? beside
  if (!existsSync(join(folder, 'drone'))) return null
  const files = (name: string) =>
    readdirSync(join(folder, name))
      .filter((file) => file !== 'LICENSE')
      .sort()
      .map((file) => join(folder, name, file))
  return { drone: files('drone'), exif: files('exif') }
}
