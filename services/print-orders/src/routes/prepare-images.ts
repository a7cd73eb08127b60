import { timestampDate } from '@bufbuild/protobuf/wkt'
import { type App, errorFieldResponses, invalidFields, Nullable, requireUser } from '@skyfolio/kit'
import { type PrintImage, PrintImageStatus } from '@skyfolio/proto'
import { type Static, Type } from 'typebox'
import type { PrintOrdersDeps } from '../deps.ts'
import { readEnvironment } from '../environment.ts'
import { absoluteUrl, type ImageOrigins, imagePath } from '../orders/image-urls.ts'
import { type PhotoPrint, printSizeOf } from '../orders/print-images.ts'
import { Crop } from '../orders/submit-request.ts'
import { Id, ProductId } from './schemas.ts'

/** How long a request waits for renderings. The browser repeats it while there are any. */
const WAIT_MS = 8_000
const PRODUCTS_MS = 6_000

const Wanted = Type.Object(
  { photoId: Id, productId: Type.Optional(Nullable(ProductId)), crop: Type.Optional(Nullable(Crop)) },
  { additionalProperties: false },
)
const Prepared = Type.Object({
  photoId: Type.Integer(),
  productId: Nullable(Type.String()),
  status: Type.Union([Type.Literal('ready'), Type.Literal('rendering'), Type.Literal('failed')]),
  message: Nullable(Type.String({ description: 'Why it failed' })),
  url: Nullable(Type.String()),
  width: Nullable(Type.Integer()),
  height: Nullable(Type.Integer()),
  sourceWidth: Nullable(Type.Integer({ description: 'Upright pixels of the photo that prints can use' })),
  sourceHeight: Nullable(Type.Integer()),
  expiresAt: Nullable(Type.String({ format: 'date-time' })),
})

const PREPARE_IMAGES = {
  summary: 'Renders images of own photos for the partner; repeat it while one is rendering',
  description: 'Without a product: a proof for the screen. With one: the image that is printed in its size.',
  body: Type.Object(
    { images: Type.Array(Wanted, { minItems: 1, maxItems: 200, 'x-message': 'Please choose 1 to 200 photos.' }) },
    { additionalProperties: false },
  ),
  response: { 200: Type.Object({ images: Type.Array(Prepared) }), ...errorFieldResponses },
}

export function prepareImagesRoutes(app: App, deps: PrintOrdersDeps): void {
  const config = { access: 'user' } as const
  app.post('/api/walgreens/prepare-images', { config, schema: PREPARE_IMAGES }, async (request) => {
    const deadline = performance.now() + WAIT_MS
    const { userId } = requireUser(request)
    const wanted = request.body.images
    const images = await deps.images.prepare(userId, await toPrints(deps, wanted), deadline)
    return {
      images: images.map((image, index) => {
        const { photoId = 0, productId } = wanted[index] ?? {}
        return { photoId, productId: productId ?? null, ...toBody(image, deps.origins) }
      }),
    }
  })
}

/** The prints with their sizes, from the products as the wizard shows them. @throws AppError 400 */
async function toPrints({ db, catalog }: PrintOrdersDeps, wanted: Static<typeof Wanted>[]): Promise<PhotoPrint[]> {
  const hasProducts = wanted.some(({ productId }) => productId)
  const products = hasProducts ? await catalog.list(await readEnvironment(db), PRODUCTS_MS) : []
  const sizes = new Map(products.map((product) => [product.productId, printSizeOf(product)]))
  return wanted.map(({ photoId, productId, crop }, index) => {
    const size = productId ? sizes.get(productId) : null
    if (size === undefined || (productId && size === null)) {
      throw invalidFields({ [`images.${index}.productId`]: 'This size is not available. Please choose another one.' })
    }
    return { photoId, crop: crop ?? null, size }
  })
}

function statusOf({ status }: PrintImage): Static<typeof Prepared>['status'] {
  if (status === PrintImageStatus.READY) return 'ready'
  return status === PrintImageStatus.RENDERING ? 'rendering' : 'failed'
}

function toBody(image: PrintImage, { publicOrigin }: ImageOrigins) {
  const status = statusOf(image)
  const { filename, expiresAt } = image
  return {
    status,
    message: status === 'failed' ? (image.message ?? 'This photo does not exist any more.') : null,
    url: filename === undefined ? null : absoluteUrl(publicOrigin, imagePath(filename)),
    width: image.width ?? null,
    height: image.height ?? null,
    sourceWidth: image.sourceWidth ?? null,
    sourceHeight: image.sourceHeight ?? null,
    expiresAt: expiresAt ? timestampDate(expiresAt).toISOString() : null,
  }
}
