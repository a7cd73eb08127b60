import { createLogger } from '@skyfolio/kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRenderLimiter } from '../src/limits.ts'
import { startMetadataReader } from '../src/metadata/metadata-reader.ts'
import { PLACES_FILE } from '../src/places/place-file.ts'
import { openPlaces } from '../src/places/places.ts'
import { processPhoto } from '../src/processing/process-photo.ts'
import { createRenderer } from '../src/renditions/renderer.ts'
import { startTestMedia, type TestMedia } from './support.ts'

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia()
})
afterAll(() => media.close())

test.each(['busy', 'greedy'])(
  'a photo that makes the metadata thread %s is ready without metadata, after one attempt',
  async (kind) => {
    const metadata = startMetadataReader(undefined, new URL(`./fixtures/${kind}-thread.ts`, import.meta.url))
    const logged: string[] = []
    const { id } = await media.upload(1)
    const deps = {
      ...media.worker,
      store: media.store,
      metadata,
      renderer: createRenderer(createRenderLimiter(1), 100_000_000),
      places: openPlaces(PLACES_FILE),
      logger: createLogger('media-worker', 'info', { write: (line: string) => void logged.push(line) }),
      afterCommit() {},
    }
    await processPhoto(deps, { id, run: 0 }, false)
    expect(await media.photo(id)).toMatchObject({
      status: 'ready',
      statusMessage: 'The metadata of this photo could not be read.',
      starts: 1,
      metadata: null,
    })
    expect(logged.join()).toContain(`"photoId":${id}`)
    await metadata.stop()
  },
)
