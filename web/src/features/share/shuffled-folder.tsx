import { type ComponentProps, useMemo } from 'react'
import { SharedFolder } from './shared-folder.tsx'
import { shuffled } from './shuffle.ts'

/** A browser without random numbers has no fingerprint: its order is that of this visit. */
const VISIT = String(Math.random())

/** The voting page of a folder whose photos each voter sees in an order of their own, which stays. */
export function ShuffledFolder({ share, ...link }: ComponentProps<typeof SharedFolder>) {
  const { shuffleKey } = share.folder
  const voter = link.fingerprint || VISIT
  const photos = useMemo(() => shuffled(share.photos, shuffleKey ?? '', voter), [share.photos, shuffleKey, voter])
  return <SharedFolder share={{ ...share, photos }} {...link} />
}
