import '@photo-sphere-viewer/core/index.css'
import { Cache, EquirectangularAdapter, Viewer } from '@photo-sphere-viewer/core'
import { GyroscopePlugin } from '@photo-sphere-viewer/gyroscope-plugin'
import { VisibleRangePlugin } from '@photo-sphere-viewer/visible-range-plugin'
import { FIELDS_OF_VIEW, initialView, type Panorama, placeOnSphere, type SphereView } from './sphere.ts'

// The browser's cache has the pictures; this one would hold originals in memory.
Cache.enabled = false

export type SphereCanvas = Awaited<ReturnType<typeof openSphere>>

/**
 * Draws a sphere in the container, which must be empty. Each picture is shown as soon as it is there; resolves when the first one is.
 * `onLost` is called when the canvas has lost its memory, so that nothing is drawn any more.
 * @throws when the first picture cannot be loaded or drawn; the container is empty then
 */
export async function openSphere(container: HTMLElement, panorama: Panorama, pictures: string[], onLost: () => void) {
  const [first, ...better] = pictures
  if (first === undefined) throw new Error('a sphere without a picture')
  const initial = initialView(panorama, container.clientWidth / container.clientHeight)
  const viewer = new Viewer({
    container,
    adapter: EquirectangularAdapter.withConfig({ useXmpData: false }),
    plugins: [GyroscopePlugin, VisibleRangePlugin.withConfig({ usePanoData: true })],
    defaultYaw: initial.yaw,
    defaultPitch: initial.pitch,
    defaultZoomLvl: initial.zoom,
    minFov: FIELDS_OF_VIEW.least,
    maxFov: FIELDS_OF_VIEW.most,
    moveInertia: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    // Controls and keys are the dialog's.
    navbar: false,
    keyboard: false,
  })
  const canvas = container.querySelector('canvas')
  canvas?.addEventListener('webglcontextlost', onLost)

  function destroy(): void {
    canvas?.removeEventListener('webglcontextlost', onLost)
    viewer.destroy()
    // Browsers have few contexts, and free them late.
    canvas?.getContext('webgl2')?.getExtension('WEBGL_lose_context')?.loseContext()
  }

  const load = (url: string) =>
    viewer.setPanorama(url, {
      panoData: (image) => placeOnSphere(panorama, image),
      transition: false,
      showLoader: false,
    })

  async function loadBetter(): Promise<void> {
    for (const url of better) await load(url)
  }

  try {
    await load(first)
  } catch (error) {
    destroy()
    throw error
  }
  // What is shown stays.
  loadBetter().catch(() => viewer.hideError())
  const motion = viewer.getPlugin<GyroscopePlugin>(GyroscopePlugin)
  return {
    initial,
    view: (): SphereView => ({ ...viewer.getPosition(), zoom: viewer.getZoomLevel() }),
    show({ yaw, pitch, zoom }: SphereView): void {
      viewer.zoom(zoom)
      viewer.rotate({ yaw, pitch })
    },
    /** Follows the movements of the device; asks the user where browsers demand that. Rejects when that is denied. */
    startMotion: () => motion.start(),
    stopMotion: () => motion.stop(),
    /** Whether the device reports movements; known after up to ten seconds. */
    hasMotion: () => motion.isSupported(),
    destroy,
  }
}
