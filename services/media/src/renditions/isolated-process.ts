import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { type RenderRequest, type RenderResponse, SHORT } from './isolated-renderer.ts'
import { configureSharp, renderImage } from './render-image.ts'
import { renderPrint } from './render-print.ts'
import { stripMetadata } from './strip-metadata.ts'

// Renders one image and is then killed by the worker (see isolated-renderer.ts). It exits when the worker exits, and not
// before: a signal to the whole process group must not make a photo fail.
process.on('disconnect', () => process.exit())
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

const requested = once(process, 'message')
// When Linux runs out of memory, this process is killed first.
await writeFile('/proc/self/oom_score_adj', '1000').catch(() => {})
configureSharp()
const [request] = await requested
process.send?.(await respond(request as RenderRequest))

async function respond(request: RenderRequest): Promise<RenderResponse> {
  const original = await buffer(process.stdin)
  if (original.length !== request.size) return { error: SHORT, message: 'the original was not received completely' }
  try {
    return { result: await render(original, request) }
  } catch (error) {
    const { name, message, cause } = error as Error
    return { error: name, message: cause === undefined ? message : String(cause) }
  }
}

async function render(original: Buffer, request: RenderRequest) {
  const { bytes, options } = await stripMetadata(original, request)
  return request.print ? renderPrint(bytes, options, request.print) : renderImage(bytes, options)
}
