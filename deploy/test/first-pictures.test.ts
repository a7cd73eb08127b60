import { expect, test } from 'vitest'
import { type CardPhoto, cardSources, coverSources } from '../../gateway/src/pages/first-pictures.ts'
import { sourcesForBox } from '../../web/src/components/renditions.ts'
import { COVER_BOX, PUBLIC_BOX } from '../../web/src/features/share/public-layout.ts'

// The gateway writes the first pictures of a public folder into the page, and the web application shows them again: if
// they differed, browsers would load some pictures twice.

const SIZES = [null, 200, 320, 500, 640, 1_000, 1_280, 1_281, 2_048, 4_000, 12_000]
const ALL = { smallUrl: 's', thumbnailUrl: 't', mediumUrl: 'm', previewUrl: 'p' } as const
const names = Object.keys(ALL) as (keyof typeof ALL)[]

/** Every combination of sizes and of renditions that exist. */
const photos: CardPhoto[] = SIZES.flatMap((width) =>
  SIZES.flatMap((height) =>
    Array.from({ length: 2 ** names.length }, (_, bits) => {
      const urls = names.map((name, index) => [name, bits & (2 ** index) ? `/api/uploads/${ALL[name]}.webp` : null])
      return { title: '', city: null, state: null, width, height, ...Object.fromEntries(urls) } as CardPhoto
    }),
  ),
)

test.each([
  ['a card', cardSources, PUBLIC_BOX],
  ['the cover', coverSources, COVER_BOX],
] as const)('gateway and web application choose the picture of %s among the same files', (_, sourcesInPage, box) => {
  expect(photos).toHaveLength(11 * 11 * 16)
  const inPage = photos.map((photo) => {
    const sources = sourcesInPage(photo)
    return { src: sources?.src ?? null, srcSet: sources?.srcset, sizes: sources?.sizes }
  })
  const inApplication = photos.map((photo) => {
    const { src, srcSet, sizes } = sourcesForBox(box, photo)
    return { src, srcSet, sizes }
  })
  expect(inPage).toEqual(inApplication)
})
