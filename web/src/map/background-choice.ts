import { remember, remembered } from '../lib/remember.ts'
import { createStore } from '../lib/store.ts'

const KEY = 'map-background'

/** The host of another server's map that this browser's user has agreed to load; null: the own map. */
export const agreedHost = createStore<string | null>(remembered(KEY))

/** Remembers the host that the user has agreed to, or, with null, the choice of the own map. */
export function agreeToHost(host: string | null): void {
  agreedHost.set(host)
  remember(KEY, host)
}

/** The map if the user has agreed to its host: the operator may have replaced the server of that time by another one. */
export function ifAgreed<Tiles extends { url: string }>(external: Tiles | null, host: string | null): Tiles | null {
  return external && hostOf(external.url) === host ? external : null
}

/** 'tiles.example.org' of a tile URL. */
export function hostOf(url: string): string {
  return new URL(url).host
}
