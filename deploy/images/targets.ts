import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const DOCKERFILE = fileURLToPath(new URL('../Dockerfile', import.meta.url))

/** The Dockerfile's targets that are images: those after its last headline. */
export function targets(): string[] {
  const images = readFileSync(DOCKERFILE, 'utf8').split('# ---- The images.')[1] ?? ''
  return [...images.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name ?? '')
}
